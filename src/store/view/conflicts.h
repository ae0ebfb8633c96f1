/*
 * Conflicts of merged machines or branches that nobody has decided yet.
 *
 * Each is a record of archive.json. It is undecided as long as the entry has the value that won:
 * every machine reads that from the files, so no mark is needed that could be lost.
 */
#ifndef KOTA_STORE_VIEW_CONFLICTS_H
#define KOTA_STORE_VIEW_CONFLICTS_H

#include "base/arena.h"
#include "store/items/item.h"

struct store;

struct conflict {
	const struct item *item;      /* the entry in use */
	const struct archived *other; /* the text that lost */
};

/* All of them, by category and in the order of the archive; *out is the arena's. */
size_t store_conflicts(const struct store *store, struct arena *arena, const struct conflict **out);

/* The latest undecided record of a text that lost to this entry; NULL: there is none. */
const struct archived *store_conflict_of(const struct store *store, const struct item *item);

#endif
