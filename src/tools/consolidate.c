#include "ops/maintain/consolidate.h"
#include "ops/common.h"
#include "ops/maintain/plan_file.h"
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
	int save;
};

static const char *const mode_names[] = {"light", "deep", "rem", NULL};

static const struct param params[] = {
	{PARAM(CHOICE, consolidate_args, mode), .flags = PARAM_POSITIONAL,
	 .help = "rem also looks for patterns", .choices = mode_names, .fallback = "\"light\""},
	{PARAM(NUMBER, consolidate_args, salience_threshold), .flags = PARAM_OPEN_RANGE,
	 .help = "archive what is below, 0 to 1", .max = 1, .fallback = "0.3"},
	{PARAM(INT, consolidate_args, max_memories), .flags = PARAM_OPEN_RANGE, .help = "0: all",
	 .max = 1000000000},
	{PARAM(BOOL, consolidate_args, dry_run), .help = "only report", .fallback = "true"},
	{PARAM(BOOL, consolidate_args, save), .help = "the patterns"},
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

static void consolidate_count_steps(struct outcome *out)
{
	for (size_t i = 0; i < out->plan->count; i++) {
		const struct plan_step *step = &out->plan->steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		out->pruned += step->kind == PLAN_ARCHIVE;
		out->merged += step->kind == PLAN_MERGE ? step->base_count - 1 : 0;
		out->linked += step->kind == PLAN_LINK;
		out->saved += step->kind == PLAN_PUT && !step->bases[0].digest;
	}
}

/* ---- the reply */

static void consolidate_write_patterns(struct json_writer *w, const struct patterns *patterns,
				       struct arena *arena)
{
	static const struct {
		const char *name;
		enum recurring_role role;
	} shared[] = {{"words", RECURRING_WORD},
		      {"names", RECURRING_NAME},
		      {"after", RECURRING_CAUSE},
		      {"done", RECURRING_REMEDY}};

	json_write_member_array(w, "new_patterns");
	for (size_t i = 0; i < patterns->count; i++) {
		const struct pattern *pattern = &patterns->list[i];

		json_write_object(w);
		json_write_member_string(w, "pattern_id",
					 common_ref(arena, CATEGORY_PATTERNS, pattern->key));
		json_write_member_string(w, "description", pattern->description);
		json_write_member_int(w, "memory_count", (int64_t)pattern->count);
		common_write_score(w, "confidence", pattern->confidence);
		common_write_time(w, "since", pattern->since_ms);
		common_write_time(w, "until", pattern->until_ms);
		for (size_t s = 0; s < sizeof shared / sizeof *shared; s++) {
			struct slice *words;
			size_t count = pattern_words(pattern, shared[s].role, arena, &words);

			common_write_refs(w, shared[s].name, words, count);
		}
		common_write_texts(w, "members", pattern->members, pattern->count);
		json_write_member_bool(w, "saved", pattern->saved);
		json_write_end(w);
	}
	json_write_end(w);
}

static void consolidate_write_merged(struct json_writer *w, const struct plan *plan)
{
	size_t shown = 0;

	json_write_member_array(w, "merged");
	for (size_t i = 0; i < plan->count && shown < SHOWN_REFS; i++) {
		if (plan->steps[i].skip_code != ERR_NONE || plan->steps[i].kind != PLAN_MERGE)
			continue;
		json_write_object(w);
		json_write_member_string(w, "new_memory_id", plan->steps[i].ref);
		plan_write_bases(w, "memory_ids", &plan->steps[i]);
		json_write_end(w);
		shown++;
	}
	json_write_end(w);
}

static void consolidate_write_subjects(struct json_writer *w, const char *name,
				       const struct drift_subject *list, size_t count)
{
	if (!count)
		return;
	json_write_member_array(w, name);
	for (size_t i = 0; i < count; i++) {
		json_write_object(w);
		json_write_member_string(w, "subject", list[i].word);
		json_write_member_int(w, "recent", (int64_t)list[i].recent);
		json_write_member_int(w, "older", (int64_t)list[i].older);
		json_write_end(w);
	}
	json_write_end(w);
}

static void consolidate_write_drift(struct json_writer *w, const struct pattern_drift *drift)
{
	if (!drift->known)
		return;
	json_write_member_object(w, "drift");
	json_write_member_string(w, "level", slice_of(drift->level));
	common_write_score(w, "similarity", drift->similarity);
	json_write_member_int(w, "recent", (int64_t)drift->recent);
	json_write_member_int(w, "older", (int64_t)drift->older);
	consolidate_write_subjects(w, "came", drift->came, drift->came_count);
	consolidate_write_subjects(w, "went", drift->went, drift->went_count);
	json_write_end(w);
}

static void consolidate_write_reply(struct json_writer *w, const struct consolidate_args *args,
				    const struct outcome *out, struct arena *arena)
{
	size_t left = out->found->active - out->pruned - out->merged + out->saved;

	json_write_object(w);
	json_write_member_string(w, "mode", slice_of(mode_names[args->mode]));
	json_write_member_int(w, "pruned_count", (int64_t)out->pruned);
	json_write_member_int(w, "merged_count", (int64_t)out->merged);
	json_write_member_int(w, "clusters_discovered", (int64_t)out->found->clusters);
	consolidate_write_patterns(w, &out->found->patterns, arena);
	json_write_member_int(w, "final_memory_count", (int64_t)left);
	json_write_member_int(w, "duration_ms", out->duration_ms);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "relations_created", (int64_t)out->linked);
	plan_write_refs(w, "pruned", out->plan, PLAN_ARCHIVE, SHOWN_REFS);
	consolidate_write_merged(w, out->plan);
	json_write_member_int(w, "candidates_count",
			      (int64_t)out->found->duplicates.candidate_count);
	duplicates_write_candidates(w, &out->found->duplicates, SHOWN_CANDIDATES);
	consolidate_write_drift(w, &out->found->patterns.drift);
}

