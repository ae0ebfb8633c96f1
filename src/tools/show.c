#include "ops/common.h"
#include "ops/history/change_summary.h"
#include "tools/registry.h"

struct show_args {
	struct slice change;
};

static const struct param params[] = {
	{PARAM(TEXT, show_args, change),
	 .flags = PARAM_REQUIRED | PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "first digits of a change, as kota log shows them"},
};

static int show_handle(const struct call *call, const void *arguments, struct json_writer *w,
		       struct err *err)
{
	const struct show_args *args = arguments;
	struct log_change change;
	struct telling telling;
	struct object_id id;
	HISTORY_LOG_AUTO log = NULL;

	if (common_refresh(call, err) != 0 ||
	    history_log_resolve(call->store, args->change, &id, err) != 0 ||
	    history_log_open(&log, call->store, &id, err) != 0 ||
	    history_log_next(log, &change, err) != 1)
		return -1;
	tell(&telling, &change, call->arena);
	json_write_object(w);
	told_write_change(w, &change);
	told_write_items(w, telling.items, telling.count);
	told_write_files(w, &change);
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_show = {
	.name = "show",
	.command = "show",
	.title = "Show a change",
	.section = SECTION_CHANGES,
	.summary = "Show one change: who made it, when, and each entry before and after it.",
	TOOL_TAKES(params, show_args),
	.flags = TOOL_READ_ONLY | TOOL_SHELL_ONLY,
	.run = show_handle,
};
