/*
 * A hash map from text to a number: refs to positions, mostly.
 *
 * The map does not copy its keys: they must outlive it. Open addressing, keyed against floods of
 * chosen collisions by nothing: keys are the user's own and bounded by the store's limits.
 */
#ifndef KOTA_BASE_MAP_H
#define KOTA_BASE_MAP_H

#include "base/str.h"

#include <stdint.h>

struct map_slot {
	struct slice key;
	uint64_t hash;
	size_t value;
};

struct map {
	struct map_slot *slots;
	size_t cap;
	size_t count;
};

#define MAP_INIT                                                                                   \
	{                                                                                          \
		0                                                                                  \
	}

/* Frees the slots, leaves an empty map. */
void map_release(struct map *map);

/* Released at the end of the scope: `MAP_AUTO map = MAP_INIT;` */
#define MAP_AUTO __attribute__((cleanup(map_release))) struct map

/* Puts value under key, replacing an earlier one. */
void map_put(struct map *map, struct slice key, size_t value);

/* True if key is in the map. Then *value is what was put, else it is untouched. value may be NULL.
 */
bool map_get(const struct map *map, struct slice key, size_t *value);

/*
 * The identity of texts in 64 bits, and how such numbers are read from a file.
 *
 * Anyone may use it. No state.
 */

/* Hexadecimal digits of the longest number. */
#define HEX_DIGITS ((size_t)16)

/*
 * A 64-bit digest of the bytes, eight at a time: the identity of texts that nobody chose to
 * collide. The same on every machine: it is written into files that are shared.
 */
uint64_t hash64(struct slice text);

/* Appends all 16 digits, small letters. */
void hex_add(struct str *out, uint64_t value);

/* Reads 1 to 16 hexadecimal digits, small letters; false, and *out untouched, for all else. */
bool hex_read(struct slice word, uint64_t *out);

#endif
