#include "ops/common.h"
#include "ops/maintain/clutter.h"
#include "ops/maintain/plan_file.h"
#include "tools/registry.h"

#include <inttypes.h>

/* As enum clutter_strategy. */
static const char *const strategies[] = {"top_accessed", "stale_cleanup", "consolidate_similar",
					 NULL};

struct optimize_args {
	int strategy;
	int64_t limit;
	int dry_run;
};

static const struct param params[] = {
	{PARAM(CHOICE, optimize_args, strategy), .flags = PARAM_POSITIONAL, .choices = strategies,
	 .help = "what to look for", .fallback = "\"top_accessed\""},
	{PARAM(INT, optimize_args, limit), .flags = PARAM_OPEN_RANGE, .min = 1, .max = 100000,
	 .help = "most candidates", .fallback = "20"},
	{PARAM(BOOL, optimize_args, dry_run), .help = "only report", .fallback = "true"},
};

/* What came of it. */
struct work {
	const struct optimize_args *args;
	struct plan plan;
	struct clutter clutter;
	struct settings settings;
	struct change_result result;
};

/* ---- the reply */

static void optimize_write_results(struct json_writer *w, const struct work *work)
{
	const struct duplicates *duplicates = &work->clutter.duplicates;
	const struct plan *plan = &work->plan;
	size_t standing = plan_standing(plan);
	STR_AUTO share = STR_INIT;
	int64_t saved = 0;
	size_t gone = 0; /* entries that nobody has to look at any more */

	json_write_member_object(w, "results");
	json_write_member_int(w, "memories_analyzed", (int64_t)work->clutter.analyzed);
	json_write_member_int(w, "optimization_candidates",
			      (int64_t)(standing + duplicates->candidate_count));
	json_write_member_array(w, "actions_taken");
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];
		bool merge = step->kind == PLAN_MERGE;

		if (step->skip_code != ERR_NONE)
			continue;
		json_write_object(w);
		json_write_member_string(w, "action", slice_of(merge ? "merge" : "archive"));
		plan_write_bases(w, "memory_ids", step);
		if (merge)
			json_write_member_string(w, "new_memory_id", step->ref);
		json_write_member_string(w, "reason", step->because);
		json_write_end(w);
		saved += work->clutter.savings[i];
		gone += merge ? step->base_count - 1 : 1;
	}
	for (size_t i = 0; i < duplicates->candidate_count && (int64_t)i < work->args->limit; i++) {
		json_write_object(w);
		json_write_member_string(w, "action", slice_of("consolidation_candidate"));
		duplicates_write_candidate(w, &duplicates->candidates[i]);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_member_int(w, "space_saved_bytes", saved);
	str_printf(&share, "%.1f%%",
		   work->clutter.analyzed ? 100 * (double)gone / (double)work->clutter.analyzed
					  : 0.0);
	json_write_member_string(w, "removed_share", str_slice(&share));
	/* The specified name; nobody can know how much better recall gets. */
	json_write_member_string(w, "estimated_recall_improvement", str_slice(&share));
	if (standing < plan->count)
		plan_write_left_out(w, plan, true);
	json_write_end(w);
}

static void optimize_suggest(struct json_writer *w, size_t count, const char *one, const char *many)
{
	STR_AUTO text = STR_INIT;

	if (count == 0)
		return;
	str_printf(&text, "%zu ", count);
	str_adds(&text, count == 1 ? one : many);
	json_write_string(w, str_slice(&text));
}

/* Why a strategy has nothing to do. */
static void optimize_explain_nothing(struct json_writer *w, const struct work *work)
{
	STR_AUTO text = STR_INIT;

	if (work->plan.count + work->clutter.duplicates.candidate_count + work->clutter.kept +
		    work->clutter.holding >
	    0)
		return;
	if (work->args->strategy == CLUTTER_STALE && work->settings.expiry_days > 0 &&
	    work->settings.expiry_days <= CLUTTER_STALE_DAYS)
		str_printf(&text,
			   "nothing is stale: what is inactive for more than %" PRId64
			   " days expires by itself (limits.expiry_days)",
			   work->settings.expiry_days);
	else if (work->args->strategy == CLUTTER_TOP_ACCESSED && work->clutter.chosen == 0)
		str_printf(&text, "no memory has more than %d hits", CLUTTER_WANTED_HITS);
	else if (work->args->strategy == CLUTTER_TOP_ACCESSED)
		str_printf(&text, "%zu with more than %d hits, and none of them is like another",
			   work->clutter.chosen, CLUTTER_WANTED_HITS);
	if (text.len)
		json_write_string(w, str_slice(&text));
}

static void optimize_write_suggestions(struct json_writer *w, const struct work *work)
{
	size_t standing = plan_standing(&work->plan);

	json_write_member_array(w, "suggestions");
	if (work->args->dry_run == 1)
		optimize_suggest(w, standing, "thing can be done: run again with dry_run false",
				 "things can be done: run again with dry_run false");
	optimize_suggest(
		w, work->clutter.duplicates.candidate_count,
		"pair is alike and left to you: look at it, then name both to memory_merge",
		"pairs are alike and left to you: look at them, then name those that say the same "
		"to memory_merge");
	optimize_suggest(w, work->clutter.kept, "stale memory is protected and stays",
			 "stale memories are protected and stay");
	optimize_suggest(w, work->clutter.holding,
			 "stale memory holds and stays: it says so, or was asked for long after it "
			 "was stored",
			 "stale memories hold and stay: they say so, or were asked for long after "
			 "they were stored");
	optimize_explain_nothing(w, work);
	json_write_end(w);
}

static int optimize_handle(const struct call *call, const void *arguments, struct json_writer *w,
			   struct err *err)
{
	struct work work = {.args = arguments, .plan = PLAN_INIT};
	CHANGE_AUTO change = NULL;
	int result;

	if (common_change_begin_unless(&change, call, work.args->dry_run == 1, err) != 0 ||
	    store_settings(call->store, &work.settings, err) != 0)
		return -1;
	work.plan.unattended = true;
	clutter_plan(&work.plan, call, (enum clutter_strategy)work.args->strategy, work.args->limit,
		     &work.clutter);
	result = plan_apply(&work.plan, change, call->warning, &work.result, err);
	if (result == 0) {
		json_write_object(w);
		json_write_member_string(w, "status", slice_of("completed"));
		json_write_member_string(w, "strategy", slice_of(strategies[work.args->strategy]));
		json_write_member_bool(w, "dry_run", work.args->dry_run == 1);
		optimize_write_results(w, &work);
		optimize_write_suggestions(w, &work);
		common_write_refs(w, "evicted", work.result.evicted, work.result.evicted_count);
		common_end_reply(w, call);
	}
	plan_release(&work.plan);
	return result;
}

const struct tool tool_optimize = {
	.name = "memory_optimize",
	.command = "optimize",
	.title = "Tidy the memory",
	.section = SECTION_UPKEEP,
	.summary = "Merge or archive what clutters results.",
	TOOL_TAKES(params, optimize_args),
	.flags = TOOL_DESTRUCTIVE,
	.run = optimize_handle,
};
