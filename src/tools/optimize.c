#include "ops/common.h"
#include "ops/maintain/duplicates.h"
#include "ops/maintain/plan_file.h"
#include "tools/registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Hits above which an entry counts as often wanted. */
#define WANTED_HITS 5

/* Likeness of the words of two values that are shown as near duplicates. */
#define LIKENESS 0.70

/* Days after which an entry is old enough to be put together with another, and stale. */
#define SETTLED_DAYS 30
#define STALE_DAYS 90

enum strategy { TOP_ACCESSED, STALE_CLEANUP, CONSOLIDATE_SIMILAR };

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

struct work {
	const struct call *call;
	const struct optimize_args *args;
	struct plan plan;
	struct facts *facts; /* of the entries that the strategy is about */
	size_t count;
	size_t analyzed; /* all active entries */
	size_t kept;     /* stale ones that are protected */
	size_t holding;  /* stale ones that hold, by what they say or by who asked for them */
	int64_t expiry_days;
	struct duplicates duplicates;
	size_t candidates;      /* that are shown */
	const int64_t *savings; /* of each step */
	struct change_result result;
};

/* ---- which entries */

static bool optimize_concerns(enum strategy strategy, const struct facts *facts)
{
	switch (strategy) {
	case TOP_ACCESSED:
		return facts->item->hits > WANTED_HITS;
	case STALE_CLEANUP:
		return facts->idle_days >= STALE_DAYS;
	case CONSOLIDATE_SIMILAR:
		break;
	}
	return facts->item->hits <= WANTED_HITS && facts->age_days > SETTLED_DAYS;
}

/* What somebody still asked for a month after it was stored is no note of the day. */
static bool optimize_was_wanted_late(const struct item *item)
{
	int64_t asked_ms = time_later(item->accessed_ms, item->used_ms);

	return asked_ms != TIME_NONE &&
	       asked_ms - item->created_ms > (int64_t)SETTLED_DAYS * MS_PER_DAY;
}

/* Most hits first; of equal ones the one that stands first, as below. */
static int optimize_compare_hits(const void *a, const void *b)
{
	const struct item *first = ((const struct facts *)a)->item;
	const struct item *second = ((const struct facts *)b)->item;

	if (first->hits != second->hits)
		return first->hits > second->hits ? -1 : 1;
	return (first > second) - (first < second);
}

static void optimize_choose(struct work *work)
{
	enum strategy strategy = (enum strategy)work->args->strategy;

	work->facts = facts_read_all(work->call->store, work->call->now_ms, work->call->arena,
				     &work->analyzed);
	for (size_t i = 0; i < work->analyzed; i++) {
		if (!optimize_concerns(strategy, &work->facts[i]))
			continue;
		if (strategy == STALE_CLEANUP && work->facts[i].kept != PROTECTION_NONE)
			work->kept++;
		else if (strategy == STALE_CLEANUP &&
			 (work->facts[i].holds || optimize_was_wanted_late(work->facts[i].item)))
			work->holding++;
		else
			work->facts[work->count++] = work->facts[i];
	}
	if (work->count > 1)
		qsort(work->facts, work->count, sizeof *work->facts,
		      strategy == TOP_ACCESSED ? optimize_compare_hits : facts_compare_idle);
	if ((int64_t)work->count > work->args->limit)
		work->count = (size_t)work->args->limit;
	for (size_t i = 0; i < work->count; i++)
		facts_hold(&work->facts[i], work->call->arena);
}

/* ---- what becomes of them */

static void optimize_plan_stale(struct work *work)
{
	for (size_t i = 0; i < work->count; i++)
		plan_because(&work->plan,
			     plan_archive(&work->plan, work->facts[i].item, REASON_STALE),
			     "not active for %.0f days", floor(work->facts[i].idle_days));
}

static void optimize_plan_similar(struct work *work)
{
	duplicates_find(&work->duplicates, work->facts, work->count, LIKENESS, work->call->progress,
			work->call->arena);
	duplicates_plan(&work->duplicates, &work->plan, 0, work->call->arena);
	work->candidates = work->duplicates.candidate_count;
	if ((int64_t)work->candidates > work->args->limit)
		work->candidates = (size_t)work->args->limit;
}

/* ---- the reply */

static void optimize_write_actions(struct json_writer *w, const struct work *work)
{
	json_write_member_array(w, "actions_taken");
	for (size_t i = 0; i < work->plan.count; i++) {
		const struct plan_step *step = &work->plan.steps[i];
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
	}
	for (size_t i = 0; i < work->candidates; i++) {
		json_write_object(w);
		json_write_member_string(w, "action", slice_of("consolidation_candidate"));
		duplicates_write_candidate(w, &work->duplicates.candidates[i]);
		json_write_end(w);
	}
	json_write_end(w);
}

