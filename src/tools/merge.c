#include "base/mem.h"
#include "base/utf8.h"
#include "ops/common.h"
#include "ops/hints.h"
#include "ops/maintain/duplicates.h"
#include "ops/maintain/merge_decision.h"
#include "ops/maintain/plan.h"
#include "ops/secret_check.h"
#include "ops/similar_text.h"
#include "similarity/cluster.h"
#include "similarity/report.h"
#include "tools/registry.h"

#include <stdlib.h>

enum merge_mode { MERGE_PREVIEW, MERGE_APPLY, MERGE_LINK };

/* Most refs that can be merged at a time. */
#define MERGE_REFS_MAX 100

struct merge_args {
	struct arg_texts refs;
	int auto_detect;
	struct arg_json cohesion_threshold;
	int keep; /* enum merging_keep */
	int mode; /* enum merge_mode */
	struct arg_json value;
	int allow_secret; /* for screen_arguments() alone */
};

/* Groups at least as alike as this, and less than what is merged, may be linked. */
#define LINK_FROM 0.40

#define NO_STEP SIZE_MAX

/* Most characters of a value that a preview shows. */
#define PREVIEW_CHARACTERS 300

static const char *const merge_mode_names[] = {"preview", "apply", "link", NULL};

/* Entries that are to become one, or to be linked: those that were named, or found. */
struct merge_unit {
	struct merging merging;
	size_t step;         /* of the plan; SIZE_MAX: there is none */
	size_t step_count;   /* of MERGE_LINK */
	struct slice reason; /* why it is not merged; absent where it is */
	struct duplicates_candidate *conflicts;
	size_t conflict_count;
};

struct merge_work {
	const struct call *call;
	const struct merge_args *args;
	struct change *change;
	struct plan plan;
	struct merge_unit *units;
	size_t unit_count;
	size_t unit_cap;
	struct change_result result;
};

/* ---- units */

static struct merge_unit *merge_add_unit(struct merge_work *work, const struct facts *const *parts,
					 size_t count)
{
	struct merge_unit *unit;

	unit = MEM_ADD(work->units, work->unit_count, work->unit_cap);
	*unit = (struct merge_unit){.step = NO_STEP};
	merging_init(&unit->merging, parts, count);
	return unit;
}

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

/* Pairs of the unit that contradict each other. */
static void merge_find_conflicts(struct merge_work *work, struct merge_unit *unit)
{
	const struct merging *merging = &unit->merging;
	size_t pairs = merging->count * (merging->count - 1) / 2;

	unit->conflicts = arena_alloc(work->call->arena, pairs * sizeof *unit->conflicts);
	for (size_t i = 0; i < merging->count; i++) {
		for (size_t k = i + 1; k < merging->count; k++) {
			struct duplicates_candidate *pair = &unit->conflicts[unit->conflict_count];

			if (merge_contradicts(pair, merging->parts[i], merging->parts[k],
					      work->call->arena))
				unit->conflict_count++;
		}
	}
}

/* Put together, they would say both. */
static void merge_refuse_conflict(const struct merge_work *work, struct merge_unit *unit)
{
	const struct duplicates_candidate *pair = &unit->conflicts[0];
	STR_AUTO why = STR_INIT;

	str_add(&why, pair->a->item->ref);
	str_adds(&why, " and ");
	str_add(&why, pair->b->item->ref);
	str_adds(&why, " contradict each other: ");
	str_add(&why, pair->reason);
	unit->merging.obstacle = arena_copy(work->call->arena, str_slice(&why));
	unit->merging.text = slice_of(NULL);
}

static void merge_plan_unit(struct merge_work *work, struct merge_unit *unit,
			    enum merging_keep keep)
{
	unit->merging.wording = common_json(work->call, work->args->value);
	merging_decide(&unit->merging, keep, work->call->arena);
	if (keep == KEEP_COMBINE && unit->merging.text.ptr && !unit->merging.wording.ptr &&
	    unit->conflict_count)
		merge_refuse_conflict(work, unit);
	if (unit->merging.obstacle.ptr) {
		unit->reason = unit->merging.obstacle;
		return;
	}
	merging_plan(&unit->merging, &work->plan);
	unit->step = work->plan.count - 1;
}

