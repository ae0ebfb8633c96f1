#include "tools/merge.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "similarity/cluster.h"
#include "ops/similar_text.h"
#include "tools/registry_rows.h"

#include <stdlib.h>

/* Most refs that can be merged at a time. */
#define REFS_MAX 100

/* Groups at least as alike as this, and less than what is merged, may be linked. */
#define LINK_FROM 0.40

#define NO_STEP SIZE_MAX

const char *const merge_mode_names[] = {"preview", "apply", "link", NULL};

static const char *const keep_names[] = {
	"combine", "higher_confidence", "higher_access", "first", "second", NULL};

static const struct param params[] = {
	{.name = "refs",
	 .type = PARAM_TEXTS,
	 .flags = PARAM_POSITIONAL | PARAM_EXISTING | PARAM_PLAIN,
	 .offset = offsetof(struct merge_args, refs),
	 .help = "two or more"},
	{.name = "auto_detect",
	 .type = PARAM_BOOL,
	 .flags = PARAM_PLAIN,
	 .offset = offsetof(struct merge_args, auto_detect),
	 .help = "find groups; only what surely says the same is merged"},
	{.name = "cohesion_threshold",
	 .type = PARAM_NUMBER,
	 .flags = PARAM_OPEN_RANGE,
	 .offset = offsetof(struct merge_args, cohesion_threshold),
	 .max = 1,
	 .fallback = "0.75"},
	{.name = "keep",
	 .type = PARAM_CHOICE,
	 .offset = offsetof(struct merge_args, keep),
	 .choices = keep_names,
	 .fallback = "\"combine\""},
	{.name = "mode",
	 .type = PARAM_CHOICE,
	 .offset = offsetof(struct merge_args, mode),
	 .choices = merge_mode_names,
	 .fallback = "\"preview\""},
};

/* ---- units */

static struct merge_unit *add_unit(struct merge_work *work, const struct facts *const *parts,
				   size_t count)
{
	struct merge_unit *unit;

	work->units = mem_grow(work->units, &work->unit_cap, work->unit_count + 1,
			       sizeof *work->units);
	unit = &work->units[work->unit_count++];
	*unit = (struct merge_unit){.step = NO_STEP};
	merging_init(&unit->merging, parts, count);
	return unit;
}

/* Pairs of the unit that contradict each other. */
static void find_conflicts(struct merge_work *work, struct merge_unit *unit)
{
	const struct merging *merging = &unit->merging;
	size_t pairs = merging->count * (merging->count - 1) / 2;

	unit->conflicts = arena_alloc(work->call->arena, pairs * sizeof *unit->conflicts);
	for (size_t i = 0; i < merging->count; i++) {
		for (size_t k = i + 1; k < merging->count; k++) {
			struct doubles_candidate *pair = &unit->conflicts[unit->conflict_count];

			if (doubles_compare(pair, merging->parts[i], merging->parts[k],
					    work->call->arena))
				unit->conflict_count++;
		}
	}
}

static void plan_unit(struct merge_work *work, struct merge_unit *unit, enum merging_keep keep)
{
	merging_decide(&unit->merging, keep, work->call->arena);
	if (unit->merging.obstacle.ptr) {
		unit->reason = unit->merging.obstacle;
		return;
	}
	merging_plan(&unit->merging, &work->plan);
	unit->step = work->plan.count - 1;
}

static void link_unit(struct merge_work *work, struct merge_unit *unit)
{
	const struct merging *merging = &unit->merging;

	unit->step = work->plan.count;
	for (size_t i = 0; i < merging->count; i++) {
		for (size_t k = i + 1; k < merging->count; k++)
			plan_link(&work->plan, merging->parts[i]->item, merging->parts[k]->item,
				  RELATION_RELATED,
				  doubles_likeness(merging->parts[i], merging->parts[k]),
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

static void look_around(struct survey *survey, const struct call *call)
{
	size_t count;
	const struct item *items = store_items(call->store, &count);

	survey->facts = arena_alloc(call->arena, (count + 1) * sizeof *survey->facts);
	survey->words = arena_alloc(call->arena, (count + 1) * sizeof *survey->words);
	survey->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (items[i].due)
			continue;
		facts_read(&survey->facts[survey->count], &items[i], call->now_ms, call->arena);
		facts_hold(&survey->facts[survey->count], call->arena);
		survey->words[survey->count++] = alike_text(&items[i], call->arena);
	}
}

static double threshold_of(const struct merge_args *args)
{
	double threshold = 0;

	json_double(args->cohesion_threshold.doc, args->cohesion_threshold.node, &threshold);
	return threshold;
}

/* ---- refs that are named */

static struct facts *facts_of(const struct merge_work *work, const struct item *item)
{
	struct facts *facts = arena_alloc(work->call->arena, sizeof *facts);

	facts_read(facts, item, work->call->now_ms, work->call->arena);
	return facts;
}

static int find_named(struct merge_work *work, struct facts **parts, struct err *err)
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
		parts[i] = facts_of(work, item);
	}
	for (size_t i = 0; i < refs->count; i++)
		facts_hold(parts[i], work->call->arena);
	return 0;
}

