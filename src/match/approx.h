/*
 * Approximate substrings: does a text hold something close to a pattern? The only user of TRE.
 *
 * Patterns are taken literally, are at most APPROX_PATTERN_MAX characters, and at most
 * min(8, length / 4) edits are allowed (insert, delete, substitute; a swap is two).
 */
#ifndef KOTA_MATCH_APPROX_H
#define KOTA_MATCH_APPROX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APPROX_PATTERN_MAX 128

struct approx;

/* Prepares a pattern; NULL when it is too long, too short for any edit, or cannot be prepared. */
struct approx *approx_new(const uint32_t *pattern, size_t len);

void approx_free(struct approx *approx);

/* Could a text with this bag (text_bag) hold something close to a pattern with that one? */
bool approx_is_possible(const struct approx *approx, uint64_t pattern_bag, uint64_t text_bag);

/* Fewest edits between the pattern and a part of the text; -1 when more than are allowed. */
int approx_cost(const struct approx *approx, const uint32_t *text, size_t len);

#endif
