#include "base/map.h"
#include "base/utf8.h"
#include "ops/common.h"
#include "ops/entry_stats.h"
#include "ops/maintain/discover_relations.h"
#include "ops/maintain/duplicates.h"
#include "ops/maintain/fading.h"
#include "ops/maintain/plan.h"
#include "ops/maintain/plan_file.h"
#include "ops/maintain/promotion.h"
#include "ops/similar_text.h"
#include "similarity/cluster.h"
#include "store/open/store.h"
#include "store/upkeep/maintained.h"
#include "tools/registry.h"

#include <inttypes.h>

/*
 * All steps are planned on one view of the store, into one plan, and tried together in a rehearsal:
 * that is the dry run. The real run carries out the steps that stood there, each as a change of its
 * own.
 */

enum maintain_step {
	MAINTAIN_DECAY,
	MAINTAIN_CLUSTER,
	MAINTAIN_MERGE,
	MAINTAIN_PROMOTE,
	MAINTAIN_RELATIONS,
	MAINTAIN_STEP_COUNT
};

struct maintenance {
	const struct call *call;
	struct change *change; /* what is planned on: a rehearsal */
	struct settings settings;
	struct plan plan;
	size_t from[MAINTAIN_STEP_COUNT]; /* steps of the plan: from .. end */
	size_t end[MAINTAIN_STEP_COUNT];
	/* What it found, a JSON object; empty: not asked for. */
	struct str found[MAINTAIN_STEP_COUNT];
};

/* Entries of a list that nobody acts upon: at most so many are written, with the number of all. */
#define MAINTAIN_LISTED_MAX 20

/* From how alike two texts are they are looked at. */
#define MERGE_LIKENESS 0.75

static const char *const maintain_step_names[MAINTAIN_STEP_COUNT + 1] = {
	"decay", "cluster", "merge", "promote", "relations", NULL,
};

/* ---- decay */

static int maintain_decay(struct maintenance *m, const struct facts *facts, size_t count,
			  struct json_writer *w, struct err *err)
{
	struct fading_found found;
	struct faded *fading;
	size_t fading_count;

	if (fading_plan(&m->plan, m->change, FADING_ALL, &found, err) != 0)
		return -1;
	fading = fading_at_risk(&m->plan, facts, count, &m->settings, m->call->now_ms,
				&m->plan.arena, &fading_count);
	json_write_member_int(w, "at_risk_count", (int64_t)fading_count);
	json_write_member_array(w, "at_risk");
	for (size_t i = 0; i < fading_count && i < MAINTAIN_LISTED_MAX; i++) {
		json_write_object(w);
		json_write_member_string(w, "ref", fading[i].facts->item->ref);
		common_write_score(w, "score", fading[i].score);
		json_write_member_string(
			w, "urgency", slice_of(decay_urgency_name(decay_urgency(fading[i].score))));
		json_write_end(w);
	}
	json_write_end(w);
	return 0;
}

/* ---- promote */

static int maintain_promote(struct maintenance *m, const struct facts *facts, size_t count,
			    struct json_writer *w, struct err *err)
{
	struct candidates candidates;

	(void)facts;
	(void)count;
	if (promotion_plan(&m->plan, m->change, &candidates, err) != 0)
		return -1;
	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < candidates.count && i < MAINTAIN_LISTED_MAX; i++) {
		const struct candidate *candidate = &candidates.list[i];

		json_write_object(w);
		json_write_member_string(w, "ref", candidate->ref);
		common_write_score(w, "score", candidate->score);
		json_write_member_string(w, "reason", candidate->reason);
		if (candidate->step == PROMOTE_NOT)
			json_write_member_string(w, "protected",
						 slice_of(protection_text(candidate->kept)));
		json_write_end(w);
	}
	json_write_end(w);
	return 0;
}

/* ---- relations */

static int maintain_relations(struct maintenance *m, const struct facts *facts, size_t count,
			      struct json_writer *w, struct err *err)
{
	const struct discovered *found;
	size_t found_count;

