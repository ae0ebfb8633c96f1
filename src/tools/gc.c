#include "ops/common.h"
#include "ops/maintain/fading.h"
#include "ops/maintain/plan_file.h"
#include "tools/registry.h"

struct gc_args {
	int dry_run;
	int archive_instead;
	int64_t limit;
};

static const struct param params[] = {
	{PARAM(BOOL, gc_args, dry_run), .help = "only report", .fallback = "true"},
	{PARAM(BOOL, gc_args, archive_instead), .help = "must be true", .fallback = "true"},
	{PARAM(INT, gc_args, limit), .flags = PARAM_OPEN_RANGE, .min = 1, .max = 1e9,
	 .help = "most to archive"},
};

static void gc_write_reply(struct json_writer *w, bool dry_run, const struct plan *plan,
			   const struct fading_found *found, const struct settings *settings)
{
	size_t count = plan_standing(plan);
	STR_AUTO message = STR_INIT;
	double sum = 0;

	for (size_t i = 0; i < plan->count; i++)
		sum += plan->steps[i].skip_code == ERR_NONE ? found->scores[i] : 0;
	str_printf(&message, "%s %zu faded %s (score below %g)",
		   dry_run ? "Would archive" : "Archived", count,
		   count == 1 ? "memory" : "memories", settings->forget_threshold);
	if (count < plan->count)
		str_printf(&message, "; %zu more %s due and left out", plan->count - count,
			   plan->count - count == 1 ? "is" : "are");
	if (found->kept > 0)
		str_printf(&message, "; %zu more %s faded and protected", found->kept,
			   found->kept == 1 ? "is" : "are");
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_bool(w, "dry_run", dry_run);
	/* Nothing is ever removed. */
	json_write_member_int(w, "removed_count", 0);
	json_write_member_int(w, "archived_count", (int64_t)count);
	common_write_score(w, "freed_score_sum", sum);
	plan_write_refs(w, "memory_ids", plan, PLAN_ARCHIVE, SIZE_MAX);
	json_write_member_int(w, "total_affected", (int64_t)count);
	if (count < plan->count)
		plan_write_left_out(w, plan, false);
	json_write_member_string(w, "message", str_slice(&message));
}

static int gc_handle(const struct call *call, const void *arguments, struct json_writer *w,
		     struct err *err)
{
	const struct gc_args *args = arguments;
	int64_t limit = args->limit == ARG_NONE ? FADING_ALL : args->limit;
	CHANGE_AUTO change = NULL;
	PLAN_AUTO plan = PLAN_INIT;
	struct change_result result;
	struct fading_found found;
	struct settings settings;

	if (args->archive_instead == 0)
		return err_set(err, ERR_BAD_VALUE,
			       "archive_instead: what has faded is archived, never destroyed; only "
			       "the user can destroy an entry, with kota purge");
	plan.unattended = true;
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0 ||
	    store_settings(call->store, &settings, err) != 0 ||
	    fading_plan(&plan, change, limit, &found, err) != 0 ||
	    plan_apply(&plan, change, call->warning, &result, err) != 0)
		return -1;
	gc_write_reply(w, args->dry_run == 1, &plan, &found, &settings);
	common_end_change(w, call, &result);
	return 0;
}

const struct tool tool_gc = {
	.name = "memory_gc",
	.command = "gc",
	.title = "Archive what has faded",
	.section = SECTION_UPKEEP,
	.summary = "Archive what has faded.",
	TOOL_TAKES(params, gc_args),
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.output_schema = "{\"type\":\"object\",\"properties\":{\"success\":" SCHEMA_BOOLEAN
			 ",\"dry_run\":" SCHEMA_BOOLEAN ",\"removed_count\":" SCHEMA_INTEGER
			 ",\"archived_count\":" SCHEMA_INTEGER ",\"freed_score_sum\":" SCHEMA_NUMBER
			 ",\"memory_ids\":" SCHEMA_STRINGS ",\"total_affected\":" SCHEMA_INTEGER
			 ",\"left_out\":{\"type\":\"array\"}"
			 ",\"message\":" SCHEMA_STRING "," SCHEMA_EVICTED "," SCHEMA_WARNINGS
			 "},\"required\":[\"success\",\"dry_run\",\"archived_count\","
			 "\"memory_ids\",\"message\"]}",
	.run = gc_handle,
};
