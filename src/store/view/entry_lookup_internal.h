/*
 * The lookup index of a store, and which entry each of its items stands for. For src/store only.
 *
 * Built when something is looked up first. Later only those entries change in it that changed in
 * their file.
 */
#ifndef KOTA_STORE_VIEW_ENTRY_LOOKUP_INTERNAL_H
#define KOTA_STORE_VIEW_ENTRY_LOOKUP_INTERNAL_H

#include "store/view/state.h"

/* The items of this group are others, or due where they were not. */
void finder_stale(struct store *store, int group);

/* The item at this position was active. */
void finder_touch(struct store *store, size_t position);

/* Frees the index. */
void finder_release(struct finder *finder);

#endif
