/*
 * Approximate substrings: finds what is close to a pattern in a text. The only user of TRE.
 *
 * Patterns are taken literally, are at most APPROX_PATTERN_MAX characters, and at most
 * min(8, length / 4) edits are allowed (insert, delete, substitute; a swap is two).
 */
#ifndef KOTA_TEXT_APPROX_H
#define KOTA_TEXT_APPROX_H

#include "text/tokens.h"

#define APPROX_PATTERN_MAX 128

struct approx;

/*
 * Prepares a pattern for at most this many edits (fewer where the rule above says so). NULL when
 * it is too long, when no edit is left, or when it cannot be prepared. Keeps no pointer to it.
 */
struct approx *approx_new(const struct text *pattern, size_t edits);

/* NULL is ignored. */
void approx_free(struct approx *approx);

/* False if approx_cost() cannot find anything, as the bytes and the bag of the text tell. */
bool approx_may_match(const struct approx *approx, const struct text *text);

/*
 * Fewest edits between the pattern and a part of the text; -1 when more than are allowed.
 *
 * Of the pattern cut into one piece more than there may be edits, one must stand in the text
 * unchanged: only the surroundings of such places are searched, and of them only so many as keep
 * the work bounded, for one text and for all that one pattern is asked of.
 */
int approx_cost(struct approx *approx, const struct text *text);

/* The library beneath, as it says itself; static storage. */
const char *approx_library(void);

#endif