static int consolidate_handle(const struct call *call, const void *arguments, struct json_writer *w,
			      struct err *err)
{
	const struct consolidate_args *args = arguments;
	const struct sys *sys = store_disk(call->store)->sys;
	int64_t wait_ms = store_pace_wait_ms(call->store, call->now_ms, INTERVAL_MS);
	int64_t begun_ms = sys->now_ms();
	struct consolidate_wanted wanted = {
		.mode = (enum consolidate_mode)args->mode,
		.max_memories = args->max_memories == ARG_NONE ? 0 : (size_t)args->max_memories,
		.save = args->save == 1,
	};
	CHANGE_AUTO change = NULL;
	PLAN_AUTO plan = PLAN_INIT;
	struct consolidate_found found;
	struct outcome outcome = {.plan = &plan, .found = &found};
	struct change_result result;

	/* Dry runs are free; real ones are not made one after the other by a client that forgets.
	 */
	if (args->dry_run != 1 && wait_ms != 0)
		return err_set(err, ERR_BUSY,
			       "the last run was less than a minute ago; try again later or with "
			       "dry_run: retry_after_ms %" PRId64,
			       wait_ms);
	json_double(args->salience_threshold.doc, args->salience_threshold.node,
		    &wanted.salience_threshold);
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0 ||
	    consolidate_plan(&plan, change, &wanted, &found, call->arena, err) != 0 ||
	    plan_apply(&plan, change, call->warning, &result, err) != 0)
		return -1;
	if (args->dry_run == 0)
		store_pace_mark(call->store, call->now_ms);
	consolidate_count_steps(&outcome);
	outcome.duration_ms = sys->now_ms() - begun_ms;
	consolidate_write_reply(w, args, &outcome, call->arena);
	common_write_refs(w, "evicted", result.evicted, result.evicted_count);
	common_end_reply(w, call);
	return 0;
}

const struct tool tool_consolidate = {
	.name = "memory_consolidate",
	.command = "consolidate",
	.title = "Consolidate the memory",
	.section = SECTION_UPKEEP,
	.summary = "Merge duplicates and archive what no longer matters; at session end.",
	TOOL_TAKES(params, consolidate_args),
	.flags = TOOL_DESTRUCTIVE,
	.run = consolidate_handle,
};