/* The name of a group, as memory_health and a preview have it, stands for its members. */
static bool is_group(const struct merge_args *args)
{
	static const char prefix[] = "cluster-";
	const struct slice *first = args->refs.items;

	return args->refs.count == 1 && first->len > sizeof prefix &&
	       memcmp(first->ptr, prefix, sizeof prefix - 1) == 0;
}

/* The members of a cluster if it has this name. */
static struct facts **members_of(const struct merge_work *work, const struct survey *survey,
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
static int find_group(struct merge_work *work, struct facts ***parts, size_t *count,
		      struct err *err)
{
	struct slice name = work->args->refs.items[0];
	double thresholds[2] = {0, threshold_of(work->args)};
	struct settings settings;
	struct similar *similar;
	struct survey survey;

	if (store_settings(work->call->store, &settings, err) != 0)
		return -1;
	thresholds[0] = settings.cluster_threshold;
	look_around(&survey, work->call);
	similar = similar_new(survey.words, survey.count);
	similar_watch(similar, work->call->progress);
	*parts = NULL;
	for (size_t t = 0; t < 2 && !*parts; t++) {
		struct clusters clusters;

		clusters_find(similar, thresholds[t], (size_t)settings.cluster_min,
			      (size_t)settings.cluster_max, &clusters);
		for (size_t i = 0; i < clusters.count && !*parts; i++) {
			*parts = members_of(work, &survey, &clusters.list[i], name);
			*count = clusters.list[i].count;
		}
		clusters_release(&clusters);
	}
	similar_free(similar);
	if (*parts)
		return 0;
	return err_set(err, ERR_NOT_FOUND,
		       "refs: there is no group \"%.*s\" now; give the refs of its members",
		       (int)name.len, name.ptr);
}

static int name_units(struct merge_work *work, struct err *err)
{
	size_t count = work->args->refs.count;
	struct facts **parts = arena_alloc(work->call->arena, count * sizeof(void *));
	struct merge_unit *unit;

	if (is_group(work->args) ? find_group(work, &parts, &count, err) != 0
				 : find_named(work, parts, err) != 0)
		return -1;
	unit = add_unit(work, (const struct facts *const *)parts, count);
	find_conflicts(work, unit);
	if (work->args->mode == MERGE_LINK)
		link_unit(work, unit);
	else
		plan_unit(work, unit, (enum merging_keep)work->args->keep);
	return 0;
}

/* ---- groups that are found */

/* What of a cluster says the same becomes one; the rest is for somebody to decide. */
static void split_cluster(struct merge_work *work, const struct survey *survey,
			  const struct cluster *cluster)
{
	struct arena *arena = work->call->arena;
	struct facts *members = arena_alloc(arena, cluster->count * sizeof *members);
	const struct facts **parts = arena_alloc(arena, cluster->count * sizeof(void *));
	struct merge_unit *unit;
	enum merging_keep keep = work->args->keep == KEEP_COMBINE
					 ? KEEP_LONGEST
					 : (enum merging_keep)work->args->keep;
	struct doubles doubles;

	for (size_t i = 0; i < cluster->count; i++) {
		members[i] = survey->facts[cluster->members[i]];
		parts[i] = &members[i];
	}
	doubles_find(&doubles, members, cluster->count, 0, NULL, arena);
	for (size_t g = 0; g < doubles.group_count; g++)
		plan_unit(work, add_unit(work, doubles.groups[g].parts, doubles.groups[g].count),
			  keep);
	if (doubles.candidate_count == 0)
		return;
	unit = add_unit(work, parts, cluster->count);
	merging_decide(&unit->merging, (enum merging_keep)work->args->keep, arena);
	find_conflicts(work, unit);
	unit->reason = unit->merging.obstacle.ptr ? unit->merging.obstacle
						  : doubles.candidates[0].reason;
}

static void link_cluster(struct merge_work *work, const struct survey *survey,
			 const struct cluster *cluster)
{
	struct arena *arena = work->call->arena;
	const struct facts **parts = arena_alloc(arena, cluster->count * sizeof(void *));
	struct merge_unit *unit;

	for (size_t i = 0; i < cluster->count; i++)
		parts[i] = &survey->facts[cluster->members[i]];
	unit = add_unit(work, parts, cluster->count);
	find_conflicts(work, unit);
	link_unit(work, unit);
}

static int compare_cohesion(const void *a, const void *b)
{
	double first = ((const struct cluster *)a)->cohesion;
	double second = ((const struct cluster *)b)->cohesion;

	return (first < second) - (first > second);
}

static int find_units(struct merge_work *work, struct err *err)
{
	const bool link = work->args->mode == MERGE_LINK;
	double threshold = threshold_of(work->args);
	struct settings settings;
	struct clusters clusters;
	struct similar *similar;
	struct survey survey;

	if (store_settings(work->call->store, &settings, err) != 0)
		return -1;
	look_around(&survey, work->call);
	similar = similar_new(survey.words, survey.count);
	similar_watch(similar, work->call->progress);
	clusters_find(similar, link ? LINK_FROM : threshold, (size_t)settings.cluster_min,
		      (size_t)settings.cluster_max, &clusters);
	if (clusters.count)
		qsort(clusters.list, clusters.count, sizeof *clusters.list, compare_cohesion);
	for (size_t i = 0; i < clusters.count; i++) {
		const struct cluster *cluster = &clusters.list[i];

		if (link && cluster->cohesion >= LINK_FROM && cluster->cohesion < threshold)
			link_cluster(work, &survey, cluster);
		else if (!link && cluster->cohesion >= threshold)
			split_cluster(work, &survey, cluster);
	}
	clusters_release(&clusters);
	similar_free(similar);
	return 0;
}

/* ---- */

static int check_args(const struct merge_args *args, struct err *err)
{
	if (args->refs.given && args->auto_detect == 1)
		return err_set(err, ERR_BAD_VALUE,
			       "refs: auto_detect looks for entries itself; give one of them");
	if (!args->refs.given && args->auto_detect != 1)
		return err_set(err, ERR_MISSING_ARGUMENT,
			       "refs: missing; give two or more, or auto_detect true");
	if (args->refs.given && args->refs.count < 2 && !is_group(args))
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; give two or more", args->refs.count);
	if (args->refs.count > REFS_MAX)
		return err_set(err, ERR_BAD_VALUE, "refs: %zu; at most %d are allowed at a time",
			       args->refs.count, REFS_MAX);
	return 0;
}

/* What was named and cannot be done is an error; a preview says so instead. */
static int check_done(const struct merge_work *work, struct err *err)
{
	if (!work->args->refs.given || work->args->mode != MERGE_APPLY)
		return 0;
	if (work->units[0].reason.ptr)
		return err_set(err, ERR_BAD_VALUE,
			       "refs: %.*s; name what is to stay with keep, or use mode link",
			       (int)work->units[0].reason.len, work->units[0].reason.ptr);
	for (size_t i = 0; i < work->plan.count; i++) {
		const struct plan_step *step = &work->plan.steps[i];

		if (step->skip_code != ERR_NONE)
			return err_set(err, step->skip_code, "%s", step->skipped.ptr);
	}
	return 0;
}

/* Decides, rehearses where that may fail, and applies. */
static int work_out(struct merge_work *work, struct err *err)
{
	work->plan.unattended = !work->args->refs.given && work->args->mode != MERGE_LINK;
	if ((work->args->refs.given ? name_units(work, err) : find_units(work, err)) != 0 ||
	    check_done(work, err) != 0)
		return -1;
	return plan_apply(&work->plan, work->change, &work->result, err);
}

static int run(const struct call *call, const void *arguments, struct json_writer *w,
	       struct err *err)
{
	struct merge_work work = {.call = call, .args = arguments, .plan = PLAN_INIT};
	int rc;

	if (check_args(work.args, err) != 0 ||
	    common_change_begin_unless(&work.change, call, work.args->mode == MERGE_PREVIEW, err) !=
		    0)
		return -1;
	rc = work_out(&work, err);
	if (rc == 0)
		rc = check_done(&work, err);
	if (rc == 0)
		merge_reply(w, &work);
	free(work.units);
	plan_release(&work.plan);
	change_end(work.change);
	return rc;
}

const struct tool tool_merge = {
	.name = "memory_merge",
	.command = "merge",
	.title = "Merge memories",
	.section = SECTION_UPKEEP,
	.summary = "Merge memories that say the same, or link them. Preview first.",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct merge_args),
	.flags = TOOL_DESTRUCTIVE,
	.run = run,
};
