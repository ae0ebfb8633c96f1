/*
 * How a statement relates to an older one: it says the same, something else about the same thing,
 * more, or something unrelated.
 *
 * It is decided by form alone: the same sentence with a different answer in it, a negation,
 * opposites, words of change ("moved", "no longer", "since"). No word list knows what things are,
 * so contradictions in quite different words are not found. What only happened is never related.
 */
#ifndef KOTA_SIMILARITY_STATEMENT_H
#define KOTA_SIMILARITY_STATEMENT_H

#include "similarity/statement_text.h"

#include <stdbool.h>

enum statement_says {
	STATEMENT_NOTHING,
	STATEMENT_SAME,    /* in other words */
	STATEMENT_OTHER,   /* they cannot both hold */
	STATEMENT_RELATED, /* the newer one holds all of the older */
	STATEMENT_SAYS_COUNT
};

/* "same", "other", "related"; "none" for STATEMENT_NOTHING. */
extern const char *const statement_says_names[STATEMENT_SAYS_COUNT];

/* How `newer` relates to `older`. */
enum statement_says statement_compare(const struct statement *older, const struct statement *newer);

/*
 * True if the answer to that is STATEMENT_SAME. Cheaper where it mostly is not; both texts have
 * been read.
 */
bool statement_is_same(const struct statement *older, const struct statement *newer);

#endif
