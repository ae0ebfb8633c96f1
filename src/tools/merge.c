#include "ops/maintain/merge_groups.h"
#include "tools/registry.h"

static const char *const keep_names[] = {
	"combine", "higher_confidence", "higher_access", "first", "second", NULL};

static const struct param params[] = {
	{PARAM(TEXTS, merge_args, refs), .flags = PARAM_POSITIONAL | PARAM_EXISTING | PARAM_PLAIN,
	 .help = "two or more"},
	{PARAM(BOOL, merge_args, auto_detect), .flags = PARAM_PLAIN,
	 .help = "find groups; only what surely says the same is merged"},
	{PARAM(NUMBER, merge_args, cohesion_threshold), .flags = PARAM_OPEN_RANGE, .max = 1,
	 .fallback = "0.75"},
	{PARAM(CHOICE, merge_args, keep), .choices = keep_names, .fallback = "\"combine\""},
	{PARAM(CHOICE, merge_args, mode), .choices = merge_mode_names, .fallback = "\"preview\""},
};

static int check_args(const struct merge_args *args, struct err *err)
{
	if (args->refs.given && args->auto_detect == 1)
		return err_set(err, ERR_BAD_VALUE,
			       "refs: auto_detect looks for entries itself; give one of them");
	if (!args->refs.given && args->auto_detect != 1)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "refs: missing; give two or more, or auto_detect true");
	if (args->refs.given && args->refs.count < 2 && !merge_names_group(args))
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; give two or more", args->refs.count);
	if (args->refs.count > MERGE_REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       args->refs.count, MERGE_REFS_MAX);
	return 0;
}

static int merge_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct merge_args *args = arguments;
	CHANGE_AUTO change = NULL;

	if (check_args(args, err) != 0 ||
	    common_change_begin_unless(&change, call, args->mode == MERGE_PREVIEW, err) != 0)
		return -1;
	return merge_run(call, args, change, w, err);
}

const struct tool tool_merge = {
	.name = "memory_merge",
	.command = "merge",
	.title = "Merge memories",
	.section = SECTION_UPKEEP,
	.summary = "Merge memories that say the same, or link them. Preview first.",
	TOOL_TAKES(params, merge_args),
	.flags = TOOL_DESTRUCTIVE,
	.run = merge_handle,
};
