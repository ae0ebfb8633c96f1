#include "base/map.h"

#include "base/mem.h"

#include <endian.h>
#include <stdlib.h>

void map_release(struct map *map)
{
	free(map->slots);
	*map = (struct map)MAP_INIT;
}

/* Hash 0 marks a free slot, so no key may have it. */
static uint64_t map_slot_hash(struct slice key)
{
	uint64_t hash = hash64(key);

	return hash ? hash : 1;
}

/* The slot that holds key, or the free one where it belongs. There is always a free one. */
static struct map_slot *map_find_slot(const struct map *map, struct slice key, uint64_t hash)
{
	size_t mask = map->cap - 1;
	size_t at = (size_t)hash & mask;

	while (map->slots[at].hash != 0) {
		struct map_slot *slot = &map->slots[at];

		if (slot->hash == hash && slice_equal(slot->key, key))
			return slot;
		at = (at + 1) & mask;
	}
	return &map->slots[at];
}

/* The capacity is a power of two and at least a quarter of it stays free. */
static void map_grow(struct map *map)
{
	struct map bigger = {.cap = map->cap ? map->cap * 2 : 16, .count = map->count};

	bigger.slots = mem_zalloc(bigger.cap, sizeof *bigger.slots);
	for (size_t i = 0; i < map->cap; i++) {
		const struct map_slot *old = &map->slots[i];

		if (old->hash != 0)
			*map_find_slot(&bigger, old->key, old->hash) = *old;
	}
	free(map->slots);
	*map = bigger;
}

void map_put(struct map *map, struct slice key, size_t value)
{
	uint64_t hash = map_slot_hash(key);

	if (map->count >= map->cap - map->cap / 4)
		map_grow(map);
	struct map_slot *slot = map_find_slot(map, key, hash);
	if (slot->hash == 0)
		map->count++;
	*slot = (struct map_slot){key, hash, value};
}

bool map_get(const struct map *map, struct slice key, size_t *value)
{
	if (map->count == 0)
		return false;
	const struct map_slot *slot = map_find_slot(map, key, map_slot_hash(key));
	if (slot->hash == 0)
		return false;
	if (value)
		*value = slot->value;
	return true;
}

/* One step: every bit of the word reaches every bit of the hash within two steps. */
static uint64_t map_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	return hash ^ (hash >> 32);
}

uint64_t hash64(struct slice text)
{
	uint64_t hash = map_mix(UINT64_C(0x2d358dccaa6c78a5), text.len);
	uint64_t word;
	size_t at = 0;

	for (; text.len - at >= sizeof word; at += sizeof word) {
		memcpy(&word, text.ptr + at, sizeof word);
		hash = map_mix(hash, le64toh(word));
	}
	word = 0;
	if (at < text.len)
		memcpy(&word, text.ptr + at, text.len - at);
	return map_mix(map_mix(hash, le64toh(word)), text.len);
}

void hex_add(struct str *out, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	char text[HEX_DIGITS];

	for (size_t i = HEX_DIGITS; i > 0; i--, value >>= 4)
		text[i - 1] = digits[value & 15];
	str_add(out, slice_make(text, HEX_DIGITS));
}

bool hex_read(struct slice word, uint64_t *out)
{
	uint64_t value = 0;

	if (!word.ptr || word.len < 1 || word.len > HEX_DIGITS)
		return false;
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	*out = value;
	return true;
}
