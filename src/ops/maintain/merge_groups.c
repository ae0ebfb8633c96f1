#include "ops/maintain/merge_groups.h"

#include "base/utf8.h"
#include "ops/common.h"
#include "ops/hints.h"
#include "ops/similar_text.h"
#include "similarity/cluster.h"
#include "similarity/report.h"

#include <stdlib.h>

/* Groups at least as alike as this, and less than what is merged, may be linked. */
#define LINK_FROM 0.40

#define NO_STEP SIZE_MAX

struct merge_work {
	const struct call *call;
	const struct merge_wanted *wanted;
	struct merge_groups *out;
	size_t *steps; /* of the plan, for each group: NO_STEP where it is not merged */
	/* All entries, where groups are looked for. */
	struct facts *facts;
	struct slice *texts;
	size_t count;
	struct settings settings;
};

/* ---- what becomes of a group */

/* What happened at one time denies nothing that happened at another, whatever its numbers. */
static bool merge_contradicts(struct duplicates_candidate *pair, const struct facts *a,
			      const struct facts *b, struct arena *arena)
{
	bool in_order = a->item->updated_ms <= b->item->updated_ms;
	const struct item *older = in_order ? a->item : b->item;
	const struct item *newer = in_order ? b->item : a->item;

	if (report_is_note(&a->item->entry) && report_is_note(&b->item->entry))
		return false;
	if (duplicates_compare(pair, a, b, arena))
		return true;
	if (hints_compare(older, newer) != STATEMENT_OTHER)
		return false;
	pair->reason = slice_of("the newer one says something else about the same");
	return true;
}

static void merge_find_conflicts(struct merge_group *group, struct arena *arena)
{
	const struct merging *merging = &group->merging;
	size_t pairs = merging->count * (merging->count - 1) / 2;

	group->conflicts = arena_alloc(arena, pairs * sizeof *group->conflicts);
	for (size_t i = 0; i < merging->count; i++) {
		for (size_t k = i + 1; k < merging->count; k++)
			group->conflict_count += merge_contradicts(
				&group->conflicts[group->conflict_count], merging->parts[i],
				merging->parts[k], arena);
	}
}

/* Plans to make one of it, or says why not: put together, some would contradict each other. */
static void merge_plan_group(struct merge_work *work, struct merge_group *group,
			     enum merging_keep keep)
{
	struct merging *merging = &group->merging;
	struct arena *arena = work->call->arena;
	STR_AUTO why = STR_INIT;

	merging->wording = work->wanted->wording;
	merging_decide(merging, keep, arena);
	if (keep == KEEP_COMBINE && merging->text.ptr && !merging->wording.ptr &&
	    group->conflict_count) {
		str_add(&why, group->conflicts[0].a->item->ref);
		str_adds(&why, " and ");
		str_add(&why, group->conflicts[0].b->item->ref);
		str_adds(&why, " contradict each other: ");
		str_add(&why, group->conflicts[0].reason);
		merging->obstacle = arena_copy(arena, str_slice(&why));
		merging->text = slice_of(NULL);
	}
	group->reason = merging->obstacle;
	if (group->reason.ptr)
		return;
	merging_plan(merging, &work->out->plan);
	work->steps[group - work->out->list] = work->out->plan.count - 1;
}

static void merge_link_group(struct merge_work *work, const struct merge_group *group)
{
	const struct merging *merging = &group->merging;
	ARENA_AUTO arena = ARENA_INIT;
	struct slice *texts = arena_alloc(&arena, merging->count * sizeof *texts);

	for (size_t i = 0; i < merging->count; i++)
		texts[i] = alike_text(merging->parts[i]->item, &arena);
	for (size_t i = 0; i < merging->count; i++) {
		for (size_t k = i + 1; k < merging->count; k++)
			plan_link(&work->out->plan, merging->parts[i]->item,
				  merging->parts[k]->item, RELATION_RELATED,
				  similar_texts(texts[i], texts[k]), slice_of(NULL));
	}
}

/* There must be room for `room` groups in all. */
static void merge_make_room(struct merge_work *work, size_t room)
{
	work->out->list = arena_alloc(work->call->arena, room * sizeof *work->out->list);
	work->steps = arena_alloc(work->call->arena, room * sizeof *work->steps);
}

