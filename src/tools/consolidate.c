#include "ops/maintain/consolidate_plan.h"

#include "ops/common.h"
#include "tools/registry.h"

#include <inttypes.h>

/* One real run in this time, for each process that serves: it looks at everything. */
#define INTERVAL_MS 60000

/* Most candidates, and most refs of a list, that a reply shows; the numbers are of all. */
#define SHOWN_CANDIDATES 20
#define SHOWN_REFS 100

struct consolidate_args {
	int mode;
	struct arg_json salience_threshold;
	int64_t max_memories;
	int dry_run;
};

static const char *const mode_names[] = {"light", "deep", "rem", NULL};

static const struct param params[] = {
	{PARAM(CHOICE, consolidate_args, mode), .flags = PARAM_POSITIONAL,
	 .help = "rem finds patterns", .choices = mode_names, .fallback = "\"light\""},
	{PARAM(NUMBER, consolidate_args, salience_threshold),
	 .flags = PARAM_OPEN_RANGE | PARAM_PLAIN, .help = "what matters less is archived", .max = 1,
	 .fallback = "0.3"},
	{PARAM(INT, consolidate_args, max_memories), .flags = PARAM_OPEN_RANGE | PARAM_PLAIN,
	 .help = "least recently active first; 0: all", .max = 1000000000},
	{PARAM(BOOL, consolidate_args, dry_run), .fallback = "true"},
};

/* What came of it. */
struct outcome {
	const struct plan *plan;
	const struct consolidate_found *found;
	size_t pruned;
	size_t merged; /* entries that went into another */
	size_t linked;
	size_t saved;
	int64_t duration_ms;
};

static void count_steps(struct outcome *out)
{
	for (size_t i = 0; i < out->plan->count; i++) {
		const struct plan_step *step = &out->plan->steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		out->pruned += step->kind == PLAN_ARCHIVE;
		out->merged += step->kind == PLAN_MERGE ? step->base_count - 1 : 0;
		out->linked += step->kind == PLAN_LINK;
		out->saved += step->kind == PLAN_PUT;
	}
}

/* ---- the reply */

static void write_patterns(struct json_writer *w, const struct consolidate_found *found)
{
	json_write_name(w, slice_of("new_patterns"));
	json_write_array(w);
	for (size_t i = 0; i < found->pattern_count; i++) {
		const struct pattern *pattern = &found->patterns[i];
		STR_AUTO ref = STR_INIT;

		if (!pattern->saved)
			continue;
		ref_add(&ref, CATEGORY_PATTERNS, pattern->key);
		json_write_object(w);
		json_write_member_string(w, "pattern_id", str_slice(&ref));
		json_write_member_string(w, "description", pattern->description);
		json_write_member_int(w, "memory_count", (int64_t)pattern->count);
		json_write_name(w, slice_of("confidence"));
		json_write_fixed(w, pattern->confidence, 4);
		json_write_end(w);
	}
	json_write_end(w);
}

static void write_pruned(struct json_writer *w, const struct plan *plan)
{
	size_t shown = 0;

	json_write_name(w, slice_of("pruned"));
	json_write_array(w);
	for (size_t i = 0; i < plan->count && shown < SHOWN_REFS; i++) {
		if (plan->steps[i].skip_code != ERR_NONE || plan->steps[i].kind != PLAN_ARCHIVE)
			continue;
		json_write_string(w, plan->steps[i].ref);
		shown++;
	}
	json_write_end(w);
}

static void consolidate_write_merged(struct json_writer *w, const struct plan *plan)
{
	size_t shown = 0;

	json_write_name(w, slice_of("merged"));
	json_write_array(w);
	for (size_t i = 0; i < plan->count && shown < SHOWN_REFS; i++) {
		if (plan->steps[i].skip_code != ERR_NONE || plan->steps[i].kind != PLAN_MERGE)
			continue;
		json_write_object(w);
		json_write_member_string(w, "new_memory_id", plan->steps[i].ref);
		duplicates_write_bases(w, "memory_ids", &plan->steps[i]);
		json_write_end(w);
		shown++;
	}
	json_write_end(w);
}

