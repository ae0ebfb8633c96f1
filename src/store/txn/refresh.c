#include "store/txn/refresh.h"

#include "store/files/confine.h"
#include "store/files/dir_lock.h"
#include "store/history/history.h"
#include "store/txn/apply.h"
#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/group.h"
#include "store/txn/removed.h"
#include "store/txn/undo.h"
#include "store/view/notices.h"
#include "store/view/query.h"
#include "store/view/read_through.h"
#include "store/view/snapshot.h"

void expire_due(struct store *store)
{
	static const struct change_meta meta = {.tool = "expiry"};
	struct change *change = change_new(store, &meta, store->now_ms);
	struct err err;
	int result = 0;

	for (size_t i = 0; i < store->item_count && result == 0; i++)
		if (store->items[i].due)
			result = change_archive(change, &store->items[i], REASON_EXPIRY, &err);
	if (result == 0)
		result = change_commit(change, NULL, &err);
	if (result != 0)
		notices_add(store, "expired entries stay in their files for now: %s", err.text);
	change_free(change);
}

/* How long a reader waits for writers that are faster than it. */
#define READER_WAIT_MS 200

/*
 * A reader finishes what a killed process has begun, and lets things expire, where that costs
 * nobody a wait.
 */
static void refresh_tidy(struct store *store)
{
	struct err ignored;

	if (disk_lock(&store->disk, 0, &ignored) != 0)
		return;
	history_open(store);
	if (apply_recover(&store->disk, store->now_ms, &ignored) == 0) {
		notices_take_remarks(store);
		snapshot_load(store, store->now_ms);
		removed_archive(store);
		if (snapshot_has_due(store))
			expire_due(store);
	}
	history_record(store);
	disk_unlock(&store->disk);
}

/* A record on its way back: a copy, which outlives the view that it is from. */
struct returning {
	struct archived archived;
	struct arena arena;
	struct json doc;
};

static bool refresh_copy(struct returning *out, const struct archived *archived)
{
	const struct slice text = arena_copy(&out->arena, archived->record.text);
	struct json_fault fault;

	out->archived.ref = arena_copy(&out->arena, archived->ref);
	out->archived.cold = archived->cold;
	return json_parse(&out->doc, text, &json_file_bounds, &fault) == 0 &&
	       record_read(&out->archived.record, archived->record.category, &out->doc, JSON_ROOT,
			   &out->arena);
}

static bool refresh_is_there(const struct store *store, const struct archived *archived)
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
static bool refresh_has_room(const struct store *store, enum category category)
{
	size_t count = store->first[category + 1] - store->first[category];

	return count < (size_t)store->settings.entries_per_category;
}

/* As a change of its own, which one undo takes back. The lock is held. */
static bool refresh_put_back(struct store *store, const struct archived *archived,
			     const struct change_meta *meta)
{
	const struct record *record = &archived->record;
	struct change *change;
	STR_AUTO text = STR_INIT;
	struct err err;
	bool done;

	if (!store->settings_valid || !refresh_has_room(store, record->category) ||
	    !refresh_is_there(store, archived) ||
	    store_find(store, (int)record->category, record->original_key))
		return false;
	change = change_new(store, meta, store->now_ms);
	undo_revive(change);
	json_print(&text, record->entry.doc, record->entry.node);
	done = undo_remove_record(change, archived, &err) == 0 &&
	       change_put(change, record->category, record->original_key, str_slice(&text), &err) ==
		       0 &&
	       change_commit(change, NULL, &err) == 0;
	if (!done)
		notices_add(store, "an expired entry stays in the archive for now: %s", err.text);
	change_free(change);
	return done;
}

static bool refresh_put_back_undisturbed(struct store *store, const struct archived *archived,
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
		done = refresh_put_back(store, archived, meta);
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
		    refresh_copy(&returning, archived) &&
		    refresh_put_back_undisturbed(store, &returning.archived, meta);

	json_release(&returning.doc);
	arena_release(&returning.arena);
	return done;
}

/* Reads again with writers held off; says so when they cannot be. */
static void refresh_undisturbed(struct store *store)
{
	struct err ignored;

	if (disk_lock(&store->disk, READER_WAIT_MS, &ignored) != 0) {
		notices_add(store, "the store changes faster than it can be read: this answer may "
				   "show half of a change");
		return;
	}
	snapshot_load(store, store->now_ms);
	disk_unlock(&store->disk);
}

void store_look_on(struct store *store, int64_t now_ms)
{
	store->now_ms = now_ms;
	store->all_known = false;
	store->reviewed_current = false;
	notices_clear(store);
	arena_release(&store->answer_arena);
}

int store_refresh(struct store *store, int64_t now_ms, struct err *err)
{
	const struct confine *confine = store->disk.confine;

	if (group_waits(store)) {
		store_look_on(store, now_ms);
		return 0;
	}
	if (disk_reopen(&store->disk, err) != 0)
		return -1;
	notices_clear(store);
	/* The kernel supports it and refused: tell the user. */
	if (confine && confine->trouble.text[0])
		notices_add(store, "this server is not confined to its files: %s",
			    confine->trouble.text);
	if (!snapshot_load(store, now_ms))
		refresh_undisturbed(store);
	if (snapshot_has_due(store) || read_through_waits(store) || removed_any(store) ||
	    history_is_torn(store))
		refresh_tidy(store);
	return 0;
}

int store_look(struct store *store, int64_t now_ms, struct err *err)
{
	bool before = store->disk.hands_off;
	int result;

	store->disk.hands_off = true;
	result = store_refresh(store, now_ms, err);
	store->disk.hands_off = before;
	return result;
}