	if (discover_plan(&m->plan, change_store(m->change), facts, count, &found, &found_count,
			  err) != 0)
		return -1;
	json_write_member_array(w, "relations");
	for (size_t i = 0; i < found_count; i++) {
		json_write_object(w);
		json_write_member_string(w, "from_id", found[i].from);
		json_write_member_string(w, "to_id", found[i].to);
		json_write_member_string(w, "relation_type",
					 slice_of(relation_type_names[RELATION_RELATED]));
		json_write_member_fixed(w, "strength", found[i].strength, ENTRY_STRENGTH_DECIMALS);
		common_write_score(w, "confidence", found[i].confidence);
		common_write_texts(w, "shared_entities", found[i].shared, found[i].shared_count);
		json_write_member_string(w, "reasoning", found[i].reasoning);
		json_write_end(w);
	}
	json_write_end(w);
	return 0;
}

/* ---- cluster */

/* Only looks: what may be put together unasked is for the next step to decide. */
static int maintain_cluster(struct maintenance *m, const struct facts *facts, size_t count,
			    struct json_writer *w, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct clusters clusters;

	(void)err;
	alike_groups(&clusters, alike_texts(facts, count, &arena), count,
		     m->settings.cluster_threshold, &m->settings, m->call->progress);
	json_write_member_int(w, "clusters_found", (int64_t)clusters.count);
	json_write_member_array(w, "clusters");
	for (size_t i = 0; i < clusters.count && i < MAINTAIN_LISTED_MAX; i++) {
		const struct cluster *cluster = &clusters.list[i];

		json_write_object(w);
		json_write_member_array(w, "memory_ids");
		for (size_t k = 0; k < cluster->count; k++)
			json_write_string(w, facts[cluster->members[k]].item->ref);
		json_write_end(w);
		common_write_score(w, "cohesion", cluster->cohesion);
		json_write_member_string(
			w, "suggested_action",
			slice_of(alike_suggested_action(cluster->cohesion, false)));
		json_write_end(w);
	}
	json_write_end(w);
	clusters_release(&clusters);
	return 0;
}

/* ---- merge */

static int maintain_merge(struct maintenance *m, const struct facts *facts, size_t count,
			  struct json_writer *w, struct err *err)
{
	struct duplicates duplicates;

	(void)err;
	duplicates_find(&duplicates, facts, count, MERGE_LIKENESS, m->call->progress,
			&m->plan.arena);
	duplicates_plan(&duplicates, &m->plan, 0, &m->plan.arena);
	json_write_member_int(w, "candidate_count", (int64_t)duplicates.candidate_count);
	duplicates_write_candidates(w, &duplicates, MAINTAIN_LISTED_MAX);
	return 0;
}

/* ---- planning all of them, and doing it */

/*
 * Plans one step: adds to the plan, and writes members of an object that say what was found. facts
 * are of the entries that no earlier step takes away.
 */
typedef int (*maintain_planner)(struct maintenance *m, const struct facts *facts, size_t count,
				struct json_writer *w, struct err *err);

static const maintain_planner planners[MAINTAIN_STEP_COUNT] = {
	maintain_decay, maintain_cluster, maintain_merge, maintain_promote, maintain_relations,
};

/* Facts of the entries that no earlier step takes away, in the plan's arena. */
static struct facts *maintain_read_facts(struct maintenance *m, size_t *count)
{
	size_t all;
	struct facts *facts = facts_read_all(change_store(m->change), m->call->now_ms,
					     &m->plan.arena, &all);

	*count = 0;
	for (size_t i = 0; i < all; i++) {
		bool gone = false;

		for (size_t s = 0; s < m->plan.count && !gone; s++)
			gone = plan_archives(&m->plan.steps[s], facts[i].item->ref);
		if (!gone)
			facts[(*count)++] = facts[i];
	}
	return facts;
}

/*
 * Among others a step that cannot do without a file of links that cannot be read is left out, and
 * says so.
 */
static int maintain_plan_step(struct maintenance *m, enum maintain_step step, bool alone,
			      struct err *err)
{
	struct json_writer w;
	struct facts *facts;
	struct err why;
	size_t count;
	int result = 0;

