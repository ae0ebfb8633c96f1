#include "text/columns.h"

#include "base/mem.h"
#include "text/tokens.h"

#include <stdlib.h>

void columns_add(struct columns *columns, uint64_t set)
{
	size_t at = columns->count++;
	uint64_t bit = (uint64_t)1 << at % 64;

	columns->rows = mem_grow_cleared(columns->rows, &columns->cap,
					 (at / COLUMNS_BLOCK + 1) * COLUMNS_FEATURES,
					 sizeof *columns->rows);
	for (; set; set &= set - 1)
		columns->rows[at / COLUMNS_BLOCK * COLUMNS_FEATURES + (size_t)__builtin_ctzll(set)]
			.words[at % COLUMNS_BLOCK / 64] |= bit;
}

/* The bits of a word whose sets there are, if so many are left from its first one on. */
static uint64_t columns_there(size_t left)
{
	return left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
}

/* Counts one more feature that these sets lack. */
static void columns_count(struct columns_row digits[5], const struct columns_row *having)
{
	for (size_t i = 0; i < COLUMNS_WORDS; i++) {
		uint64_t ones = ~having->words[i];
		uint64_t twos = digits[0].words[i] & ones;
		uint64_t fours = digits[1].words[i] & twos;
		uint64_t eights = digits[2].words[i] & fours;

		digits[0].words[i] ^= ones;
		digits[1].words[i] ^= twos;
		digits[2].words[i] ^= fours;
		digits[4].words[i] |= digits[3].words[i] & eights;
		digits[3].words[i] ^= eights;
	}
}

void columns_lacking(const struct columns *columns, size_t block, uint64_t set, size_t most,
		     struct columns_row *out)
{
	const struct columns_row *features = columns->rows + block * COLUMNS_FEATURES;
	struct columns_row digits[5] = {0}; /* how many features each lacks, in binary; too many */
	size_t left = columns->count - block * COLUMNS_BLOCK;
	bool all = most > 15 || most >= text_count_bits(set);

	for (; set && !all; set &= set - 1) {
		const struct columns_row *row = &features[__builtin_ctzll(set)];

		/* The next block is mostly asked for next, and is not in the cache. */
		if (left > COLUMNS_BLOCK)
			__builtin_prefetch(row + COLUMNS_FEATURES);
		columns_count(digits, row);
	}
	for (size_t i = 0; i < COLUMNS_WORDS; i++) {
		uint64_t more = digits[4].words[i];
		uint64_t less = 0;

		for (size_t d = 4; d-- > 0 && !all;) {
			uint64_t digit = digits[d].words[i];

			more |= most >> d & 1 ? 0 : digit & ~less;
			less |= most >> d & 1 ? ~digit & ~more : 0;
		}
		out->words[i] |= ~more & columns_there(left > 64 * i ? left - 64 * i : 0);
	}
}

bool columns_take(struct columns_row *found, size_t *at)
{
	size_t word = *at / 64;

	while (word < COLUMNS_WORDS && !found->words[word])
		word++;
	if (word == COLUMNS_WORDS)
		return false;
	*at = word * 64 + (size_t)__builtin_ctzll(found->words[word]);
	found->words[word] &= found->words[word] - 1;
	return true;
}

void columns_release(struct columns *columns)
{
	free(columns->rows);
	*columns = (struct columns){0};
}
