/*
 * The five categories, in their order, and refs: `category:key`, the identity of an entry.
 *
 * This folder holds pure functions over values: no files, no clock, no settings of its own.
 */
#ifndef KOTA_MODEL_CATEGORY_H
#define KOTA_MODEL_CATEGORY_H

#include "base/str.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <wctype.h>

/* id, name; always in this order. */
#define CATEGORIES(X)                                                                              \
	X(PREFERENCES, "preferences")                                                              \
	X(CONNECTIONS, "connections")                                                              \
	X(PATTERNS, "patterns")                                                                    \
	X(SHORTCUTS, "shortcuts")                                                                  \
	X(STATE, "state")

enum category {
#define X(id, name) CATEGORY_##id,
	CATEGORIES(X)
#undef X
		CATEGORY_COUNT
};

/* No category given. */
#define CATEGORY_ANY (-1)

/* The name; static storage. */
const char *category_name(enum category category);

/* All names in order, ended by NULL. */
extern const char *const category_names[CATEGORY_COUNT + 1];

/* Index of the category of this name, in letters of either case as keys are; or CATEGORY_ANY. */
int category_find(struct slice name);

/*
 * The category of a key when none is given, by the words in it; CATEGORY_STATE when none fits.
 * The key must come in its identity form (text/normalize.h).
 */
enum category category_infer(struct slice identity);

/* A ref taken apart: category is CATEGORY_ANY when the text had no category prefix. */
struct ref {
	int category;
	struct slice key; /* points into the text */
};

/*
 * Splits `category:key`; as in keys, the case of the category does not matter. A prefix that is no
 * category is part of the key; blanks around the key are cut. Never fails; the key may be empty.
 */
struct ref ref_parse(struct slice text);

/* Appends `category:key`. */
void ref_add(struct str *out, enum category category, struct slice key);

/*
 * Tags and entities in the form in which they are stored.
 *
 * What is a letter is asked of the C library's own tables for UTF-8, whatever the process's
 * locale; any bytes are accepted.
 */

/*
 * Cleans a tag as it is stored: lower case, "." becomes "-", white space "_", anything else that
 * is not letter, digit, "_", "-" or "/" becomes "_"; runs of one separator collapse, separators at
 * the ends go. Letters, and marks on letters, of every script stay. *out is cleared first; it is
 * empty when nothing of the tag is left.
 */
void tag_clean(struct slice text, struct str *out);

/*
 * Cleans an entity: trimmed, runs of blanks become one, "/" becomes "_", pictographs count as
 * blanks. *out is cleared first; it is empty when nothing of the entity is left.
 */
void entity_clean(struct slice text, struct str *out);

/*
 * What is a letter, a mark, an upper-case letter: asked of the C library's own tables for UTF-8,
 * whatever the process's locale.
 *
 *	struct alphabet alphabet = alphabet_open();
 *	... alphabet_is_letter(&alphabet, character) ...
 *	alphabet_close(&alphabet);
 */

/* The apostrophe that word processors write. */
#define TYPOGRAPHIC_APOSTROPHE 0x2019

struct alphabet {
	locale_t locale; /* 0 where the system has no UTF-8 tables: then all beyond ASCII are
			    letters, none of them upper case */
	wctype_t mark;
};

struct alphabet alphabet_open(void);
void alphabet_close(const struct alphabet *alphabet);

/* A letter or a number. Not what utf8_next() makes of an invalid byte. */
bool alphabet_is_letter(const struct alphabet *alphabet, uint32_t c);

/* A combining mark, which belongs to the letter before it. */
bool alphabet_is_mark(const struct alphabet *alphabet, uint32_t c);

bool alphabet_is_upper(const struct alphabet *alphabet, uint32_t c);

/* The character in lower case; itself where it has none. */
uint32_t alphabet_lower(const struct alphabet *alphabet, uint32_t c);

/*
 * The text in lower case, with the typographic apostrophe made a plain one: as phrases are
 * compared. *out is cleared first.
 */
void alphabet_fold(const struct alphabet *alphabet, struct slice text, struct str *out);

#endif
