#include "store/txn/lift.h"

#include "merge/merge_conflict.h"
#include "store/txn/change_commit.h"
#include "store/txn/change_ops_internal.h"
#include "store/view/notices.h"

static void lift_add_record(struct change *change, const struct merge_conflict *conflict,
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

static int lift_entry(struct change *change, const struct item *item, struct err *err)
{
	enum category category = item->entry.category;
	struct merge_report report = {0};
	STR_AUTO rest = STR_INIT;
	int result = 0;

	if (conflict_lift(slice_of(category_name(category)), item->entry.key, item->entry.text,
			  &rest, &report)) {
		result = change_put(change, category, item->entry.key, str_slice(&rest), err);
		for (size_t i = 0; result == 0 && i < report.count; i++)
			lift_add_record(change, &report.conflicts[i], category);
	}
	merge_report_release(&report);
	return result;
}

static int lift_category(struct change *change, enum category category, struct err *err)
{
	const struct store *store = change->store;
	int result = 0;

	for (size_t i = store->first[category]; result == 0 && i < store->first[category + 1]; i++)
		result = lift_entry(change, &store->items[i], err);
	return result;
}

void lift_conflicts(struct store *store)
{
	static const struct change_meta meta = {.tool = "sync"};
	struct change *change = NULL;
	struct err err;
	int result = 0;

	for (int c = 0; result == 0 && c < CATEGORY_COUNT; c++) {
		const struct loaded *file = &store->files[c];

		if (file->broken || !conflict_may_be_in(str_slice(&file->text)))
			continue;
		if (!change)
			change = change_new(store, &meta, store->now_ms);
		result = lift_category(change, (enum category)c, &err);
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
