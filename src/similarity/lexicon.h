/*
 * The lists of data/opposites: words that turn a sentence round, exclude each other, or say
 * nothing.
 *
 * Words are asked for as they are written there: normalised, without apostrophes, several words
 * joined by "_". What is handed out is static.
 */
#ifndef KOTA_SIMILARITY_LEXICON_H
#define KOTA_SIMILARITY_LEXICON_H

#include "base/str.h"

#include <stdint.h>

enum lexicon_list {
	LEXICON_CHOICES,
	LEXICON_FILLERS,
	LEXICON_NEGATIONS,
	LEXICON_OPPOSITES,
	LEXICON_PLACES,
	LEXICON_QUALIFIERS,
	LEXICON_ROLES,
	LEXICON_SINGLE
};

struct lexicon_row {
	const char *word;
	enum lexicon_list list;
	uint16_t line; /* words of one line and two sides exclude each other */
	uint16_t side;
	bool things; /* they tell things apart, or are one of many */
};

/* All rows, sorted by the bytes of the word; made from the lists. */
extern const struct lexicon_row lexicon_rows[];
extern const size_t lexicon_row_count;

/* The rows of a word, next to each other; *count is 0 when it is in no list. */
const struct lexicon_row *lexicon_find(struct slice word, size_t *count);

/* Is the word in this list? */
bool lexicon_has(struct slice word, enum lexicon_list list);

/* Do two words exclude each other? *things says whether they rather tell things apart. */
bool lexicon_opposed(struct slice a, struct slice b, bool *things);

#endif
