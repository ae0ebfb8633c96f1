#include "store/txn/refresh.h"

#include "store/files/confine.h"
#include "store/files/dir_lock.h"
#include "store/history/history.h"
#include "store/txn/apply.h"
#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/group.h"
#include "store/txn/removed.h"
#include "store/view/notices.h"
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

	store->disk.hands_off = true;
	int result = store_refresh(store, now_ms, err);
	store->disk.hands_off = before;
	return result;
}
