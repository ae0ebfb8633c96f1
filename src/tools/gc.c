#include "ops/common.h"
#include "ops/maintain/fading.h"
#include "tools/registry.h"

struct gc_args {
	int dry_run;
	int archive_instead;
	int64_t limit;
};

static const struct param params[] = {
	{PARAM(BOOL, gc_args, dry_run), .fallback = "true"},
	{PARAM(BOOL, gc_args, archive_instead), .fallback = "true"},
	{PARAM(INT, gc_args, limit), .flags = PARAM_OPEN_RANGE, .min = 1, .max = 1e9},
};

static void add_message(struct str *out, bool dry_run, size_t count, size_t kept,
			const struct settings *settings)
{
	str_printf(out, "%s %zu faded %s (score below %g)", dry_run ? "Would archive" : "Archived",
		   count, count == 1 ? "memory" : "memories", settings->forget_threshold);
	if (kept > 0)
		str_printf(out, "; %zu more %s faded and protected", kept,
			   kept == 1 ? "is" : "are");
}

static void gc_write_counts(struct json_writer *w, const struct plan *plan, const double *scores)
{
	size_t count = plan_standing(plan);
	double sum = 0;

	for (size_t i = 0; i < plan->count; i++)
		sum += plan->steps[i].skip_code == ERR_NONE ? scores[i] : 0;
	/* Nothing is ever removed. */
	json_write_member_int(w, "removed_count", 0);
	json_write_member_int(w, "archived_count", (int64_t)count);
	json_write_name(w, slice_of("freed_score_sum"));
	json_write_fixed(w, sum, 4);
	json_write_name(w, slice_of("memory_ids"));
	json_write_array(w);
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->steps[i].skip_code == ERR_NONE)
			json_write_string(w, plan->steps[i].ref);
	}
	json_write_end(w);
	json_write_member_int(w, "total_affected", (int64_t)count);
}

static int gc_collect(struct change *change, const struct call *call, const struct gc_args *args,
		      struct plan *plan, struct json_writer *w, struct err *err)
{
	int64_t limit = args->limit == ARG_NONE ? FADING_ALL : args->limit;
	struct change_result result;
	struct settings settings;
	struct fading_found found;
	STR_AUTO message = STR_INIT;

	plan->unattended = true;
	if (store_settings(call->store, &settings, err) != 0 ||
	    fading_plan(plan, change, limit, &found, err) != 0 ||
	    plan_apply(plan, change, &result, err) != 0)
		return -1;
	add_message(&message, args->dry_run == 1, plan_standing(plan), found.kept, &settings);
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	gc_write_counts(w, plan, found.scores);
	json_write_member_string(w, "message", str_slice(&message));
	common_end_change(w, call, &result);
	return 0;
}

static int gc_handle(const struct call *call, const void *arguments, struct json_writer *w,
		     struct err *err)
{
	const struct gc_args *args = arguments;
	struct plan plan = PLAN_INIT;
	struct change *change;
	int rc;

	if (args->archive_instead == 0)
		return err_set(err, ERR_BAD_VALUE,
			       "archive_instead: what has faded is archived, never destroyed; only "
			       "the person can destroy an entry, with kota purge");
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0)
		return -1;
	rc = gc_collect(change, call, args, &plan, w, err);
	change_end(change);
	plan_release(&plan);
	return rc;
}

const struct tool tool_gc = {
	.name = "memory_gc",
	.command = "gc",
	.title = "Archive what has faded",
	.section = SECTION_UPKEEP,
	.summary = "Archive what has faded.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct gc_args),
	.flags = TOOL_DESTRUCTIVE | TOOL_IDEMPOTENT,
	.output_schema = "{\"type\":\"object\",\"properties\":{\"success\":" SCHEMA_BOOLEAN
			 ",\"dry_run\":" SCHEMA_BOOLEAN ",\"removed_count\":" SCHEMA_INTEGER
			 ",\"archived_count\":" SCHEMA_INTEGER ",\"freed_score_sum\":" SCHEMA_NUMBER
			 ",\"memory_ids\":" SCHEMA_STRINGS ",\"total_affected\":" SCHEMA_INTEGER
			 ",\"message\":" SCHEMA_STRING "," SCHEMA_EVICTED "," SCHEMA_WARNINGS
			 "},\"required\":[\"success\",\"dry_run\",\"archived_count\","
			 "\"memory_ids\",\"message\"]}",
	.run = gc_handle,
};
