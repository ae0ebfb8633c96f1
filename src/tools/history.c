#include "ops/common.h"
#include "ops/history/entry_history.h"
#include "store/view/notices.h"
#include "tools/registry.h"

#define LIMIT_MAX 1000

struct history_args {
	struct slice key;
	int64_t limit;
	int diff;
};

static const struct param params[] = {
	{PARAM(TEXT, history_args, key),
	 .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING, .help = "deleted ones too"},
	{PARAM(INT, history_args, limit), .flags = PARAM_OPEN_RANGE, .min = 1, .max = LIMIT_MAX,
	 .help = "most to list", .fallback = "20"},
	{PARAM(BOOL, history_args, diff), .help = "values before and after; default: with a key"},
};

static bool history_wants_diff(const struct history_args *args)
{
	return args->diff < 0 ? args->key.ptr != NULL : args->diff == 1;
}

/* Where the past cannot be read what waits is told all the same: 0, the end; else -1. */
static int history_end_early(const struct call *call, int64_t told, const struct err *err)
{
	if (told == 0 || err->code != ERR_NO_HISTORY)
		return -1;
	notices_add(call->store, "older changes cannot be shown: %s", err->text);
	return 0;
}

/* ---- of all entries */

static void history_write_refs(struct json_writer *w, const struct told *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		STR_AUTO ref = STR_INIT;

		ref_add(&ref, items[i].category, items[i].key);
		json_write_string(w, str_slice(&ref));
	}
}

/* What no change says yet, by the names of entries and files. */
static void history_write_unrecorded(struct json_writer *w, const struct log_change *change,
				     const struct told *items, size_t count)
{
	if (count + change->file_count == 0)
		return;
	json_write_member_array(w, "unrecorded");
	history_write_refs(w, items, count);
	for (size_t i = 0; i < change->file_count; i++)
		json_write_string(w, slice_of(change->files[i]));
	json_write_end(w);
}

static int history_run_all(const struct call *call, const struct history_args *args,
			   struct json_writer *w, struct err *err)
{
	struct log_change change;
	struct telling telling;
	HISTORY_LOG_AUTO log = NULL;
	int64_t count = 0;
	int result = 1;

	if (history_log_open(&log, call->store, NULL, err) != 0 ||
	    history_log_unrecorded(log, &change, err) != 0)
		return -1;
	json_write_object(w);
	tell(&telling, &change, call->arena);
	history_write_unrecorded(w, &change, telling.items, telling.count);
	json_write_member_array(w, "changes");
	while (count < args->limit && (result = history_log_next(log, &change, err)) == 1) {
		tell(&telling, &change, call->arena);
		json_write_object(w);
		told_write_change(w, &change);
		if (history_wants_diff(args)) {
			told_write_items(w, telling.items, telling.count);
		} else {
			json_write_member_array(w, "refs");
			history_write_refs(w, telling.items, telling.count);
			json_write_end(w);
		}
		told_write_files(w, &change);
		json_write_end(w);
		count++;
	}
	if (result == 1)
		result = history_log_next(log, &change, err);
	if (result < 0)
		result = history_end_early(call, count, err);
	json_write_end(w);
	json_write_member_bool(w, "more", result == 1);
	return result < 0 ? -1 : 0;
}

/* ---- of one entry */

static int history_run_key(const struct call *call, const struct history_args *args,
			   struct json_writer *w, struct err *err)
{
	struct log_change change;
	const struct told *told;
	FOLLOW_AUTO follow = {0};
	int64_t count = 0;
	int result;

	if (follow_open(&follow, call, "key", args->key, NULL, err) != 0)
		return -1;
	result = follow_unrecorded(&follow, &change, &told, err);
	if (result < 0)
		return -1;
	json_write_object(w);
	change.file_count = 0;
	if (result == 1)
		history_write_unrecorded(w, &change, told, 1);
	json_write_member_array(w, "changes");
	while ((result = follow_next(&follow, &change, &told, err)) == 1 && count++ < args->limit) {
		json_write_object(w);
		told_write_change(w, &change);
		if (history_wants_diff(args))
			told_write_items(w, told, 1);
		else
			json_write_member_string(w, "did", slice_of(told_deed_names[told->deed]));
		json_write_end(w);
	}
	if (result < 0)
		result = history_end_early(call, count, err);
	json_write_end(w);
	json_write_member_bool(w, "more", result == 1);
	if (!follow.ref.ptr && result == 0)
		return follow_refuse(&follow, "key", err);
	json_write_member_string(w, "ref", follow.ref);
	return result < 0 ? -1 : 0;
}

static int history_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct history_args *args = arguments;

	if (common_refresh(call, err) != 0 ||
	    (args->key.ptr ? history_run_key : history_run_all)(call, args, w, err) != 0)
		return -1;
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_history = {
	.name = "memory_history",
	.command = "log",
	.title = "Show what changed",
	.section = SECTION_CHANGES,
	.summary = "Show who changed what and when, newest first.",
	TOOL_TAKES(params, history_args),
	.flags = TOOL_READ_ONLY | TOOL_LARGE_RESULT,
	.run = history_handle,
};