	progress_step(m->call->progress, maintain_step_names[step], step, MAINTAIN_STEP_COUNT);
	facts = maintain_read_facts(m, &count);
	m->from[step] = m->plan.count;
	json_writer_init(&w, &m->found[step], &json_compact);
	json_write_object(&w);
	if (step == MAINTAIN_RELATIONS && !alone &&
	    store_check_change(m->call->store, STORE_FILE_RELATIONS, &why) != 0)
		json_write_member_string(&w, "skipped", slice_of(why.text));
	else
		result = planners[step](m, facts, count, &w, err);
	json_write_end(&w);
	m->end[step] = m->plan.count;
	return result;
}

/* Plans all steps, or the one, and tries them. only: MAINTAIN_STEP_COUNT for all. */
static int maintain_make(struct maintenance *m, const struct call *call, enum maintain_step only,
			 struct err *err)
{
	int result;

	*m = (struct maintenance){.call = call, .plan = PLAN_INIT};
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++)
		str_init(&m->found[s]);
	m->plan.unattended = true;
	if (change_rehearse(&m->change, call->store, call->now_ms, err) != 0)
		return -1;
	result = store_settings(call->store, &m->settings, err);
	for (int s = 0; result == 0 && s < MAINTAIN_STEP_COUNT; s++) {
		if (only == MAINTAIN_STEP_COUNT || (int)only == s)
			result = maintain_plan_step(m, (enum maintain_step)s,
						    only != MAINTAIN_STEP_COUNT, err);
	}
	if (result == 0)
		result = plan_apply(&m->plan, m->change, call->warning, NULL, err);
	change_end(m->change);
	m->change = NULL;
	/* Steps that are skipped now stay so, whenever the plan is applied again. */
	for (size_t i = 0; i < m->plan.count; i++)
		m->plan.steps[i].settled = m->plan.steps[i].skip_code != ERR_NONE;
	return result;
}

/* What our own step made of an entry is no reason to leave a later one out. */
static void maintain_follow_own(struct maintenance *m, const struct plan_step *done, size_t later)
{
	struct store *store = m->call->store;

	for (size_t i = later; i < m->plan.count; i++) {
		struct plan_step *step = &m->plan.steps[i];

		for (size_t k = 0; k < step->base_count; k++) {
			const struct item *item = store_find_ref(store, step->bases[k].ref);

			if (item && slice_equal(step->bases[k].ref, done->ref) &&
			    step->bases[k].digest == done->bases[0].digest)
				step->bases[k].digest = hash64(item->entry.text);
		}
	}
}

/* Carries out some steps of the plan as one change. */
static int maintain_apply_part(struct maintenance *m, size_t from, size_t end, size_t *standing,
			       struct err *err)
{
	struct plan part = m->plan;
	CHANGE_AUTO change = NULL;
	int result;

	*standing = 0;
	if (from == end)
		return 0;
	part.steps += from;
	part.count = end - from;
	if (plan_standing(&part) == 0)
		return 0;
	if (common_change_begin(&change, m->call, err) != 0)
		return -1;
	result = plan_apply(&part, change, m->call->warning, NULL, err);
	/* Texts of the part live in the plan's arena. */
	m->plan.arena = part.arena;
	if (result != 0)
		return -1;
	*standing = plan_standing(&part);
	for (size_t i = 0; i < part.count; i++) {
		if (part.steps[i].skip_code == ERR_NONE)
			maintain_follow_own(m, &part.steps[i], end);
	}
	return 0;
}

/* Carries out what stood, a change for each step; *changes counts those that changed something. */
static int maintain_do(struct maintenance *m, size_t *changes, struct err *err)
{
	*changes = 0;
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		size_t standing;

		if (m->found[s].len == 0)
			continue;
		progress_step(m->call->progress, maintain_step_names[s], (size_t)s,
			      MAINTAIN_STEP_COUNT);
		if (maintain_apply_part(m, m->from[s], m->end[s], &standing, err) != 0)
			return *changes == 0
				       ? -1
				       : err_prefix(err, "%s (what earlier steps did is kept)",
						    maintain_step_names[s]);
		*changes += standing > 0;
	}
	return 0;
}

