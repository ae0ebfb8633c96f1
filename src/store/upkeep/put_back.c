#include "store/upkeep/put_back.h"

#include "store/files/dir_lock.h"
#include "store/history/history.h"
#include "store/txn/apply.h"
#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/group.h"
#include "store/txn/undo.h"
#include "store/view/notices.h"
#include "store/view/query.h"
#include "store/view/snapshot.h"

/* A record on its way back: a copy, which outlives the view that it is from. */
struct returning {
	struct archived archived;
	struct arena arena;
	struct json doc;
};

static bool put_back_copy(struct returning *out, const struct archived *archived)
{
	const struct slice text = arena_copy(&out->arena, archived->record.text);
	struct json_fault fault;

	out->archived.ref = arena_copy(&out->arena, archived->ref);
	out->archived.cold = archived->cold;
	return json_parse(&out->doc, text, &json_file_bounds, &fault) == 0 &&
	       record_read(&out->archived.record, archived->record.category, &out->doc, JSON_ROOT,
			   &out->arena);
}

static bool put_back_is_there(const struct store *store, const struct archived *archived)
{
	if (archived->cold)
		return true;
	for (size_t i = 0; i < store->archive.count; i++)
		if (slice_equal(store->archive.records[i].ref, archived->ref) &&
		    slice_equal(store->archive.records[i].record.text, archived->record.text))
			return true;
	return false;
}

/* Nobody has to make room for it: what is asked for once is not worth more than what is active. */
static bool put_back_has_room(const struct store *store, enum category category)
{
	size_t count = store->first[category + 1] - store->first[category];

	return count < (size_t)store->settings.entries_per_category;
}

/* As a change of its own, which one undo takes back. The lock is held. */
static bool put_back_record(struct store *store, const struct archived *archived,
			    const struct change_meta *meta)
{
	const struct record *record = &archived->record;
	STR_AUTO text = STR_INIT;
	struct err err;

	if (!store->settings_valid || !put_back_has_room(store, record->category) ||
	    !put_back_is_there(store, archived) ||
	    store_find(store, (int)record->category, record->original_key))
		return false;
	struct change *change = change_new(store, meta, store->now_ms);
	undo_revive(change);
	json_print(&text, record->entry.doc, record->entry.node);
	bool done = undo_remove_record(change, archived, &err) == 0 &&
		    change_put(change, record->category, record->original_key, str_slice(&text),
			       &err) == 0 &&
		    change_commit(change, NULL, &err) == 0;
	if (!done)
		notices_add(store, "an expired entry stays in the archive for now: %s", err.text);
	change_free(change);
	return done;
}

static bool put_back_undisturbed(struct store *store, const struct archived *archived,
				 const struct change_meta *meta)
{
	struct err ignored;
	bool done = false;

	if (disk_lock(&store->disk, 0, &ignored) != 0)
		return false;
	history_open(store);
	if (apply_recover(&store->disk, store->now_ms, &ignored) == 0) {
		notices_take_remarks(store);
		snapshot_load(store, store->now_ms);
		done = put_back_record(store, archived, meta);
	}
	history_record(store);
	disk_unlock(&store->disk);
	return done;
}

bool store_put_back(struct store *store, const struct archived *archived,
		    const struct change_meta *meta)
{
	struct returning returning = {.arena = ARENA_INIT};
	bool done = !group_waits(store) && store_may_judge(store) &&
		    put_back_copy(&returning, archived) &&
		    put_back_undisturbed(store, &returning.archived, meta);

	json_release(&returning.doc);
	arena_release(&returning.arena);
	return done;
}