/* How alike their words are, 0 to 1. */
static double merge_likeness(const struct facts *a, const struct facts *b)
{
	struct arena arena = ARENA_INIT;
	double likeness = similar_texts(alike_text(a->item, &arena), alike_text(b->item, &arena));

	arena_release(&arena);
	return likeness;
}

static void merge_link_unit(struct merge_work *work, struct merge_unit *unit)
{
	const struct merging *merging = &unit->merging;

	unit->step = work->plan.count;
	for (size_t i = 0; i < merging->count; i++) {
		for (size_t k = i + 1; k < merging->count; k++)
			plan_link(&work->plan, merging->parts[i]->item, merging->parts[k]->item,
				  RELATION_RELATED,
				  merge_likeness(merging->parts[i], merging->parts[k]),
				  slice_of(NULL));
	}
	unit->step_count = work->plan.count - unit->step;
}

/* ---- all entries */

struct survey {
	struct facts *facts;
	struct slice *words;
	size_t count;
};

static void merge_look_around(struct survey *survey, const struct call *call)
{
	survey->facts = facts_read_all(call->store, call->now_ms, call->arena, &survey->count);
	survey->words = alike_texts(survey->facts, survey->count, call->arena);
	for (size_t i = 0; i < survey->count; i++)
		facts_hold(&survey->facts[i], call->arena);
}

static double merge_threshold_of(const struct merge_args *args)
{
	double threshold = 0;

	json_double(args->cohesion_threshold.doc, args->cohesion_threshold.node, &threshold);
	return threshold;
}

/* ---- refs that are named */

static int merge_find_named(struct merge_work *work, struct facts **parts, struct err *err)
{
	const struct arg_texts *refs = &work->args->refs;
	STR_AUTO scratch = STR_INIT;

	for (size_t i = 0; i < refs->count; i++) {
		const struct item *item = common_find(work->call, work->change, "refs",
						      refs->items[i], err);

		if (!item)
			return -1;
		for (size_t k = 0; k < i; k++) {
			if (parts[k]->item == item)
				return err_set(err, ERR_BAD_VALUE,
					       "refs: \"%s\" is named twice; give each entry once",
					       shown(&scratch, refs->items[i]));
		}
		parts[i] = arena_alloc(work->call->arena, sizeof *parts[i]);
		facts_read(parts[i], item, work->call->now_ms);
	}
	for (size_t i = 0; i < refs->count; i++)
		facts_hold(parts[i], work->call->arena);
	return 0;
}

/* The name of a group, as memory_health and a preview have it, stands for its members. */
/* True if refs is the name of one group, which stands for its members. */
static bool merge_names_group(const struct merge_args *args)
{
	return args->refs.count == 1 && args->refs.items[0].len > strlen("cluster-") + 1 &&
	       slice_starts(args->refs.items[0], "cluster-");
}

/* The members of a cluster if it has this name. */
static struct facts **merge_members_of(const struct merge_work *work, const struct survey *survey,
				       const struct cluster *cluster, struct slice name)
{
	struct arena *arena = work->call->arena;
	struct facts **parts = arena_alloc(arena, cluster->count * sizeof(void *));
	struct slice *refs = arena_alloc(arena, cluster->count * sizeof *refs);
	STR_AUTO own = STR_INIT;

	for (size_t i = 0; i < cluster->count; i++) {
		parts[i] = &survey->facts[cluster->members[i]];
		refs[i] = parts[i]->item->ref;
	}
	alike_group_name(&own, refs, cluster->count);
	return slice_equal(str_slice(&own), name) ? parts : NULL;
}

/* Looks for the group at the threshold of the settings, then at the one that is given. */
static int merge_find_group(struct merge_work *work, struct facts ***parts, size_t *count,
			    struct err *err)
{
	struct slice name = work->args->refs.items[0];
	double thresholds[2] = {0, merge_threshold_of(work->args)};
	struct settings settings;
	struct survey survey;

