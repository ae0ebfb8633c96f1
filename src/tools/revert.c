#include "ops/history/revert_common.h"
#include "tools/registry.h"

struct revert_args {
	struct slice key;
	struct slice to;
	struct slice change;
	int force;
	int allow_secret;
};

static const struct param params[] = {
	{PARAM(TEXT, revert_args, key),
	 .flags = PARAM_NOT_BLANK | PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "undo its last change, without `to`"},
	{PARAM(TEXT, revert_args, to), .flags = PARAM_NOT_BLANK | PARAM_EXISTING,
	 .help = "change after which it was right"},
	{PARAM(TEXT, revert_args, change), .flags = PARAM_NOT_BLANK | PARAM_EXISTING,
	 .help = "or a change to undo"},
	{PARAM(BOOL, revert_args, force), .flags = PARAM_SHELL_ONLY,
	 .help = "also over later changes"},
	{PARAM(BOOL, revert_args, allow_secret), .flags = PARAM_SHELL_ONLY,
	 .help = "also restore what holds a secret"},
};

static int revert_check(const struct revert_args *args, struct err *err)
{
	if (args->key.ptr && args->change.ptr)
		return err_set(err, ERR_BAD_VALUE,
			       "change: undoes a whole change; give it alone, or give key with to");
	if (args->to.ptr && !args->key.ptr)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "key: missing; to needs the key to revert");
	if (!args->key.ptr && !args->change.ptr)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "key: missing; give a key to revert, or a change to undo");
	return 0;
}

static int revert_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	const struct revert_args *args = arguments;
	struct revert put;
	int result;

	if (revert_check(args, err) != 0 || revert_begin(&put, &tool_revert, call, args->force == 1,
							 args->allow_secret == 1, err) != 0)
		return -1;
	result = args->change.ptr ? revert_change(&put, args->change, err)
				  : revert_key(&put, args->key, args->to, err);
	if (result == 0)
		result = revert_finish(&put, w, err);
	revert_end(&put);
	return result;
}

const struct tool tool_revert = {
	.name = "memory_revert",
	.command = "revert",
	.title = "Revert a memory",
	.section = SECTION_CHANGES,
	.summary = "Revert a key to an earlier value, or undo a whole change.",
	TOOL_TAKES(params, revert_args),
	.flags = TOOL_DESTRUCTIVE,
	.output_schema = "{\"type\":\"object\",\"properties\":{\"change\":" SCHEMA_STRING
			 ",\"subject\":" SCHEMA_STRING ",\"restored\":" SCHEMA_STRINGS
			 ",\"removed\":" SCHEMA_STRINGS ",\"left\":" SCHEMA_STRINGS
			 "," SCHEMA_EVICTED "," SCHEMA_WARNINGS
			 "},\"required\":[\"restored\",\"removed\"]}",
	.run = revert_handle,
};
