#include "store/upkeep/compact.h"

#include "ops/common.h"
#include "tools/registry.h"

static void compact_write_part(struct json_writer *w, const char *name,
			       const struct compact_part *part, const char *removed)
{
	json_write_member_object(w, name);
	json_write_member_int(w, "bytes_before", part->before);
	json_write_member_int(w, "bytes_after", part->after);
	if (removed)
		json_write_member_int(w, removed, part->removed);
	json_write_end(w);
}

static void compact_write_reply(const struct call *call, const struct compact_report *report,
				struct json_writer *w)
{
	int64_t before = report->usage.before + report->cold.before + report->history.before;
	int64_t after = report->usage.after + report->cold.after + report->history.after;

	json_write_object(w);
	json_write_member_int(w, "bytes_before", before);
	json_write_member_int(w, "bytes_after", after);
	json_write_member_int(w, "space_saved_bytes", before - after);
	compact_write_part(w, "usage", &report->usage, NULL);
	compact_write_part(w, "cold", &report->cold, "lines_removed");
	compact_write_part(w, "history", &report->history, "objects_packed");
	if (report->history_why.code != ERR_NONE)
		json_write_member_string(w, "history_left", slice_of(report->history_why.text));
	common_end_reply(w, call);
}

static int compact_handle(const struct call *call, const void *arguments, struct json_writer *w,
			  struct err *err)
{
	const struct change_meta meta = common_meta(call);
	struct compact_report report;

	(void)arguments;
	if (common_refresh(call, err) != 0 ||
	    compact_run(call->store, &meta, call->now_ms, &report, err) != 0)
		return -1;
	compact_write_reply(call, &report, w);
	return 0;
}

const struct tool tool_compact = {
	.name = "compact",
	.command = "compact",
	.title = "Make the store smaller",
	.section = SECTION_UPKEEP,
	.summary = "Shrink the files that only grow: usage.jsonl, the cold archive (where a line "
		   "stands twice) and the loose objects of the store's own history. Nothing that "
		   "can be brought back is lost. Reports the bytes before and after; for the "
		   "history, its space on disk.",
	.flags = TOOL_SHELL_ONLY | TOOL_IDEMPOTENT,
	.run = compact_handle,
};