	if (store_settings(work->call->store, &settings, err) != 0)
		return -1;
	thresholds[0] = settings.cluster_threshold;
	merge_look_around(&survey, work->call);
	*parts = NULL;
	for (size_t t = 0; t < 2 && !*parts; t++) {
		struct clusters clusters;

		alike_groups(&clusters, survey.words, survey.count, thresholds[t], &settings,
			     work->call->progress);
		for (size_t i = 0; i < clusters.count && !*parts; i++) {
			*parts = merge_members_of(work, &survey, &clusters.list[i], name);
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

static int merge_name_units(struct merge_work *work, struct err *err)
{
	size_t count = work->args->refs.count;
	struct facts **parts = arena_alloc(work->call->arena, count * sizeof(void *));
	struct merge_unit *unit;

	if (merge_names_group(work->args) ? merge_find_group(work, &parts, &count, err) != 0
					  : merge_find_named(work, parts, err) != 0)
		return -1;
	unit = merge_add_unit(work, (const struct facts *const *)parts, count);
	merge_find_conflicts(work, unit);
	if (work->args->mode == MERGE_LINK)
		merge_link_unit(work, unit);
	else
		merge_plan_unit(work, unit, (enum merging_keep)work->args->keep);
	return 0;
}

/* ---- groups that are found */

/*
 * What of a cluster says the same becomes one; the rest is for somebody to decide. Or all of it is
 * linked.
 */
static void merge_take_cluster(struct merge_work *work, const struct survey *survey,
			       const struct cluster *cluster)
{
	struct arena *arena = work->call->arena;
	struct facts *members = arena_alloc(arena, cluster->count * sizeof *members);
	const struct facts **parts = arena_alloc(arena, cluster->count * sizeof(void *));
	struct merge_unit *unit;
	enum merging_keep keep = work->args->keep == KEEP_COMBINE
					 ? KEEP_LONGEST
					 : (enum merging_keep)work->args->keep;
	struct duplicates duplicates;

	for (size_t i = 0; i < cluster->count; i++) {
		members[i] = survey->facts[cluster->members[i]];
		parts[i] = &members[i];
	}
	if (work->args->mode == MERGE_LINK) {
		unit = merge_add_unit(work, parts, cluster->count);
		merge_find_conflicts(work, unit);
		merge_link_unit(work, unit);
		return;
	}
	duplicates_find(&duplicates, members, cluster->count, 0, NULL, arena);
	for (size_t g = 0; g < duplicates.group_count; g++)
		merge_plan_unit(work,
				merge_add_unit(work, duplicates.groups[g].parts,
					       duplicates.groups[g].count),
				keep);
	if (duplicates.candidate_count == 0)
		return;
	unit = merge_add_unit(work, parts, cluster->count);
	merging_decide(&unit->merging, (enum merging_keep)work->args->keep, arena);
	merge_find_conflicts(work, unit);
	unit->reason = unit->merging.obstacle.ptr ? unit->merging.obstacle
						  : duplicates.candidates[0].reason;
}

static int merge_compare_cohesion(const void *a, const void *b)
{
	double first = ((const struct cluster *)a)->cohesion;
	double second = ((const struct cluster *)b)->cohesion;

	return (first < second) - (first > second);
}

static int merge_find_units(struct merge_work *work, struct err *err)
{
	const bool link = work->args->mode == MERGE_LINK;
	double threshold = merge_threshold_of(work->args);
	struct settings settings;
	struct clusters clusters;
	struct survey survey;

	if (store_settings(work->call->store, &settings, err) != 0)
		return -1;
	merge_look_around(&survey, work->call);
	alike_groups(&clusters, survey.words, survey.count, link ? LINK_FROM : threshold, &settings,
		     work->call->progress);
	if (clusters.count)
		qsort(clusters.list, clusters.count, sizeof *clusters.list, merge_compare_cohesion);
	for (size_t i = 0; i < clusters.count; i++) {
		const struct cluster *cluster = &clusters.list[i];

		if (link ? cluster->cohesion >= LINK_FROM && cluster->cohesion < threshold
			 : cluster->cohesion >= threshold)
			merge_take_cluster(work, &survey, cluster);
	}
	clusters_release(&clusters);
	return 0;
}

/* What was named and cannot be done is an error; a preview says so instead. */
static int merge_check_done(const struct merge_work *work, struct err *err)
{
	if (!work->args->refs.given || work->args->mode != MERGE_APPLY)
		return 0;
	if (work->units[0].reason.ptr)
		return err_set(err, ERR_BAD_VALUE,
			       "refs: %.*s; use keep to choose whose value stays, value to give "
			       "another, or mode link",
			       (int)work->units[0].reason.len, work->units[0].reason.ptr);
	for (size_t i = 0; i < work->plan.count; i++) {
		const struct plan_step *step = &work->plan.steps[i];

		if (step->skip_code != ERR_NONE)
			return err_set(err, step->skip_code, "%s", step->skipped.ptr);
	}
	return 0;
}

static int merge_work_out(struct merge_work *work, struct err *err)
{
	work->plan.unattended = !work->args->refs.given && work->args->mode != MERGE_LINK;
	if ((work->args->refs.given ? merge_name_units(work, err) : merge_find_units(work, err)) !=
		    0 ||
	    merge_check_done(work, err) != 0)
		return -1;
	if (plan_apply(&work->plan, work->change, work->call->warning, &work->result, err) != 0)
		return -1;
	return merge_check_done(work, err);
}

/* ---- the reply */

static void merge_write_refs(struct json_writer *w, const char *name, const struct merging *merging)
{
	json_write_member_array(w, name);
	for (size_t i = 0; i < merging->count; i++)
		json_write_string(w, merging->parts[i]->item->ref);
	json_write_end(w);
}

static void merge_write_conflicts(struct json_writer *w, const struct merge_unit *unit)
{
	if (unit->conflict_count == 0)
		return;
	json_write_member_array(w, "conflicts");
	for (size_t i = 0; i < unit->conflict_count; i++) {
		const struct duplicates_candidate *conflict = &unit->conflicts[i];
		const struct slice refs[] = {conflict->a->item->ref, conflict->b->item->ref};

		json_write_object(w);
		common_write_texts(w, "refs", refs, 2);
		json_write_member_string(w, "reason", conflict->reason);
		json_write_member_object(w, "suggest");
		json_write_member_string(w, "from", refs[0]);
		json_write_member_string(w, "to", refs[1]);
		json_write_member_string(w, "type",
					 slice_of(relation_type_names[RELATION_CONTRADICTS]));
		json_write_end(w);
		json_write_end(w);
	}
	json_write_end(w);
}

static const struct plan_step *merge_step_of(const struct merge_work *work,
					     const struct merge_unit *unit)
{
	return unit->step == SIZE_MAX ? NULL : &work->plan.steps[unit->step];
}

/* Why the unit is not merged; absent where it is. */
static struct slice merge_reason_of(const struct merge_work *work, const struct merge_unit *unit)
{
	const struct plan_step *step = merge_step_of(work, unit);

	return step && step->skip_code != ERR_NONE ? step->skipped : unit->reason;
}

/* ---- preview */

/* What the entry would be. */
static void merge_write_merged(struct json_writer *w, const struct merging *merging)
{
	static const char *const lists[][2] = {{"merged_entities", "entities"},
					       {"merged_tags", "tags"}};
	ARENA_AUTO arena = ARENA_INIT;
	JSON_AUTO doc = {0};
	double strength = 1;

	common_parse(&doc, merging->text);
	json_write_member_string(w, "new_memory_id", merging->parts[merging->kept]->item->ref);
	json_write_member_string(
		w, "merged_content_preview",
		utf8_cut(merging_words(merging->value, &arena), PREVIEW_CHARACTERS));
	for (size_t i = 0; i < 2; i++) {
		uint32_t node = json_member(&doc, JSON_ROOT, lists[i][1]);

		if (node != JSON_NONE)
			json_write_member_value(w, lists[i][0], &doc, node);
		else
			json_write_member_raw(w, lists[i][0], slice_of("[]"));
	}
	json_double(&doc, json_member(&doc, JSON_ROOT, "strength"), &strength);
	json_write_member_fixed(w, "calculated_strength", strength, ENTRY_STRENGTH_DECIMALS);
	json_write_member_int(w, "bytes", (int64_t)entry_size(merging->text));
}

static void merge_write_preview(struct json_writer *w, const struct merge_work *work,
				const struct merge_unit *unit)
{
	struct slice *refs = arena_alloc(work->call->arena, unit->merging.count * sizeof *refs);
	struct slice reason = merge_reason_of(work, unit);
	STR_AUTO name = STR_INIT;

	json_write_object(w);
	for (size_t i = 0; i < unit->merging.count; i++)
		refs[i] = unit->merging.parts[i]->item->ref;
	alike_group_name(&name, refs, unit->merging.count);
	json_write_member_string(w, "cluster_id", str_slice(&name));
	merge_write_refs(w, "refs", &unit->merging);
	json_write_member_int(w, "memory_count", (int64_t)unit->merging.count);
	common_write_score(w, "cohesion", unit->merging.cohesion);
	json_write_member_string(w, "action", slice_of(reason.ptr ? "review" : "merge"));
	if (reason.ptr)
		json_write_member_string(w, "reason", reason);
	if (unit->merging.text.ptr)
		merge_write_merged(w, &unit->merging);
	merge_write_conflicts(w, unit);
	json_write_end(w);
}

static void merge_write_previews(struct json_writer *w, const struct merge_work *work)
{
	json_write_member_bool(w, "auto_detect", work->args->auto_detect == 1);
	json_write_member_int(w, "candidates_found", (int64_t)work->unit_count);
	json_write_member_array(w, "previews");
	for (size_t i = 0; i < work->unit_count; i++)
		merge_write_preview(w, work, &work->units[i]);
	json_write_end(w);
}

/* ---- apply */

static double merge_confidence_of(const struct merging *merging)
{
	double confidence = 0;

	for (size_t i = 0; i < merging->count; i++) {
		if (merging->parts[i]->item->entry.confidence > confidence)
			confidence = merging->parts[i]->item->entry.confidence;
	}
	return confidence;
}

static void merge_write_done(struct json_writer *w, const struct merge_work *work,
			     const struct merge_unit *unit)
{
	const struct plan_step *step = merge_step_of(work, unit);

	json_write_member_string(w, "new_memory_id", step->ref);
	merge_write_refs(w, "source_ids", &unit->merging);
	common_write_texts(w, "relation_ids", step->link_ids, step->link_count);
	json_write_member_int(w, "archived_count", (int64_t)unit->merging.count - 1);
	json_write_member_int(w, "new_access_count", merging_hits(&unit->merging));
	json_write_member_double(w, "new_confidence", merge_confidence_of(&unit->merging));
	common_write_score(w, "cohesion", unit->merging.cohesion);
	merge_write_conflicts(w, unit);
}

/* What was found: what became one, and what is left to somebody. Returns the entries that went. */
static size_t merge_write_found(struct json_writer *w, const struct merge_work *work)
{
	size_t archived = 0;

	json_write_member_array(w, "merges");
	for (size_t i = 0; i < work->unit_count; i++) {
		if (merge_reason_of(work, &work->units[i]).ptr)
			continue;
		json_write_object(w);
		merge_write_done(w, work, &work->units[i]);
		json_write_end(w);
		archived += work->units[i].merging.count - 1;
	}
	json_write_end(w);
	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < work->unit_count; i++) {
		const struct merge_unit *unit = &work->units[i];

		if (!merge_reason_of(work, unit).ptr)
			continue;
		json_write_object(w);
		merge_write_refs(w, "refs", &unit->merging);
		common_write_score(w, "cohesion", unit->merging.cohesion);
		json_write_member_string(w, "reason", merge_reason_of(work, unit));
		merge_write_conflicts(w, unit);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_member_int(w, "archived_count", (int64_t)archived);
	return archived;
}

static void merge_write_applied(struct json_writer *w, const struct merge_work *work)
{
	STR_AUTO message = STR_INIT;
	size_t archived;

	if (work->args->refs.given) {
		const struct merging *merging = &work->units[0].merging;

		merge_write_done(w, work, &work->units[0]);
		str_printf(&message, "Merged %zu memories into ", merging->count);
		str_add(&message, merging->parts[merging->kept]->item->ref);
	} else {
		archived = merge_write_found(w, work);
		str_printf(&message, "Archived %zu %s", archived,
			   archived == 1 ? "memory that another says" : "memories that others say");
	}
	json_write_member_string(w, "message", str_slice(&message));
}

/* ---- link */

static void merge_write_linked(struct json_writer *w, const struct merge_work *work)
{
	STR_AUTO message = STR_INIT;
	size_t created = 0;

	json_write_member_array(w, "relation_ids");
	for (size_t i = 0; i < work->plan.count; i++) {
		const struct plan_step *step = &work->plan.steps[i];

		if (step->skip_code != ERR_NONE)
			continue;
		json_write_string(w, step->link_ids[0]);
		created++;
	}
	json_write_end(w);
	json_write_member_int(w, "relations_created", (int64_t)created);
	json_write_member_array(w, "groups");
	for (size_t i = 0; i < work->unit_count; i++) {
		json_write_object(w);
		merge_write_refs(w, "refs", &work->units[i].merging);
		common_write_score(w, "cohesion", work->units[i].merging.cohesion);
		merge_write_conflicts(w, &work->units[i]);
		json_write_end(w);
	}
	json_write_end(w);
	str_printf(&message, "Created %zu %s in %zu %s", created,
		   created == 1 ? "relation" : "relations", work->unit_count,
		   work->unit_count == 1 ? "group" : "groups");
	json_write_member_string(w, "message", str_slice(&message));
}

static void merge_reply(struct json_writer *w, const struct merge_work *work)
{
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_string(w, "mode", slice_of(merge_mode_names[work->args->mode]));
	if (work->args->mode == MERGE_PREVIEW)
		merge_write_previews(w, work);
	else if (work->args->mode == MERGE_APPLY)
		merge_write_applied(w, work);
	else
		merge_write_linked(w, work);
	common_write_refs(w, "evicted", work->result.evicted, work->result.evicted_count);
	common_end_reply(w, work->call);
}

/*
 * Decides what becomes of the named entries, or of the groups that are found, applies it to the
 * change, and writes the reply. In the apply mode ERR_BAD_VALUE where named entries cannot be
 * merged.
 */
static int merge_run(const struct call *call, const struct merge_args *args, struct change *change,
		     struct json_writer *w, struct err *err)
{
	struct merge_work work = {.call = call, .args = args, .change = change, .plan = PLAN_INIT};
	int result = merge_work_out(&work, err);

	if (result == 0)
		merge_reply(w, &work);
	free(work.units);
	plan_release(&work.plan);
	return result;
}

static const char *const keep_names[] = {
	"combine", "higher_confidence", "higher_access", "first", "second", NULL};

static const struct param params[] = {
	{PARAM(TEXTS, merge_args, refs), .flags = PARAM_POSITIONAL | PARAM_EXISTING,
	 .help = "two or more"},
	{PARAM(BOOL, merge_args, auto_detect), .help = "look for groups"},
	{PARAM(NUMBER, merge_args, cohesion_threshold), .flags = PARAM_OPEN_RANGE, .max = 1,
	 .help = "least similarity, 0 to 1", .fallback = "0.75"},
	{PARAM(CHOICE, merge_args, keep), .choices = keep_names, .help = "whose value stays",
	 .fallback = "\"combine\""},
	{PARAM(CHOICE, merge_args, mode), .choices = merge_mode_names, .fallback = "\"preview\""},
	{PARAM(JSON, merge_args, value), .help = "the result's wording"},
	SCREEN_PARAM(merge_args),
};

static int merge_check_args(const struct merge_args *args, struct err *err)
{
	if (args->refs.given && args->auto_detect == 1)
		return err_set(err, ERR_BAD_VALUE, "refs: give refs or auto_detect, not both");
	if (!args->refs.given && args->auto_detect != 1)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "refs: missing; give two or more, or auto_detect true");
	if (args->refs.given && args->refs.count < 2 && !merge_names_group(args))
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; give two or more", args->refs.count);
	if (args->value.doc && (!args->refs.given || args->mode == MERGE_LINK))
		return err_set(err, ERR_BAD_VALUE,
			       "value: needs refs, and mode preview or apply; it becomes the value "
			       "of the merged entry");
	if (args->refs.count > MERGE_REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       args->refs.count, MERGE_REFS_MAX);
	return 0;
}

static int merge_handle(const struct call *call, const void *arguments, struct json_writer *w,
			struct err *err)
{
	const struct merge_args *args = arguments;
	CHANGE_AUTO change = NULL;

	if (merge_check_args(args, err) != 0 ||
	    common_change_begin_unless(&change, call, args->mode == MERGE_PREVIEW, err) != 0)
		return -1;
	return merge_run(call, args, change, w, err);
}

const struct tool tool_merge = {
	.name = "memory_merge",
	.command = "merge",
	.title = "Merge memories",
	.section = SECTION_UPKEEP,
	.summary = "Merge memories that say the same, or link them. Preview first.",
	TOOL_TAKES(params, merge_args),
	.flags = TOOL_DESTRUCTIVE,
	.screen = screen_arguments,
	.run = merge_handle,
};
