/*
 * Sets of up to 64 features (letters, letter triples), kept by feature: many sets are compared at
 * once.
 *
 *	columns_add(&columns, text_bag(chars, len));
 *	for (size_t block = 0; block * COLUMNS_BLOCK < columns.count; block++)
 *		columns_lacking(&columns, block, text_bag(word, word_len), edits, &found);
 *	for (size_t at = 0; columns_take(&found, &at);)
 *		...
 */
#ifndef KOTA_TEXT_COLUMNS_H
#define KOTA_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLUMNS_FEATURES 64

/* Sets that are compared at once, a bit each. */
#define COLUMNS_BLOCK 512
#define COLUMNS_WORDS (COLUMNS_BLOCK / 64)

struct columns_row {
	uint64_t words[COLUMNS_WORDS];
};

/* All zero is empty. */
struct columns {
	struct columns_row *rows; /* of each block COLUMNS_FEATURES: which sets have the feature */
	size_t cap;
	size_t count; /* of sets */
};

/* Two features that stand for a value, and for one in a thousand of all others. */
static inline uint64_t columns_features_of(uint64_t value)
{
	uint64_t mixed = value * 0x9E3779B97F4A7C15u;

	return (uint64_t)1 << (mixed >> 58) | (uint64_t)1 << (mixed >> 52 & 63);
}

/* Adds a set, a bit for each of its features; its number is the count before. */
void columns_add(struct columns *columns, uint64_t set);

/*
 * Adds to *out the sets of a block that lack no more than so many of these features, or all where
 * that is more than 15.
 */
void columns_lacking(const struct columns *columns, size_t block, uint64_t set, size_t most,
		     struct columns_row *out);

/*
 * Takes the first set out of those found and says in *at which of the block it is; false if none is
 * left. *at is 0 at first and stays as it was returned.
 */
bool columns_take(struct columns_row *found, size_t *at);

/* Frees the sets, leaves none. */
void columns_release(struct columns *columns);

#endif
