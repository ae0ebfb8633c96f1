/*
 * Words that mean the same, as the person says: {"editor": ["ide", "text editor"]}.
 *
 * All expressions of one member are synonyms of each other. Pure: the store reads the file.
 */
#ifndef KOTA_TEXT_SYNONYMS_H
#define KOTA_TEXT_SYNONYMS_H

#include "base/arena.h"
#include "base/str.h"
#include "json/doc.h"
#include "text/tokens.h"

/* What is found by a synonym counts this much. */
#define SYNONYMS_WEIGHT 0.8

struct synonyms {
	struct arena arena;
	struct synonym *list; /* every expression, one group after the other */
	size_t count;
	size_t cap;
};

struct synonym {
	struct text text;
	size_t group;
};

/*
 * Reads a document whose root is an object of lists of texts, or of texts; other members are
 * passed over and counted in *left_out. Release with synonyms_release(). What it held is gone.
 */
void synonyms_read(struct synonyms *synonyms, const struct json *doc, size_t *left_out);

/* Frees the expressions and leaves an empty list. Cleared memory is an empty list, too. */
void synonyms_release(struct synonyms *synonyms);

/*
 * The expression that stands in a text at this word, the longest one: NULL when there is none. The
 * other members of its group are its synonyms.
 */
const struct synonym *synonyms_at(const struct synonyms *synonyms, const struct text *text,
				  uint32_t word);

/*
 * The query with one expression exchanged for a synonym, in every way there is: fills at most max
 * strings, which the caller releases, and returns how many.
 */
size_t synonyms_variants(const struct synonyms *synonyms, struct slice query, struct str *variants,
			 size_t max);

#endif
