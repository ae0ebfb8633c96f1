/*
 * Keeping an index true to what the store holds: for the lookup index and the search index alike.
 *
 * What can be in an index comes in groups: the entries of a category, the records of the archive,
 * the notes. When a file changes, its group alone is compared with the index, of which only those
 * items change whose text did:
 *
 *	sync_begin(sync, group, count);
 *	while (sync_next(sync, store, notes, &stored))
 *		if (stored.number == SYNC_NONE)
 *			sync_added(sync, &stored, <add it to the index>);
 *	while (sync_next_gone(sync, &number))
 *		<remove it from the index>
 */
#ifndef KOTA_STORE_VIEW_INDEX_SYNC_H
#define KOTA_STORE_VIEW_INDEX_SYNC_H

#include "base/arena.h"
#include "base/map.h"
#include "model/category.h"
#include "store/items/item.h"

struct note;
struct store;

#define GROUP_ARCHIVE CATEGORY_COUNT
#define GROUP_NOTES (CATEGORY_COUNT + 1)
#define GROUP_COUNT (CATEGORY_COUNT + 2)

/* Stands for no item of the index. */
#define SYNC_NONE UINT32_MAX

/* What stands at a position of a group: an entry, a record or a note, the others NULL. */
struct stored {
	const struct item *item;
	const struct archived *archived;
	const struct note *note;
	struct slice ref;
	uint64_t digest; /* of all that an index makes of it; only from sync_next() */
	uint32_t position;
	int group;
	uint32_t number; /* in the index; SYNC_NONE when it has to be added */
};

/* An item of the index, by its number there. */
struct synced {
	uint64_t digest;
	uint64_t round; /* of the comparison in which it was last met */
	uint32_t position;
	int group;
	bool gone; /* it was removed */
};

struct sync_group {
	bool current;      /* compared since its file changed */
	struct map by_ref; /* ref -> number of the newest item that had it */
	uint32_t *numbers; /* by position */
	size_t count;
};

struct index_sync {
	struct sync_group groups[GROUP_COUNT];
	struct synced *items;
	size_t item_cap;
	struct arena refs;
	uint64_t round;
	/* Of the comparison that is under way. */
	int group;
	size_t at;
	uint32_t *before; /* the group's numbers until now */
	size_t before_count;
};

/* What stands at a position; false for a record that no index shows. notes is for GROUP_NOTES. */
bool stored_at(const struct store *store, const struct note *notes, int group, size_t position,
	       struct stored *out);

/* How many positions a group of entries or records has. */
size_t store_group_size(const struct store *store, int group);

/* Begins to compare a group of so many positions. */
void sync_begin(struct index_sync *sync, int group, size_t count);

/* What stands next in the group, whether the index has it or not; false at its end. */
bool sync_next(struct index_sync *sync, const struct store *store, const struct note *notes,
	       struct stored *out);

/* It was added to the index under this number. */
void sync_added(struct index_sync *sync, const struct stored *stored, size_t number);

/* The next item that has to be removed from the index; false when none is left. */
bool sync_next_gone(struct index_sync *sync, size_t *number);

/* Forgets all, as the index does. */
void sync_release(struct index_sync *sync);

#endif
