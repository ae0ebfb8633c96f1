#include "store/view/conflicts.h"
#include "base/utf8.h"
#include "ops/common.h"
#include "store/txn/undo.h"
#include "tools/registry.h"

struct conflicts_args {
	struct slice key;
	int keep;
};

static const struct param params[] = {
	{PARAM(TEXT, conflicts_args, key), .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL,
	 .help = "a key, or category:key; without it all are shown"},
	{PARAM(BOOL, conflicts_args, keep),
	 .help = "keep the text in use; this decides the conflict"},
};

static bool conflicts_is_wanted(const struct call *call, const struct conflicts_args *args,
				const struct conflict *conflict)
{
	return !args->key.ptr || common_look_up(call, args->key) == conflict->item;
}

static void conflicts_write_one(struct json_writer *w, const struct call *call,
				const struct conflict *conflict)
{
	const struct entry *used = &conflict->item->entry;
	const struct entry *other = &conflict->other->record.entry;

	json_write_object(w);
	json_write_member_string(w, "ref", conflict->item->ref);
	common_write_from(w, call, used);
	json_write_member_value(w, "value", used->doc, used->value_node);
	common_write_time(w, "last_updated", used->updated_ms);
	json_write_member_string(w, "conflict", conflict->other->ref);
	json_write_member_value(w, "other", other->doc, other->value_node);
	common_write_time(w, "other_updated", other->updated_ms);
	json_write_end(w);
}

static int conflicts_list(const struct call *call, const struct conflicts_args *args,
			  struct json_writer *w, struct err *err)
{
	const struct conflict *list;
	size_t count;
	size_t shown = 0;

	if (common_refresh(call, err) != 0)
		return -1;
	count = store_conflicts(call->store, call->arena, &list);
	json_write_object(w);
	json_write_member_array(w, "conflicts");
	for (size_t i = 0; i < count; i++) {
		if (!conflicts_is_wanted(call, args, &list[i]))
			continue;
		conflicts_write_one(w, call, &list[i]);
		shown++;
	}
	json_write_end(w);
	json_write_member_int(w, "count", (int64_t)shown);
	common_end_reply(w, call);
	return 0;
}

/* The record says from now on that its text was replaced, as if somebody had set the other. */
static int conflicts_close(struct change *change, const struct conflict *conflict, struct err *err)
{
	const struct record *record = &conflict->other->record;
	STR_AUTO text = STR_INIT;

	record_compose(&text, record->key, record->original_key, record->archived_ms,
		       REASON_REPLACED, &record->entry);
	if (undo_remove_record(change, conflict->other, err) != 0)
		return -1;
	return undo_add_record(change, record->category, record->key, str_slice(&text), err);
}

static int conflicts_keep(const struct call *call, const struct conflicts_args *args,
			  struct json_writer *w, struct err *err)
{
	CHANGE_AUTO change = NULL;
	struct change_result result;
	const struct conflict *list;
	struct slice *kept;
	size_t count;
	size_t closed = 0;
	STR_AUTO scratch = STR_INIT;

	if (!args->key.ptr)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "key is missing: keep decides on one entry at a time");
	if (common_change_begin(&change, call, err) != 0)
		return -1;
	count = store_conflicts(call->store, call->arena, &list);
	kept = arena_alloc(call->arena, (count + 1) * sizeof *kept);
	for (size_t i = 0; i < count; i++) {
		if (!conflicts_is_wanted(call, args, &list[i]))
			continue;
		if (conflicts_close(change, &list[i], err) != 0)
			return -1;
		kept[closed++] = arena_copy(call->arena, list[i].other->ref);
	}
	if (closed == 0)
		return err_set(err, ERR_NOT_FOUND,
			       "key: \"%s\" is not in conflict; kota conflicts lists the entries "
			       "that are",
			       shown(&scratch, args->key));
	if (change_commit(change, &result, err) != 0)
		return -1;
	json_write_object(w);
	common_write_texts(w, "closed", kept, closed);
	common_end_change(w, call, &result);
	return 0;
}

static int conflicts_handle(const struct call *call, const void *arguments, struct json_writer *w,
			    struct err *err)
{
	const struct conflicts_args *args = arguments;

	return args->keep == 1 ? conflicts_keep(call, args, w, err)
			       : conflicts_list(call, args, w, err);
}

const struct tool tool_conflicts = {
	.name = "conflicts",
	.command = "conflicts",
	.title = "Merge conflicts",
	.section = SECTION_CHANGES,
	.summary =
		"Show entries that were changed on two machines at once, with the text that lost "
		"the merge, until somebody decides.",
	TOOL_TAKES(params, conflicts_args),
	.flags = TOOL_SHELL_ONLY,
	.run = conflicts_handle,
};