static struct merge_group *merge_add_group(struct merge_work *work,
					   const struct facts *const *parts, size_t count)
{
	struct merge_group *group = &work->out->list[work->out->count];

	work->steps[work->out->count++] = NO_STEP;
	merging_init(&group->merging, parts, count);
	return group;
}

static void merge_read_entries(struct merge_work *work)
{
	struct arena *arena = work->call->arena;

	work->facts = facts_read_all(work->call->store, work->call->now_ms, arena, &work->count);
	work->texts = alike_texts(work->facts, work->count, arena);
	for (size_t i = 0; i < work->count; i++)
		facts_hold(&work->facts[i], arena);
}

/* ---- what is named */

static int merge_find_refs(struct merge_work *work, struct change *change, struct facts **parts,
			   struct err *err)
{
	const struct arg_texts *refs = work->wanted->refs;
	struct arena *arena = work->call->arena;
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < refs->count; i++) {
		const struct item *item = common_find(work->call, change, "refs", refs->items[i],
						      err);

		if (!item)
			return -1;
		for (size_t k = 0; k < i; k++) {
			if (parts[k]->item == item)
				return err_set(err, ERR_BAD_VALUE,
					       "refs: \"%s\" is named twice; give each entry once",
					       shown(&scratch, refs->items[i]));
		}
		parts[i] = arena_alloc(arena, sizeof *parts[i]);
		facts_read(parts[i], item, work->call->now_ms);
	}
	for (size_t i = 0; i < refs->count; i++)
		facts_hold(parts[i], arena);
	return 0;
}

/* The members of a cluster if it has this name. */
static struct facts **merge_members_of(const struct merge_work *work, const struct cluster *cluster,
				       struct slice name)
{
	struct arena *arena = work->call->arena;
	struct facts **parts = arena_alloc(arena, cluster->count * sizeof(void *));
	struct slice *refs = arena_alloc(arena, cluster->count * sizeof *refs);
	STR_AUTO own = STR_INIT;

	for (size_t i = 0; i < cluster->count; i++) {
		parts[i] = &work->facts[cluster->members[i]];
		refs[i] = parts[i]->item->ref;
	}
	alike_group_name(&own, refs, cluster->count);
	return slice_equal(str_slice(&own), name) ? parts : NULL;
}

/* Looks for the group at the threshold of the settings, then at the one that is given. */
static int merge_find_group(struct merge_work *work, struct facts ***parts, size_t *count,
			    struct err *err)
{
	const double thresholds[2] = {work->settings.cluster_threshold, work->wanted->threshold};
	struct slice name = work->wanted->refs->items[0];

	merge_read_entries(work);
	*parts = NULL;
	for (size_t t = 0; t < 2 && !*parts; t++) {
		struct clusters clusters;

		alike_groups(&clusters, work->texts, work->count, thresholds[t], &work->settings,
			     work->call->progress);
		for (size_t i = 0; i < clusters.count && !*parts; i++) {
			*parts = merge_members_of(work, &clusters.list[i], name);
			*count = clusters.list[i].count;
		}
		clusters_release(&clusters);
	}
	if (*parts)
		return 0;
	return err_set(err, ERR_NOT_FOUND,
		       "refs: there is no group \"%.*s\" now; give the refs of its members",
		       (int)name.len, name.ptr);
}

static int merge_take_named(struct merge_work *work, struct change *change, struct err *err)
{
	const struct arg_texts *refs = work->wanted->refs;
	size_t count = refs->count;
	struct facts **parts = arena_alloc(work->call->arena, count * sizeof(void *));
	struct merge_group *group;

	if ((count == 1 && alike_is_group_name(refs->items[0])
		     ? merge_find_group(work, &parts, &count, err)
		     : merge_find_refs(work, change, parts, err)) != 0)
		return -1;
	merge_make_room(work, 1);
	group = merge_add_group(work, (const struct facts *const *)parts, count);
	merge_find_conflicts(group, work->call->arena);
	if (work->wanted->mode == MERGE_LINK)
		merge_link_group(work, group);
	else
		merge_plan_group(work, group, work->wanted->keep);
	if (work->wanted->mode == MERGE_APPLY && group->reason.ptr)
		return err_set(err, ERR_BAD_VALUE,
			       "refs: %.*s; use keep to choose whose value stays, value to give "
			       "another, or mode link",
			       (int)group->reason.len, group->reason.ptr);
	return 0;
}

