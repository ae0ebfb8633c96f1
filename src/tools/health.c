#include "ops/health.h"
#include "tools/registry.h"

/* What has no default here: the summary, the similarity of the check, all entries. Each default in
   the schema costs every session. */
static const struct param params[] = {
	{PARAM(CHOICE, health_args, check), .flags = PARAM_POSITIONAL, .help = "default: summary",
	 .choices = health_check_names},
	{PARAM(INT, health_args, days_unused), .flags = PARAM_OPEN_RANGE, .min = 0, .max = 36500,
	 .help = "stale: days without use", .fallback = "30"},
	{PARAM(INT, health_args, max_access_count), .flags = PARAM_OPEN_RANGE, .min = 0, .max = 1e9,
	 .help = "low_access: most hits", .fallback = "2"},
	{PARAM(INT, health_args, min_age_days), .flags = PARAM_OPEN_RANGE, .min = 0, .max = 36500,
	 .help = "low_access: least age", .fallback = "7"},
	{PARAM(INT, health_args, limit), .flags = PARAM_OPEN_RANGE, .min = 1, .max = 10000,
	 .help = "most to list", .fallback = "20"},
	{PARAM(NUMBER, health_args, threshold), .flags = PARAM_OPEN_RANGE,
	 .help = "duplicates, clusters: least similarity, 0 to 1", .min = 0, .max = 1},
	{PARAM(INT, health_args, sample_size), .flags = PARAM_OPEN_RANGE,
	 .help = "duplicates, clusters: how many of the newest", .min = 0, .max = 1e9},
	{PARAM(NUMBER, health_args, min_confidence), .flags = PARAM_OPEN_RANGE,
	 .help = "only what is less sure", .min = 0, .max = 1},
};

static int health_handle(const struct call *call, const void *arguments, struct json_writer *w,
			 struct err *err)
{
	return health_run(call, arguments, w, err);
}

const struct tool tool_health = {
	.name = "memory_health",
	.command = "health",
	.title = "Check the memory",
	.section = SECTION_UPKEEP,
	.summary = "List what needs care: stale, unused and fading entries, duplicates.",
	TOOL_TAKES(params, health_args),
	.flags = TOOL_READ_ONLY | TOOL_IDEMPOTENT | TOOL_LARGE_RESULT,
	.run = health_handle,
};
