#include "ops/history/revert_common.h"
#include "tools/registry.h"

struct undo_args {
	struct slice change;
	int force;
	int allow_secret;
};

static const struct param params[] = {
	{PARAM(TEXT, undo_args, change),
	 .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "first digits of the change; default: the last one"},
	{PARAM(BOOL, undo_args, force), .help = "also what was changed again since"},
	{PARAM(BOOL, undo_args, allow_secret), .help = "also restore what holds a secret"},
};

static int undo_handle(const struct call *call, const void *arguments, struct json_writer *w,
		       struct err *err)
{
	const struct undo_args *args = arguments;
	struct revert put;
	int result;

	if (revert_begin(&put, &tool_undo, call, args->force == 1, args->allow_secret == 1, err) !=
	    0)
		return -1;
	result = revert_change(&put, args->change, err);
	if (result == 0)
		result = revert_finish(&put, w, err);
	revert_end(&put);
	return result;
}

const struct tool tool_undo = {
	.name = "undo",
	.command = "undo",
	.title = "Undo a change",
	.section = SECTION_CHANGES,
	.summary = "Undo everything a change did; undoing an undo does it again.",
	TOOL_TAKES(params, undo_args),
	.flags = TOOL_SHELL_ONLY,
	.run = undo_handle,
};