/* ---- what is found */

/*
 * What of a cluster says the same becomes one; the rest is for somebody to decide. Or all of it is
 * linked.
 */
static void merge_take_cluster(struct merge_work *work, const struct cluster *cluster)
{
	struct arena *arena = work->call->arena;
	struct facts *members = arena_alloc(arena, cluster->count * sizeof *members);
	const struct facts **parts = arena_alloc(arena, cluster->count * sizeof(void *));
	enum merging_keep keep = work->wanted->keep;
	struct duplicates duplicates = {0};
	struct merge_group *group;

	for (size_t i = 0; i < cluster->count; i++) {
		members[i] = work->facts[cluster->members[i]];
		parts[i] = &members[i];
	}
	if (work->wanted->mode != MERGE_LINK) {
		duplicates_find(&duplicates, members, cluster->count, 0, NULL, arena);
		for (size_t g = 0; g < duplicates.group_count; g++)
			merge_plan_group(work,
					 merge_add_group(work, duplicates.groups[g].parts,
							 duplicates.groups[g].count),
					 keep == KEEP_COMBINE ? KEEP_LONGEST : keep);
		if (duplicates.candidate_count == 0)
			return;
	}
	group = merge_add_group(work, parts, cluster->count);
	merge_find_conflicts(group, arena);
	if (work->wanted->mode == MERGE_LINK) {
		merge_link_group(work, group);
		return;
	}
	merging_decide(&group->merging, keep, arena);
	group->reason = group->merging.obstacle.ptr ? group->merging.obstacle
						    : duplicates.candidates[0].reason;
}

static int merge_compare_cohesion(const void *a, const void *b)
{
	double first = ((const struct cluster *)a)->cohesion;
	double second = ((const struct cluster *)b)->cohesion;

	return (first < second) - (first > second);
}

static void merge_take_found(struct merge_work *work)
{
	const bool link = work->wanted->mode == MERGE_LINK;
	const double threshold = work->wanted->threshold;
	struct clusters clusters;

	merge_read_entries(work);
	/* Clusters share no entry, and have at least two for each of their groups but the rest. */
	merge_make_room(work, work->count + 1);
	alike_groups(&clusters, work->texts, work->count, link ? LINK_FROM : threshold,
		     &work->settings, work->call->progress);
	if (clusters.count)
		qsort(clusters.list, clusters.count, sizeof *clusters.list, merge_compare_cohesion);
	for (size_t i = 0; i < clusters.count; i++) {
		double cohesion = clusters.list[i].cohesion;

		if (link ? cohesion >= LINK_FROM && cohesion < threshold : cohesion >= threshold)
			merge_take_cluster(work, &clusters.list[i]);
	}
	clusters_release(&clusters);
}

int merge_groups_apply(struct merge_groups *out, const struct call *call, struct change *change,
		       const struct merge_wanted *wanted, struct err *err)
{
	struct merge_work work = {.call = call, .wanted = wanted, .out = out};
	const bool named = wanted->refs->given;

	*out = (struct merge_groups){.plan = PLAN_INIT};
	out->plan.unattended = !named && wanted->mode != MERGE_LINK;
	if (store_settings(call->store, &work.settings, err) != 0)
		return -1;
	if (!named)
		merge_take_found(&work);
	else if (merge_take_named(&work, change, err) != 0)
		return -1;
	if (plan_apply(&out->plan, change, call->warning, &out->result, err) != 0)
		return -1;
	for (size_t i = 0; i < out->plan.count && named && wanted->mode == MERGE_APPLY; i++) {
		const struct plan_step *step = &out->plan.steps[i];

		/* What was named and cannot be done is an error; a preview says so instead. */
		if (step->skip_code != ERR_NONE)
			return err_set(err, step->skip_code, "%s", step->skipped.ptr);
	}
	for (size_t i = 0; i < out->count; i++) {
		const struct plan_step *step = work.steps[i] == NO_STEP
						       ? NULL
						       : &out->plan.steps[work.steps[i]];

		if (step && step->skip_code != ERR_NONE)
			out->list[i].reason = step->skipped;
		else
			out->list[i].step = step;
	}
	return 0;
}
