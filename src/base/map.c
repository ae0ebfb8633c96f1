#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

void map_release(struct map *map)
{
	free(map->slots);
	*map = (struct map)MAP_INIT;
}

/* Hash 0 marks a free slot, so no key may have it. */
static uint64_t slot_hash(struct slice key)
{
	uint64_t hash = hash64(key);

	return hash ? hash : 1;
}

/* The slot that holds key, or the free one where it belongs. There is always a free one. */
static struct map_slot *find_slot(const struct map *map, struct slice key, uint64_t hash)
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
static void grow(struct map *map)
{
	struct map bigger = {.cap = map->cap ? map->cap * 2 : 16, .count = map->count};

	bigger.slots = mem_zalloc(bigger.cap, sizeof *bigger.slots);
	for (size_t i = 0; i < map->cap; i++) {
		const struct map_slot *old = &map->slots[i];

		if (old->hash != 0)
			*find_slot(&bigger, old->key, old->hash) = *old;
	}
	free(map->slots);
	*map = bigger;
}

void map_put(struct map *map, struct slice key, size_t value)
{
	uint64_t hash = slot_hash(key);
	struct map_slot *slot;

	if (map->count >= map->cap - map->cap / 4)
		grow(map);
	slot = find_slot(map, key, hash);
	if (slot->hash == 0)
		map->count++;
	*slot = (struct map_slot){key, hash, value};
}

bool map_get(const struct map *map, struct slice key, size_t *value)
{
	const struct map_slot *slot;

	if (map->count == 0)
		return false;
	slot = find_slot(map, key, slot_hash(key));
	if (slot->hash == 0)
		return false;
	if (value)
		*value = slot->value;
	return true;
}