#define MS_PER_S INT64_C(1000)
#define MS_PER_HOUR (3600 * MS_PER_S)

struct maintain_args {
	int step; /* enum maintain_step, or -1 */
	int dry_run;
	int scheduled;
	int64_t interval_hours;
	struct slice plan;
	struct slice apply;
};

static const struct param params[] = {
	{PARAM(CHOICE, maintain_args, step), .flags = PARAM_POSITIONAL,
	 .help = "only this step; default: all, in this order", .choices = maintain_step_names},
	{PARAM(BOOL, maintain_args, dry_run), .help = "only show what would be done",
	 .fallback = "false"},
	{PARAM(BOOL, maintain_args, scheduled),
	 .help = "do nothing if the last scheduled run is less than the interval ago",
	 .fallback = "false"},
	{PARAM(INT, maintain_args, interval_hours),
	 .help = "for --scheduled; default: the setting maintain_interval_s", .min = 1,
	 .max = 8784},
	{PARAM(TEXT, maintain_args, plan), .flags = PARAM_NOT_BLANK,
	 .help = "write what would be done to this new file, to be read before it is applied"},
	{PARAM(TEXT, maintain_args, apply), .flags = PARAM_NOT_BLANK,
	 .help = "do what a plan file says, as one change; steps whose entries have changed since "
		 "are left out and named"},
};

/* ---- the reply */

static void maintain_write_actions(struct json_writer *w, const struct plan *plan, size_t from,
				   size_t end)
{
	json_write_member_array(w, "actions");
	for (size_t i = from; i < end; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		json_write_object(w);
		plan_write_subject(w, step);
		if (step->kind == PLAN_LINK)
			json_write_member_string(w, "to", step->to);
		if (step->kind == PLAN_PROMOTE && step->note_file.ptr)
			json_write_member_string(w, "note", step->note_file);
		if (step->because.ptr)
			json_write_member_string(w, "because", step->because);
		json_write_end(w);
	}
	json_write_end(w);
}

static void maintain_write_found(struct json_writer *w, const struct maintenance *m)
{
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		JSON_AUTO doc = {0};

		if (m->found[s].len == 0)
			continue;
		common_parse(&doc, str_slice(&m->found[s]));
		json_write_member_object(w, maintain_step_names[s]);
		maintain_write_actions(w, &m->plan, m->from[s], m->end[s]);
		for (uint32_t n = json_first(&doc, JSON_ROOT); n != JSON_NONE;
		     n = json_next(&doc, n)) {
			STR_AUTO name = STR_INIT;

			json_write_name(w, json_name(&doc, n, &name));
			json_write_value(w, &doc, n);
		}
		json_write_end(w);
	}
}

static void maintain_write_reply(const struct maintenance *m, bool dry_run, size_t changes,
				 struct json_writer *w)
{
	json_write_object(w);
	json_write_member_bool(w, "dry_run", dry_run);
	json_write_member_int(w, "changes", (int64_t)changes);
	maintain_write_found(w, m);
	plan_write_left_out(w, &m->plan, false);
	common_end_reply(w, m->call);
}

/* ---- what is asked for */

static int maintain_check_arguments(const struct maintain_args *args, struct err *err)
{
	if (args->plan.ptr && args->apply.ptr)
		return err_set(err, ERR_BAD_VALUE, "apply: give --plan or --apply, not both");
	if (args->apply.ptr && (args->step >= 0 || args->scheduled == 1))
		return err_set(err, ERR_BAD_VALUE,
			       "apply: the plan file says what is done; leave out the step and "
			       "--scheduled");
	if (args->plan.ptr && args->scheduled == 1)
		return err_set(err, ERR_BAD_VALUE,
			       "plan: only writes the plan; leave out --scheduled");
	if (args->interval_hours != ARG_NONE && args->scheduled != 1)
		return err_set(err, ERR_BAD_VALUE, "interval_hours: needs --scheduled");
	return 0;
}

