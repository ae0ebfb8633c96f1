/*
 * Tables of characters: ranges in ascending order, and whether a character is in one of them.
 *
 * For src/base/utf8*.c.
 */
#ifndef KOTA_BASE_UTF8_RANGES_H
#define KOTA_BASE_UTF8_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint32_t first;
	uint32_t last;
};

static inline bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (character > ranges[middle].last)
			low = middle + 1;
		else if (character < ranges[middle].first)
			high = middle;
		else
			return true;
	}
	return false;
}

#endif
