#include "store/view/conflicts.h"

#include "merge/merge_conflict.h"
#include "store/view/query.h"
#include "store/view/state.h"

/* The entry that won over the record's text, if the conflict still waits. */
static const struct item *conflicts_item_of(const struct store *store,
					    const struct archived *archived)
{
	const struct record *record = &archived->record;

	if (!slice_is(record->reason, reason_name(REASON_CONFLICT)))
		return NULL;
	const struct item *item = store_find(store, (int)record->category, record->original_key);
	return item && conflict_is_open(record->text, item->entry.text) ? item : NULL;
}

size_t store_conflicts(const struct store *store, struct arena *arena, const struct conflict **out)
{
	struct conflict *list = NULL;
	size_t count = 0;

	for (size_t i = 0; i < store->archive.count; i++) {
		const struct archived *archived = &store->archive.records[i];
		const struct item *item = conflicts_item_of(store, archived);

		if (item && !list)
			list = arena_alloc(arena, (store->archive.count - i) * sizeof *list);
		if (item)
			list[count++] = (struct conflict){item, archived};
	}
	*out = list;
	return count;
}

const struct archived *store_conflict_of(const struct store *store, const struct item *item)
{
	const struct archived *last = NULL;

	for (size_t i = 0; i < store->archive.count; i++) {
		const struct archived *archived = &store->archive.records[i];

		if (conflicts_item_of(store, archived) == item &&
		    (!last || archived->record.archived_ms > last->record.archived_ms))
			last = archived;
	}
	return last;
}
