#include "store/txn/change_commit.h"

#include "base/mem.h"
#include "store/history/history.h"
#include "store/txn/change_ops_internal.h"
#include "store/txn/enforce_limits.h"
#include "store/txn/kept_refs.h"
#include "store/txn/summary.h"
#include "store/view/notices.h"
#include "store/view/snapshot.h"

/* So seldom that it costs a change nothing, so often that a server does not grow. */
#define CHANGES_BETWEEN_TRIMS 32

/* What was put back with its old times must not expire for that. */
static void revive(struct change *change)
{
	static const bool none[STORE_FILE_ARCHIVE + 1] = {false};
	struct store *store = change->store;

	for (size_t i = 0; i < change->op_count; i++) {
		const struct op *op = &change->ops[i];
		const struct item *item = op->kind == OP_PUT
						  ? change_item_spelt(store, op->category, op->key)
						  : NULL;

		if (item)
			usage_note_seen(store->usage, item->ref, hash64(item->entry.text),
					change->now_ms);
	}
	usage_flush_seen(store->usage, change->now_ms);
	view_reload(store, none);
}

/* Texts and parses of many sizes come and go with a change, and leave holes. */
static void tidy_memory(struct store *store)
{
	if (++store->changes % CHANGES_BETWEEN_TRIMS == 0)
		mem_trim();
}

/* What follows the commit point: nothing here can undo the change or make it fail. */
static void finish_commit(struct change *change)
{
	struct store *store = change->store;
	struct kept_refs kept = {.store = store};
	bool touched[STORE_FILE_ARCHIVE + 1] = {false};
	struct err ignored;

	for (size_t i = 0; i < change->op_count; i++) {
		const struct op *op = &change->ops[i];

		if (op->kind == OP_PUT || op->kind == OP_REMOVE)
			touched[op->category] = true;
		else if (op->kind == OP_RECORD_ADD || op->kind == OP_RECORD_REMOVE)
			touched[STORE_FILE_ARCHIVE] = true;
	}
	view_reload(store, touched);
	if (change->revives)
		revive(change);
	summary_write(store, true);
	usage_compact(store->usage, kept_refs_has, &kept, &ignored);
	kept_refs_release(&kept);
	tidy_memory(store);
}

/* Makes what fits durable. */
static int carry_out(struct change *change, struct err *err)
{
	struct store *store = change->store;
	int result;

	store->disk.layouts = change->layouts;
	store->disk.others = &change->others;
	result = apply_ops(&store->disk, change->ops, change->op_count, &change->meta,
			   change->now_ms, err);
	store->disk.layouts = NULL;
	store->disk.others = NULL;
	view_take_remarks(store);
	if (result != 0)
		return -1;
	finish_commit(change);
	/* Before the reply is written, which says what was in the way. */
	if (change->locked)
		history_record(store);
	change->recorded = true;
	return 0;
}

int change_commit(struct change *change, struct change_result *result, struct err *err)
{
	if (change->op_count > 0 && fit_limits(change, err) != 0)
		return -1;
	if (change->op_count > 0 && !change->rehearsal && carry_out(change, err) != 0)
		return -1;
	if (result) {
		result->evicted = change->evicted;
		result->evicted_count = change->evicted_count;
		result->archived = change->archived;
	}
	return 0;
}
