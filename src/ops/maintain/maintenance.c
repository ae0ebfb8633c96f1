#include "ops/maintain/maintenance.h"

#include "base/map.h"
#include "ops/common.h"
#include "ops/entry_stats.h"
#include "ops/maintain/discover_relations.h"
#include "ops/maintain/duplicates.h"
#include "ops/maintain/fading.h"
#include "ops/maintain/promotion.h"
#include "ops/similar_text.h"
#include "similarity/cluster.h"

/* Entries of a list that nobody acts upon: at most so many are written, with the number of all. */
#define MAINTAIN_LISTED_MAX 20

/* From how alike two texts are they are looked at. */
#define MERGE_LIKENESS 0.75

const char *const maintain_step_names[MAINTAIN_STEP_COUNT + 1] = {
	"decay", "cluster", "merge", "promote", "relations", NULL,
};

/* What a step is planned on. */
struct maintenance_view {
	struct change *change;
	const struct facts *facts; /* of the entries that no earlier step takes away */
	size_t count;
};

/* ---- decay */

static int maintenance_decay(struct maintenance *m, const struct maintenance_view *view,
			     struct json_writer *w, struct err *err)
{
	struct fading_found found;
	struct faded *fading;
	size_t fading_count;

	if (fading_plan(&m->plan, view->change, FADING_ALL, &found, err) != 0)
		return -1;
	fading = fading_at_risk(&m->plan, view->facts, view->count, &m->settings, m->call->now_ms,
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

static int maintenance_promote(struct maintenance *m, const struct maintenance_view *view,
			       struct json_writer *w, struct err *err)
{
	struct candidates candidates;

	if (promotion_plan(&m->plan, view->change, &candidates, err) != 0)
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

static int maintenance_relations(struct maintenance *m, const struct maintenance_view *view,
				 struct json_writer *w, struct err *err)
{
	const struct discovered *found;
	size_t found_count;

	if (discover_plan(&m->plan, m->call->store, view->facts, view->count, &found, &found_count,
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
static int maintenance_cluster(struct maintenance *m, const struct maintenance_view *view,
			       struct json_writer *w, struct err *err)
{
	ARENA_AUTO arena = ARENA_INIT;
	struct clusters clusters;

	(void)err;
	alike_groups(&clusters, alike_texts(view->facts, view->count, &arena), view->count,
		     m->settings.cluster_threshold, &m->settings, m->call->progress);
	json_write_member_int(w, "clusters_found", (int64_t)clusters.count);
	json_write_member_array(w, "clusters");
	for (size_t i = 0; i < clusters.count && i < MAINTAIN_LISTED_MAX; i++) {
		const struct cluster *cluster = &clusters.list[i];

		json_write_object(w);
		json_write_member_array(w, "memory_ids");
		for (size_t k = 0; k < cluster->count; k++)
			json_write_string(w, view->facts[cluster->members[k]].item->ref);
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

static int maintenance_merge(struct maintenance *m, const struct maintenance_view *view,
			     struct json_writer *w, struct err *err)
{
	struct duplicates duplicates;

	(void)err;
	duplicates_find(&duplicates, view->facts, view->count, MERGE_LIKENESS, m->call->progress,
			&m->plan.arena);
	duplicates_plan(&duplicates, &m->plan, 0, &m->plan.arena);
	json_write_member_int(w, "candidate_count", (int64_t)duplicates.candidate_count);
	duplicates_write_candidates(w, &duplicates, MAINTAIN_LISTED_MAX);
	return 0;
}

/* ---- planning all of them, and doing it */

/* Each adds to the plan, and writes members of an object that say what was found. */
static int (*const planners[MAINTAIN_STEP_COUNT])(struct maintenance *m,
						  const struct maintenance_view *view,
						  struct json_writer *w, struct err *err) = {
	maintenance_decay,   maintenance_cluster,   maintenance_merge,
	maintenance_promote, maintenance_relations,
};

/* Facts of the entries that no earlier step takes away, in the plan's arena. */
static void maintenance_read_facts(struct maintenance *m, struct maintenance_view *view)
{
	size_t all;
	struct facts *facts = facts_read_all(m->call->store, m->call->now_ms, &m->plan.arena, &all);

	for (size_t i = 0; i < all; i++) {
		bool gone = false;

		for (size_t s = 0; s < m->plan.count && !gone; s++)
			gone = plan_archives(&m->plan.steps[s], facts[i].item->ref);
		if (!gone)
			facts[view->count++] = facts[i];
	}
	view->facts = facts;
}

/*
 * Among others a step that cannot do without a file of links that cannot be read is left out, and
 * says so.
 */
static int maintenance_plan_step(struct maintenance *m, struct change *change,
				 enum maintain_step step, bool alone, struct err *err)
{
	struct maintenance_view view = {.change = change};
	STR_AUTO found = STR_INIT;
	struct err why;
	int result = 0;

	progress_step(m->call->progress, maintain_step_names[step], step, MAINTAIN_STEP_COUNT);
	maintenance_read_facts(m, &view);
	m->from[step] = m->plan.count;
	struct json_writer w = json_writer_to(&found, &json_compact);
	json_write_object(&w);
	if (step == MAINTAIN_RELATIONS && !alone &&
	    store_check_change(m->call->store, STORE_FILE_RELATIONS, &why) != 0)
		json_write_member_string(&w, "skipped", slice_of(why.text));
	else
		result = planners[step](m, &view, &w, err);
	json_write_end(&w);
	m->end[step] = m->plan.count;
	m->found[step] = arena_copy(&m->plan.arena, str_slice(&found));
	return result;
}

int maintenance_plan(struct maintenance *m, const struct call *call, enum maintain_step only,
		     struct err *err)
{
	const bool all = only == MAINTAIN_STEP_COUNT;
	CHANGE_AUTO change = NULL;

	*m = (struct maintenance){.call = call, .plan = PLAN_INIT};
	m->plan.unattended = true;
	if (change_rehearse(&change, call->store, call->now_ms, err) != 0 ||
	    store_settings(call->store, &m->settings, err) != 0)
		return -1;
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		if ((all || (int)only == s) &&
		    maintenance_plan_step(m, change, (enum maintain_step)s, !all, err) != 0)
			return -1;
	}
	if (plan_apply(&m->plan, change, call->warning, NULL, err) != 0)
		return -1;
	/* Steps that are skipped now stay so, whenever the plan is applied again. */
	for (size_t i = 0; i < m->plan.count; i++)
		m->plan.steps[i].settled = m->plan.steps[i].skip_code != ERR_NONE;
	return 0;
}

/* What our own step made of an entry is no reason to leave a later one out. */
static void maintenance_follow_own(struct maintenance *m, const struct plan_step *done,
				   size_t later)
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

/* Carries out those steps of the plan as one change, which is counted unless nothing stands. */
static int maintenance_apply_part(struct maintenance *m, size_t from, size_t end, size_t *changes,
				  struct err *err)
{
	struct plan part = m->plan;
	CHANGE_AUTO change = NULL;
	int result;

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
	*changes += plan_standing(&part) > 0;
	for (size_t i = 0; i < part.count; i++) {
		if (part.steps[i].skip_code == ERR_NONE)
			maintenance_follow_own(m, &part.steps[i], end);
	}
	return 0;
}

int maintenance_do(struct maintenance *m, size_t *changes, struct err *err)
{
	*changes = 0;
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		if (!m->found[s].ptr)
			continue;
		progress_step(m->call->progress, maintain_step_names[s], (size_t)s,
			      MAINTAIN_STEP_COUNT);
		if (maintenance_apply_part(m, m->from[s], m->end[s], changes, err) != 0)
			return *changes == 0
				       ? -1
				       : err_prefix(err, "%s (what earlier steps did is kept)",
						    maintain_step_names[s]);
	}
	return 0;
}
