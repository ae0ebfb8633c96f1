#include "store/txn/change.h"

#include "merge/merge_conflict.h"
#include "merge/merge_entry.h"
#include "store/files/dir_lock.h"
#include "store/history/history.h"
#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/group.h"
#include "store/txn/metadata.h"
#include "store/txn/refresh.h"
#include "store/txn/removed.h"
#include "store/view/loader.h"
#include "store/view/notices.h"
#include "store/view/snapshot.h"

/* Longer files are not looked at before their turn. */
#define ALL_BUT_EMPTY 64

/*
 * Looks at files that are all but empty: what is written to it before the others are read has to
 * know whether there were entries in it.
 */
static void change_look_for_emptied(struct store *store)
{
	struct file_id id;
	struct err ignored;

	for (int f = 0; f < STORE_FILE_COUNT; f++) {
		if (store->disk.dirfd >= 0 &&
		    disk_look(&store->disk, (enum store_file)f, &id, &ignored) == 0 && id.present &&
		    id.size <= ALL_BUT_EMPTY)
			loader_look(store, (enum store_file)f);
	}
}

/* Everything up to the point from which the store is ours and as the disk has it. */
static int change_take_store(struct store *store, int64_t now_ms, struct err *err)
{
	bool settings_valid;

	if (disk_lock(&store->disk, DISK_LOCK_WAIT_MS, err) != 0)
		return -1;
	store->now_ms = now_ms;
	notices_clear(store);
	snapshot_load_settings(store);
	settings_valid = store->settings_valid;
	history_open(store);
	change_look_for_emptied(store);
	if (history_check(store, err) != 0 || apply_recover(&store->disk, now_ms, err) != 0) {
		disk_unlock(&store->disk);
		return -1;
	}
	notices_take_remarks(store);
	/* An edit that stat does not show is found when the file is written: see op.before. */
	snapshot_load(store, now_ms);
	/* Settings that are mended by now were not those by which the history was opened. */
	if (!settings_valid || !store->settings_valid) {
		*err = store->settings_error;
		disk_unlock(&store->disk);
		return -1;
	}
	return 0;
}

static void change_add_lost(struct change *change, const struct merge_conflict *conflict,
			    enum category category)
{
	struct op op = {.kind = OP_RECORD_ADD, .category = category};
	STR_AUTO dated = STR_INIT;
	STR_AUTO text = STR_INIT;

	conflict_record_key(&dated, conflict);
	change_record_ref(change, category, str_slice(&dated), &op.key);
	conflict_record(&text, conflict, op.key);
	op.text = arena_copy(&change->arena, str_slice(&text));
	change_add_op(change, &op);
}

static int change_lift_entry(struct change *change, const struct item *item, struct err *err)
{
	enum category category = item->entry.category;
	struct merge_report report = {0};
	STR_AUTO rest = STR_INIT;
	int result = 0;

	if (conflict_lift(slice_of(category_name(category)), item->entry.key, item->entry.text,
			  &rest, &report)) {
		result = change_put(change, category, item->entry.key, str_slice(&rest), err);
		for (size_t i = 0; result == 0 && i < report.count; i++)
			change_add_lost(change, &report.conflicts[i], category);
	}
	merge_report_release(&report);
	return result;
}

static int change_lift_category(struct change *change, enum category category, struct err *err)
{
	const struct store *store = change->store;
	int result = 0;

	for (size_t i = store->first[category]; result == 0 && i < store->first[category + 1]; i++)
		result = change_lift_entry(change, &store->items[i], err);
	return result;
}

/*
 * Moves texts that lost a merge by git from their entries into the archive, as a change of its own.
 * Where that cannot be they stay in their entries, which is a notice. The lock is held and the view
 * current, before and after.
 */
static void change_lift_conflicts(struct store *store)
{
	static const struct change_meta meta = {.tool = "sync"};
	static const char list[] = "\"" ENTRY_CONFLICT "\"";
	struct change *change = NULL;
	struct err err;
	int result = 0;

	for (int c = 0; result == 0 && c < CATEGORY_COUNT; c++) {
		const struct loaded *file = &store->files[c];

		if (file->broken || file->text.len == 0 ||
		    !memmem(file->text.ptr, file->text.len, list, sizeof list - 1))
			continue;
		if (!change)
			change = change_new(store, &meta, store->now_ms);
		result = change_lift_category(change, (enum category)c, &err);
	}
	if (!change)
		return;
	if (result == 0)
		result = change_check_archive(change, &err);
	if (result == 0)
		result = change_commit(change, NULL, &err);
	if (result != 0)
		notices_add(store, "conflicting texts of a merge stay in their entries: %s",
			    err.text);
	change_free(change);
}

int change_begin(struct change **out, struct store *store, const struct change_meta *meta,
		 int64_t now_ms, struct err *err)
{
	if (group_waits(store)) {
		/* The store has been ours since the first of those that wait. */
		store_look_on(store, now_ms);
	} else {
		if (change_take_store(store, now_ms, err) != 0)
			return -1;
		removed_archive(store);
		change_lift_conflicts(store);
		if (snapshot_has_due(store))
			expire_due(store);
	}
	*out = change_new(store, meta, now_ms);
	(*out)->locked = true;
	return 0;
}

int change_rehearse(struct change **out, struct store *store, int64_t now_ms, struct err *err)
{
	static const struct change_meta nobody = {0};

	if (store_refresh(store, now_ms, err) != 0)
		return -1;
	if (!store->settings_valid) {
		*err = store->settings_error;
		return -1;
	}
	*out = change_new(store, &nobody, now_ms);
	(*out)->rehearsal = true;
	return 0;
}

void change_refresh(struct change *change)
{
	bool all[STORE_FILE_ARCHIVE + 1];

	for (size_t f = 0; f < sizeof all / sizeof *all; f++)
		all[f] = true;
	snapshot_load_settings(change->store);
	shared_use_refresh(&change->store->shared_use, &change->store->disk);
	snapshot_reload(change->store, all);
	metadata_update(change->store, true);
}

int change_flush(struct store *store, struct err *err)
{
	size_t notices = store->notices.count;
	struct settled settled;

	if (!group_waits(store))
		return 0;
	int result = commit_settle(store, &settled, err);
	disk_unlock(&store->disk);
	/* The replies have been written, so notices go with the next one. */
	if (store->notices.count > notices)
		notices_keep(store);
	return result;
}

void change_end(struct change *change)
{
	if (!change || change->waits)
		return;
	if (change->locked && !group_waits(change->store)) {
		if (!change->recorded)
			history_record(change->store);
		disk_unlock(&change->store->disk);
	}
	change_free(change);
}
