#include "store/upkeep/compact.h"

#include "base/map.h"
#include "store/txn/change_ops_internal.h"
#include "store/history/history.h"
#include "store/files/change_observer.h"
#include "store/files/dir_lock.h"

/* Refs of all that is active or can be brought back, from wherever. */
struct known_refs {
	struct map refs;
	struct arena arena;
};

static int compact_know_refs(struct known_refs *known, struct store *store, struct err *err)
{
	const struct archived *all;
	size_t count;

	if (store_archive_whole(store, &all, &count, err) != 0)
		return -1;
	for (size_t i = 0; i < store->item_count; i++)
		map_put(&known->refs, store->items[i].ref, 0);
	for (size_t i = 0; i < count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, all[i].record.category, all[i].record.original_key);
		map_put(&known->refs, arena_copy(&known->arena, str_slice(&ref)), 0);
	}
	return 0;
}

static bool compact_is_known(void *context, struct slice ref)
{
	const struct known_refs *known = context;

	return map_get(&known->refs, ref, NULL);
}

static int compact_usage(struct store *store, struct compact_part *out, struct err *err)
{
	struct known_refs known = {MAP_INIT, ARENA_INIT};
	int64_t size[2] = {0, 0};
	int result = compact_know_refs(&known, store, err);

	if (result == 0)
		result = usage_compact_now(store->usage, compact_is_known, &known, size, err);
	map_release(&known.refs);
	arena_release(&known.arena);
	if (result == 0)
		*out = (struct compact_part){size[0], size[1], 0};
	return result;
}

/* The history is told who rewrites the cold archive. */
static void compact_begin(void *context)
{
	const struct change *change = context;
	const struct witness *witness = change->store->disk.witness;

	if (witness)
		witness->change(witness->context, &change->meta, NULL, 0, change->now_ms);
}

static int compact_locked(struct change *change, struct compact_report *out, struct err *err)
{
	struct store *store = change->store;

	if (compact_usage(store, &out->usage, err) != 0 ||
	    compact_cold(&store->disk, compact_begin, change, &out->cold, err) != 0)
		return -1;
	/* What is recorded now is packed with the rest. */
	if (out->cold.removed > 0)
		history_record(store);
	if (history_pack(store, &out->history.before, &out->history.after, &out->history.removed,
			 &out->history_why) == 0)
		err_clear(&out->history_why);
	return 0;
}

int compact_run(struct store *store, const struct change_meta *meta, int64_t now_ms,
		struct compact_report *out, struct err *err)
{
	struct change *change;
	int result;

	*out = (struct compact_report){0};
	if (!disk_exists(store_disk(store)))
		return 0;
	if (change_begin(&change, store, meta, now_ms, err) != 0)
		return -1;
	result = compact_locked(change, out, err);
	change_end(change);
	return result;
}
