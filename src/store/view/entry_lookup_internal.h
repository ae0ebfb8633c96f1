/*
 * The lookup index of a store, and which entry each of its items stands for. For src/store only.
 *
 * Built when something is looked up first. Later only those entries change in it that changed in
 * their file.
 */
#ifndef KOTA_STORE_VIEW_ENTRY_LOOKUP_INTERNAL_H
#define KOTA_STORE_VIEW_ENTRY_LOOKUP_INTERNAL_H

#include "base/map.h"
#include "lookup/lookup.h"
#include "model/category.h"

/* The items of a category, in the order of the categories, and behind them the archive's. */
#define FINDER_GROUPS (CATEGORY_COUNT + 1)

/* An item of the index. */
struct found {
	uint64_t digest; /* of all that the index knows of it */
	uint64_t round;  /* of the comparison in which it was last met */
	size_t position; /* in its category, or among the records */
	int group;       /* -1 when it was removed */
};

struct finder {
	struct lookup *index; /* NULL until asked for; the rest belongs to it */
	bool stale[FINDER_GROUPS];
	struct map by_ref[2]; /* of items, of records -> number in the index */
	struct found *found;  /* by number */
	size_t found_count;
	size_t found_cap;
	uint32_t *numbers[CATEGORY_COUNT]; /* of the items of a category */
	size_t number_caps[CATEGORY_COUNT];
	uint64_t round;
};

struct store;

/* The items of this group are others, or due where they were not. */
void finder_stale(struct store *store, int group);

/* The item at this position was active. */
void finder_touch(struct store *store, size_t position);

/* Frees the index. */
void finder_release(struct finder *finder);

#endif
