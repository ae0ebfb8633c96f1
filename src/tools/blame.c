#include "ops/history/blame.h"
#include "ops/common.h"
#include "tools/registry.h"

struct blame_args {
	struct slice key;
};

static const struct param params[] = {
	{PARAM(TEXT, blame_args, key), .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "a key, or category:key; an object is shown field by field; default: all"},
};

static int blame_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct blame_args *args = arguments;

	if (common_refresh(call, err) != 0)
		return -1;
	json_write_object(w);
	if (blame_write(w, call, args->key, err) != 0)
		return -1;
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_blame = {
	.name = "blame",
	.command = "blame",
	.title = "Show who set what",
	.section = SECTION_CHANGES,
	.summary = "Show who set the current value of each entry, or of each field of one entry, "
		   "when, and in which change.",
	TOOL_TAKES(params, blame_args),
	.flags = TOOL_READ_ONLY | TOOL_SHELL_ONLY,
	.run = blame_handle,
};
