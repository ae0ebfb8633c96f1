/*
 * Edit distances between two texts, counted in characters.
 *
 * Bit-parallel (Myers, Hyyrö), 64 characters a block. The texts are arrays of code points, so that
 * a caller who compares one query with thousands of keys decodes each once.
 */
#ifndef KOTA_TEXT_DISTANCE_H
#define KOTA_TEXT_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

/* Levenshtein distance: insert, delete, substitute cost 1 each. */
size_t distance_levenshtein(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len);

/*
 * Optimal string alignment: as above, and swapping two neighbours costs 1. Where the distance is
 * larger than limit, any number larger than limit may be returned.
 */
size_t distance_osa(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len, size_t limit);

/* A text prepared for many comparisons: what distance_osa would compute about it each time. */
struct distance_pattern;

/* Release with distance_pattern_free(). The characters are not needed afterwards. */
struct distance_pattern *distance_pattern_new(const uint32_t *text, size_t len);

/* NULL is ignored. */
void distance_pattern_free(struct distance_pattern *pattern);

/* As distance_osa of the pattern's text and this one. Uses the pattern's scratch memory. */
size_t distance_pattern_osa(struct distance_pattern *pattern, const uint32_t *text, size_t len,
			    size_t limit);

#endif