static void optimize_write_results(struct json_writer *w, const struct work *work)
{
	const struct plan *plan = &work->plan;
	size_t standing = plan_standing(plan);
	STR_AUTO share = STR_INIT;
	int64_t saved = 0;
	size_t gone = 0; /* entries that nobody has to look at any more */

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		saved += work->savings[i];
		gone += step->kind == PLAN_MERGE ? step->base_count - 1 : 1;
	}
	json_write_member_object(w, "results");
	json_write_member_int(w, "memories_analyzed", (int64_t)work->analyzed);
	json_write_member_int(w, "optimization_candidates",
			      (int64_t)(standing + work->duplicates.candidate_count));
	optimize_write_actions(w, work);
	json_write_member_int(w, "space_saved_bytes", saved);
	str_printf(&share, "%.1f%%",
		   work->analyzed ? 100 * (double)gone / (double)work->analyzed : 0.0);
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

	if (work->plan.count + work->duplicates.candidate_count + work->kept + work->holding > 0)
		return;
	if (work->args->strategy == STALE_CLEANUP && work->expiry_days > 0 &&
	    work->expiry_days <= STALE_DAYS)
		str_printf(&text,
			   "nothing is stale: what is inactive for more than %" PRId64
			   " days expires by itself (limits.expiry_days)",
			   work->expiry_days);
	else if (work->args->strategy == TOP_ACCESSED && work->count == 0)
		str_printf(&text, "no memory has more than %d hits", WANTED_HITS);
	else if (work->args->strategy == TOP_ACCESSED)
		str_printf(&text, "%zu with more than %d hits, and none of them is like another",
			   work->count, WANTED_HITS);
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
		w, work->duplicates.candidate_count,
		"pair is alike and left to you: look at it, then name both to memory_merge",
		"pairs are alike and left to you: look at them, then name those that say the same "
		"to memory_merge");
	optimize_suggest(w, work->kept, "stale memory is protected and stays",
			 "stale memories are protected and stay");
	optimize_suggest(w, work->holding,
			 "stale memory holds and stays: it says so, or was asked for long after it "
			 "was stored",
			 "stale memories hold and stay: they say so, or were asked for long after "
			 "they were stored");
	optimize_explain_nothing(w, work);
	json_write_end(w);
}

static void optimize_write_reply(struct json_writer *w, const struct work *work)
{
	json_write_object(w);
	json_write_member_string(w, "status", slice_of("completed"));
	json_write_member_string(w, "strategy", slice_of(strategies[work->args->strategy]));
	json_write_member_bool(w, "dry_run", work->args->dry_run == 1);
	optimize_write_results(w, work);
	optimize_write_suggestions(w, work);
	common_write_refs(w, "evicted", work->result.evicted, work->result.evicted_count);
	common_end_reply(w, work->call);
}

/* Bytes that each step of the plan takes out of the category files; to be asked before it is
 * applied. In the arena. */
static const int64_t *optimize_savings(const struct plan *plan, const struct store *store,
				       struct arena *arena)
{
	int64_t *savings = arena_alloc(arena, (plan->count + 1) * sizeof *savings);

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_step *step = &plan->steps[i];

		savings[i] = -(int64_t)step->text.len;
		for (size_t k = 0; k < step->base_count; k++) {
			const struct item *item = store_find_ref(store, step->bases[k].ref);

			if (item && (k == 0 || step->kind == PLAN_MERGE))
				savings[i] += (int64_t)item->entry.text.len;
		}
	}
	return savings;
}

static int optimize_handle(const struct call *call, const void *arguments, struct json_writer *w,
			   struct err *err)
{
	struct work work = {.call = call, .args = arguments, .plan = PLAN_INIT};
	CHANGE_AUTO change = NULL;
	struct settings settings;
	int rc;

	if (common_change_begin_unless(&change, call, work.args->dry_run == 1, err) != 0)
		return -1;
	if (store_settings(call->store, &settings, err) != 0)
		return -1;
	work.expiry_days = settings.expiry_days;
	work.plan.unattended = true;
	optimize_choose(&work);
	(work.args->strategy == STALE_CLEANUP ? optimize_plan_stale : optimize_plan_similar)(&work);
	work.savings = optimize_savings(&work.plan, call->store, call->arena);
	rc = plan_apply(&work.plan, change, call->warning, &work.result, err);
	if (rc == 0)
		optimize_write_reply(w, &work);
	plan_release(&work.plan);
	return rc;
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