static int maintain_apply_file(const struct call *call, const struct maintain_args *args,
			       struct json_writer *w, struct err *err)
{
	struct change_result result = {0};
	CHANGE_AUTO change = NULL;
	PLAN_AUTO plan = PLAN_INIT;

	if (plan_load(&plan, call, args->apply, err) != 0)
		return -1;
	plan.unattended = true;
	if (common_change_begin_unless(&change, call, args->dry_run == 1, err) != 0 ||
	    plan_apply(&plan, change, call->warning, &result, err) != 0)
		return -1;
	json_write_object(w);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "changes", args->dry_run != 1 && plan_standing(&plan) > 0);
	maintain_write_actions(w, &plan, 0, plan.count);
	plan_write_left_out(w, &plan, false);
	common_end_change(w, call, &result);
	return 0;
}

/* Is it time? Else the reply is written. */
static int maintain_check_schedule(const struct call *call, const struct maintain_args *args,
				   struct json_writer *w, bool *due, struct err *err)
{
	int64_t last_ms = store_maintained_ms(call->store);
	struct settings settings;
	int64_t next_ms;

	*due = true;
	if (args->scheduled != 1)
		return 0;
	if (common_refresh(call, err) != 0 || store_settings(call->store, &settings, err) != 0)
		return -1;
	next_ms = args->interval_hours != ARG_NONE ? args->interval_hours * MS_PER_HOUR
						   : settings.maintain_interval_s * MS_PER_S;
	/* A time in the future means that the clock was set back. */
	if (last_ms == TIME_NONE || last_ms > call->now_ms || call->now_ms - last_ms >= next_ms)
		return 0;
	*due = false;
	json_write_object(w);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "changes", 0);
	json_write_member_string(w, "skipped", slice_of("it is not time yet"));
	common_write_time(w, "last_run", last_ms);
	common_write_time(w, "next_run", last_ms + next_ms);
	common_end_reply(w, call);
	return 0;
}

/* Plans, and saves the plan, does it, or does nothing. */
static int maintain_maintain(const struct call *call, const struct maintain_args *args,
			     struct json_writer *w, struct err *err)
{
	bool dry_run = args->dry_run == 1 || args->plan.ptr;
	struct maintenance m;
	size_t changes = 0;
	int status = maintain_make(
		&m, call, args->step < 0 ? MAINTAIN_STEP_COUNT : (enum maintain_step)args->step,
		err);

	if (status == 0 && args->plan.ptr && args->dry_run != 1)
		status = plan_save(&m.plan, call, args->plan, err);
	if (status == 0 && !dry_run)
		status = maintain_do(&m, &changes, err);
	if (status == 0 && !dry_run && args->scheduled == 1)
		status = store_note_maintained(call->store, call->now_ms, err);
	if (status == 0)
		maintain_write_reply(&m, dry_run, changes, w);
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++)
		str_release(&m.found[s]);
	plan_release(&m.plan);
	return status;
}

static int maintain_handle(const struct call *call, const void *arguments, struct json_writer *w,
			   struct err *err)
{
	const struct maintain_args *args = arguments;
	bool due;

	if (maintain_check_arguments(args, err) != 0)
		return -1;
	if (args->apply.ptr)
		return maintain_apply_file(call, args, w, err);
	if (maintain_check_schedule(call, args, w, &due, err) != 0)
		return -1;
	return due ? maintain_maintain(call, args, w, err) : 0;
}

const struct tool tool_maintain = {
	.name = "maintain",
	.command = "maintain",
	.title = "Maintain the store",
	.section = SECTION_UPKEEP,
	.summary = "Archive what has faded, name groups, merge duplicates, write notes of proven "
		   "entries, link related ones; each step is a change that can be undone. "
		   "Protected entries are left alone, and nothing is destroyed.",
	TOOL_TAKES(params, maintain_args),
	.flags = TOOL_SHELL_ONLY,
	.run = maintain_handle,
};