static void write_candidates(struct json_writer *w, const struct duplicates *duplicates)
{
	json_write_member_int(w, "candidates_count", (int64_t)duplicates->candidate_count);
	json_write_name(w, slice_of("candidates"));
	json_write_array(w);
	for (size_t i = 0; i < duplicates->candidate_count && i < SHOWN_CANDIDATES; i++) {
		json_write_object(w);
		duplicates_write_candidate(w, &duplicates->candidates[i]);
		json_write_end(w);
	}
	json_write_end(w);
}

static void write_drift(struct json_writer *w, const struct pattern_drift *drift)
{
	if (!drift->known)
		return;
	json_write_name(w, slice_of("drift"));
	json_write_object(w);
	json_write_member_string(w, "level", slice_of(drift->level));
	json_write_name(w, slice_of("similarity"));
	json_write_fixed(w, drift->similarity, 4);
	json_write_member_int(w, "recent", (int64_t)drift->recent);
	json_write_member_int(w, "older", (int64_t)drift->older);
	json_write_end(w);
}

static void consolidate_write_reply(struct json_writer *w, const struct consolidate_args *args,
				    const struct outcome *out)
{
	size_t left = out->found->active - out->pruned - out->merged + out->saved;

	json_write_object(w);
	json_write_member_string(w, "mode", slice_of(mode_names[args->mode]));
	json_write_member_int(w, "pruned_count", (int64_t)out->pruned);
	json_write_member_int(w, "merged_count", (int64_t)out->merged);
	json_write_member_int(w, "clusters_discovered", (int64_t)out->found->clusters);
	write_patterns(w, out->found);
	json_write_member_int(w, "final_memory_count", (int64_t)left);
	json_write_member_int(w, "duration_ms", out->duration_ms);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "relations_created", (int64_t)out->linked);
	write_pruned(w, out->plan);
	consolidate_write_merged(w, out->plan);
	write_candidates(w, &out->found->duplicates);
	write_drift(w, &out->found->drift);
}

/* ---- */

/* Dry runs are free; real ones are not made one after the other by a client that forgets. */
static int check_pace(const struct call *call, const struct consolidate_args *args, struct err *err)
{
	int64_t wait_ms = store_pace_wait_ms(call->store, call->now_ms, INTERVAL_MS);

	if (args->dry_run == 1 || wait_ms == 0)
		return 0;
	return err_set(err, ERR_BUSY,
		       "there was a run less than a minute ago; try again later or with dry_run: "
		       "retry_after_ms %" PRId64,
		       wait_ms);
}

static int consolidate(const struct call *call, const struct consolidate_args *args,
		       struct change *change, struct plan *plan, struct json_writer *w,
		       struct err *err)
{
	const struct sys *sys = store_disk(call->store)->sys;
	int64_t begun_ms = sys->now_ms();
	struct consolidate_wanted wanted = {
		.mode = (enum consolidate_mode)args->mode,
		.max_memories = args->max_memories == ARG_NONE ? 0 : (size_t)args->max_memories,
	};
	struct consolidate_found found;
	struct outcome outcome = {.plan = plan, .found = &found};
	struct change_result result;

	json_double(args->salience_threshold.doc, args->salience_threshold.node,
		    &wanted.salience_threshold);
	if (consolidate_plan(plan, change, &wanted, &found, call->arena, err) != 0 ||
	    plan_apply(plan, change, &result, err) != 0)
		return -1;
	if (args->dry_run == 0)
		store_pace_mark(call->store, call->now_ms);
	count_steps(&outcome);
	outcome.duration_ms = sys->now_ms() - begun_ms;
	consolidate_write_reply(w, args, &outcome);
	common_write_refs(w, "evicted", result.evicted, result.evicted_count);
	common_end_reply(w, call);
	return 0;
}

static int consolidate_handle(const struct call *call, const void *arguments, struct json_writer *w,
			      struct err *err)
{
	const struct consolidate_args *args = arguments;
	struct plan plan = PLAN_INIT;
	struct change *change;
	int rc;

	if (check_pace(call, args, err) != 0 ||
	    common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0)
		return -1;
	rc = consolidate(call, args, change, &plan, w, err);
	plan_release(&plan);
	change_end(change);
	return rc;
}

const struct tool tool_consolidate = {
	.name = "memory_consolidate",
	.command = "consolidate",
	.title = "Consolidate the memory",
	.section = SECTION_UPKEEP,
	.summary = "Merge duplicates, archive what no longer matters; at session end, once a "
		   "minute.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct consolidate_args),
	.flags = TOOL_DESTRUCTIVE,
	.run = consolidate_handle,
};
