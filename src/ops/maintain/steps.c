#include "ops/maintain/steps.h"

#include "base/map.h"

#include "ops/maintain/discover_relations.h"
#include "ops/maintain/duplicates.h"
#include "ops/maintain/promotion.h"
#include "ops/similar_text.h"
#include "similarity/cluster.h"
#include "ops/maintain/fading.h"
#include "store/open/store.h"

/* Entries of a list that nobody acts upon: at most so many are written, with the number of all. */
#define MAINTAIN_LISTED_MAX 20

/* From how alike two texts are they are looked at. */
#define MERGE_LIKENESS 0.75

const char *const maintain_step_names[MAINTAIN_STEP_COUNT + 1] = {
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
		json_write_member_fixed(w, "score", fading[i].score, 4);
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
		json_write_member_fixed(w, "score", candidate->score, 4);
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
		json_write_member_fixed(w, "strength", found[i].strength, 4);
		json_write_member_fixed(w, "confidence", found[i].confidence, 4);
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
		json_write_member_fixed(w, "cohesion", cluster->cohesion, 4);
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
static struct facts *read_facts(struct maintenance *m, size_t *count)
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
	facts = read_facts(m, &count);
	m->from[step] = m->plan.count;
	json_writer_init(&w, &m->found[step], &json_compact);
	json_write_object(&w);
	if (step == MAINTAIN_RELATIONS && !alone &&
	    store_check_file(m->call->store, STORE_FILE_RELATIONS, &why) != 0)
		json_write_member_string(&w, "skipped", slice_of(why.text));
	else
		result = planners[step](m, facts, count, &w, err);
	json_write_end(&w);
	m->end[step] = m->plan.count;
	return result;
}

int maintain_make(struct maintenance *m, const struct call *call, enum maintain_step only,
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
		result = plan_apply(&m->plan, m->change, NULL, err);
	change_end(m->change);
	m->change = NULL;
	plan_settle(&m->plan);
	return result;
}

/* What our own step made of an entry is no reason to leave a later one out. */
static void follow_own(struct maintenance *m, const struct plan_step *done, size_t later)
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
static int apply_part(struct maintenance *m, size_t from, size_t end, size_t *standing,
		      struct err *err)
{
	struct plan part = m->plan;
	CHANGE_AUTO change = NULL;
	int result;

	*standing = 0;
	part.steps += from;
	part.count = end - from;
	if (part.count == 0 || plan_standing(&part) == 0)
		return 0;
	if (common_change_begin(&change, m->call, err) != 0)
		return -1;
	result = plan_apply(&part, change, NULL, err);
	/* Texts of the part live in the plan's arena. */
	m->plan.arena = part.arena;
	if (result != 0)
		return -1;
	*standing = plan_standing(&part);
	for (size_t i = 0; i < part.count; i++) {
		if (part.steps[i].skip_code == ERR_NONE)
			follow_own(m, &part.steps[i], end);
	}
	return 0;
}

int maintain_do(struct maintenance *m, size_t *changes, struct err *err)
{
	*changes = 0;
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++) {
		size_t standing;

		if (m->found[s].len == 0)
			continue;
		progress_step(m->call->progress, maintain_step_names[s], (size_t)s,
			      MAINTAIN_STEP_COUNT);
		if (apply_part(m, m->from[s], m->end[s], &standing, err) != 0)
			return *changes == 0 ? -1
					     : err_prefix(err, "%s (what earlier steps did stands)",
							  maintain_step_names[s]);
		*changes += standing > 0;
	}
	return 0;
}

void maintain_release(struct maintenance *m)
{
	for (int s = 0; s < MAINTAIN_STEP_COUNT; s++)
		str_release(&m->found[s]);
	plan_release(&m->plan);
}
