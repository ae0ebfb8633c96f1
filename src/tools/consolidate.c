#include "base/map.h"
#include "base/mem.h"
#include "ops/common.h"
#include "ops/maintain/duplicates.h"
#include "ops/maintain/patterns.h"
#include "ops/maintain/plan_file.h"
#include "ops/similar_text.h"
#include "store/view/relations.h"
#include "tools/registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum consolidate_mode { CONSOLIDATE_LIGHT, CONSOLIDATE_DEEP, CONSOLIDATE_REM };

struct consolidate_wanted {
	enum consolidate_mode mode;
	double salience_threshold;
	size_t max_memories; /* 0: all */
	bool save;           /* patterns */
};

struct consolidate_found {
	size_t active;                /* entries before */
	size_t clusters;              /* groups of entries that are alike; 0 in light mode */
	struct duplicates duplicates; /* its candidates are left to somebody */
	struct pattern patterns[PATTERNS_MAX];
	size_t pattern_count;
	struct pattern_drift drift; /* unknown but in rem mode */
};

/* Likeness of the words of what may be a duplicate. */
static const double duplicate_likeness[] = {0.95, 0.90, 0.90};

/* Members that a saved pattern names: the last ones. */
#define NAMED_MAX 20

/* Bytes that are left free when patterns are saved: nothing has to make room for them. */
#define ROOM_BYTES 4096

struct planning {
	struct plan *plan;
	const struct change *change;
	const struct consolidate_wanted *wanted;
	struct consolidate_found *found;
	struct settings settings;
	struct arena *arena;
	struct facts *facts; /* of the entries that are looked at */
	size_t count;
	struct map changed;  /* refs of what steps change; to 1 where the entry goes, else 0 */
	struct slice *texts; /* of these */
	struct facts *left;  /* those that remain and are no patterns */
	struct slice *words; /* of each of these, as they will be */
	size_t left_count;
};

/* ---- which entries */

static int consolidate_compare_place(const void *a, const void *b)
{
	const struct item *first = ((const struct facts *)a)->item;
	const struct item *second = ((const struct facts *)b)->item;

	return (first > second) - (first < second);
}

static void consolidate_look(struct planning *p)
{
	size_t max = p->wanted->max_memories;

	p->facts = facts_read_all(change_store(p->change), change_now_ms(p->change), p->arena,
				  &p->count);
	p->found->active = p->count;
	if (max > 0 && max < p->count) {
		qsort(p->facts, p->count, sizeof *p->facts, facts_compare_idle);
		p->count = max;
		qsort(p->facts, p->count, sizeof *p->facts, consolidate_compare_place);
	}
	for (size_t i = 0; i < p->count; i++)
		facts_hold(&p->facts[i], p->arena);
}

/* ---- duplicates */

static void consolidate_plan_merges(struct planning *p)
{
	duplicates_find(&p->found->duplicates, p->facts, p->count,
			duplicate_likeness[p->wanted->mode], store_watcher(change_store(p->change)),
			p->arena);
	duplicates_plan(&p->found->duplicates, p->plan, p->wanted->salience_threshold, p->arena);
	for (size_t i = 0; i < p->plan->count; i++) {
		const struct plan_step *step = &p->plan->steps[i];

		if (step->kind != PLAN_MERGE)
			continue;
		for (size_t k = 0; k < step->base_count; k++)
			map_put(&p->changed, step->bases[k].ref, k > 0);
	}
}

/* ---- what does not matter */

static void consolidate_plan_prunes(struct planning *p)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct facts *facts = &p->facts[i];

		/* An entry that still holds is spared: only expiry and fading remove it. */
		if (facts->kept != PROTECTION_NONE || !facts->report ||
		    facts->salience >= p->wanted->salience_threshold ||
		    map_get(&p->changed, facts->item->ref, NULL))
			continue;
		plan_because(p->plan, plan_archive(p->plan, facts->item, REASON_PRUNED),
			     "its salience, %.3f, is below %g", facts->salience,
			     p->wanted->salience_threshold);
		map_put(&p->changed, facts->item->ref, 1);
	}
}

/* ---- groups */

/* The merge that the entry remains of; NULL for none. */
static const struct merging *consolidate_merging_of(const struct planning *p,
						    const struct item *item)
{
	for (size_t i = 0; i < p->found->duplicates.group_count; i++) {
		const struct merging *merging = &p->found->duplicates.groups[i];

		if (merging->text.ptr && merging->parts[merging->kept]->item == item)
			return merging;
	}
	return NULL;
}

/* The entries that remain, as they will be. */
static void consolidate_look_at_rest(struct planning *p)
{
	p->left = arena_alloc(p->arena, (p->count + 1) * sizeof *p->left);
	p->words = arena_alloc(p->arena, (p->count + 1) * sizeof *p->words);
	for (size_t i = 0; i < p->count; i++) {
		const struct facts *facts = &p->facts[i];
		struct slice words = alike_text(facts->item, p->arena);
		const struct merging *merging;
		size_t goes = 0;

		if (slice_is(facts->item->entry.source, PATTERN_SOURCE))
			continue;
		if (map_get(&p->changed, facts->item->ref, &goes)) {
			if (goes)
				continue;
			merging = consolidate_merging_of(p, facts->item);
			words = merging_words(merging ? merging->value : facts->item->entry.value,
					      p->arena);
		}
		p->words[p->left_count] = words;
		p->left[p->left_count++] = *facts;
	}
}

static int consolidate_plan_links(struct planning *p, struct err *err)
{
	struct clusters clusters;
	const struct link *links;
	size_t count;
	size_t room;

	if (store_links(change_store(p->change), &links, &count, err) != 0)
		return -1;
	room = count < LINKS_MAX ? LINKS_MAX - count : 0;
	alike_groups(&clusters, p->words, p->left_count, p->settings.cluster_threshold,
		     &p->settings, store_watcher(change_store(p->change)));
	p->found->clusters = clusters.count;
	for (size_t i = 0; i < clusters.count; i++) {
		const struct cluster *cluster = &clusters.list[i];
		const struct item *first = p->left[cluster->members[0]].item;

		/* Each member is linked to the first, as far as there is room for links. */
		for (size_t k = 1; k < cluster->count && room > 0; k++, room--)
			plan_link(p->plan, first, p->left[cluster->members[k]].item,
				  RELATION_RELATED, round(cluster->cohesion * 10000) / 10000,
				  slice_of(NULL));
	}
	clusters_release(&clusters);
	return 0;
}

/* ---- patterns */

/* How many members of the pattern the entry names. */
static size_t consolidate_count_members(const struct entry *entry, const struct pattern *pattern)
{
	uint32_t list = json_member(entry->doc, entry->value_node, "members");
	size_t count = 0;

	for (uint32_t n = json_first(entry->doc, list); n != JSON_NONE;
	     n = json_next(entry->doc, n)) {
		STR_AUTO scratch = STR_INIT;
		struct slice ref = json_string(entry->doc, n, &scratch);

		for (size_t i = 0; i < pattern->count; i++)
			count += slice_equal(ref, pattern->members[i]);
	}
	return count;
}

/*
 * The entry that the pattern was saved as: what it is named after may be another word by now, so
 * that most of its members count.
 */
static const struct item *consolidate_find_known(const struct planning *p,
						 const struct pattern *pattern)
{
	size_t count;
	const struct item *items = store_items(change_store(p->change), &count);
	const struct item *named = store_find(change_store(p->change), CATEGORY_PATTERNS,
					      pattern->key);

	for (size_t i = 0; i < count && !named; i++) {
		const struct entry *entry = &items[i].entry;

		if (entry->category == CATEGORY_PATTERNS && !items[i].due &&
		    slice_is(entry->source, PATTERN_SOURCE) &&
		    consolidate_count_members(entry, pattern) * 2 > pattern->count)
			named = &items[i];
	}
	return named;
}

static struct slice consolidate_pattern_entry(const struct planning *p,
					      const struct pattern *pattern)
{
	size_t first = pattern->count > NAMED_MAX ? pattern->count - NAMED_MAX : 0;
	const struct item *known = consolidate_find_known(p, pattern);
	STR_AUTO value = STR_INIT;
	STR_AUTO confidence = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct entry_fields fields = {.source = slice_of("\"" PATTERN_SOURCE "\"")};
	struct json_writer w;

	json_writer_init(&w, &value, &json_compact);
	json_write_object(&w);
	json_write_member_string(&w, "pattern", pattern->description);
	common_write_texts(&w, "members", pattern->members + first, pattern->count - first);
	json_write_end(&w);
	json_writer_init(&w, &confidence, &json_compact);
	json_write_fixed(&w, pattern->confidence, 4);
	fields.value = str_slice(&value);
	fields.confidence = str_slice(&confidence);
	entry_compose(&text, known ? &known->entry : NULL, &fields, change_now_ms(p->change));
	return arena_copy(p->arena, str_slice(&text));
}

/* Bytes of an entry in a file, once the plan is done. */
static int64_t consolidate_bytes_then(const struct planning *p, const struct item *item)
{
	size_t goes = 0;
	size_t len = item->entry.text.len;

	if (map_get(&p->changed, item->ref, &goes)) {
		const struct merging *merging = consolidate_merging_of(p, item);

		if (goes)
			return 0;
		/* In the spacing of the text that it replaces. */
		if (merging)
			len = len * merging->text.len / entry_stored_size(&item->entry);
	}
	return (int64_t)(len + 2 * item->entry.key.len + 16);
}

/* Is it one of the patterns that were found? */
static bool consolidate_is_found(const struct planning *p, const struct item *item)
{
	for (size_t i = 0; i < p->found->pattern_count; i++) {
		if (consolidate_find_known(p, &p->found->patterns[i]) == item)
			return true;
	}
	return false;
}

/*
 * Room for entries of the category, and for bytes, when all that the plan does is done, so that
 * another run finds no more room than this one. Patterns that were found again are left out of the
 * bytes: all that were found are counted alike, whether they are there or not.
 */
static void consolidate_count_room(const struct planning *p, int64_t *entries, int64_t *bytes)
{
	size_t count;
	const struct item *items = store_items(change_store(p->change), &count);

	*entries = p->settings.entries_per_category;
	*bytes = p->settings.total_bytes - ROOM_BYTES;
	for (size_t i = 0; i < count; i++) {
		bool in_category = items[i].entry.category == CATEGORY_PATTERNS;
		int64_t size = consolidate_bytes_then(p, &items[i]);

		*entries -= in_category && size > 0;
		if (!in_category || !consolidate_is_found(p, &items[i]))
			*bytes -= size;
	}
}

/* An estimate from above. */
static int64_t consolidate_pattern_bytes(struct slice text)
{
	return 2 * (int64_t)text.len;
}

/* Looks for what recurs before anything goes, in what has left by age, too. */
static int consolidate_find_patterns(struct planning *p, struct err *err)
{
	struct pattern_note *notes;
	size_t count;

	if (patterns_notes(change_store(p->change), p->facts, p->count,
			   p->wanted->max_memories == 0, p->arena, &notes, &count, err) != 0)
		return -1;
	p->found->pattern_count = patterns_find(notes, count, p->arena, p->found->patterns);
	p->texts = alike_texts(p->facts, p->count, p->arena);
	pattern_drift(p->facts, p->texts, p->count, p->arena, &p->found->drift);
	return 0;
}

/* An entry that says so already, or is the person's own, stays as it is. */
static bool consolidate_says(const struct item *known, struct slice text)
{
	JSON_AUTO doc = {0};

	if (!slice_is(known->entry.source, PATTERN_SOURCE))
		return true;
	common_parse(&doc, text);
	return common_same_json(known->entry.value,
				json_text(&doc, json_member(&doc, JSON_ROOT, "value")));
}

/* Saves those that are asked for, and none for which others had to go. */
static void consolidate_plan_patterns(struct planning *p)
{
	struct slice texts[PATTERNS_MAX];
	int64_t entries;
	int64_t bytes;

	consolidate_count_room(p, &entries, &bytes);
	for (size_t i = 0; i < p->found->pattern_count; i++) {
		texts[i] = consolidate_pattern_entry(p, &p->found->patterns[i]);
		if (consolidate_find_known(p, &p->found->patterns[i]))
			bytes -= consolidate_pattern_bytes(texts[i]);
	}
	for (size_t i = 0; i < p->found->pattern_count; i++) {
		struct pattern *pattern = &p->found->patterns[i];
		const struct item *known = consolidate_find_known(p, pattern);
		struct plan_step *step;

		if (known) {
			pattern->key = arena_copy(p->arena, known->entry.key);
			pattern->saved = true;
		}
		if (!p->wanted->save || (known && consolidate_says(known, texts[i])))
			continue;
		if (!known) {
			bytes -= consolidate_pattern_bytes(texts[i]);
			if (--entries < 0 || bytes < 0)
				continue;
		}
		step = plan_put(p->plan, known, CATEGORY_PATTERNS, pattern->key, texts[i]);
		step->named = step->keeps_old = known != NULL;
		plan_because(p->plan, step, "%s", pattern->description.ptr);
		pattern->saved = true;
	}
}

/*
 * Adds to the plan what is to be done at the moment of the change: merges, archiving of what does
 * not matter, links and entries for patterns. What is found lives in the arena and outlasts a
 * commit.
 */
static int consolidate_plan(struct plan *plan, const struct change *change,
			    const struct consolidate_wanted *wanted,
			    struct consolidate_found *found, struct arena *arena, struct err *err)
{
	struct planning p = {
		.plan = plan,
		.change = change,
		.wanted = wanted,
		.found = found,
		.arena = arena,
		.changed = MAP_INIT,
	};
	int rc = store_settings(change_store(change), &p.settings, err);

	if (rc != 0)
		return rc;
	*found = (struct consolidate_found){0};
	plan->unattended = true;
	consolidate_look(&p);
	if (wanted->mode == CONSOLIDATE_REM)
		rc = consolidate_find_patterns(&p, err);
	if (rc != 0)
		return rc;
	consolidate_plan_merges(&p);
	consolidate_plan_prunes(&p);
	if (wanted->mode != CONSOLIDATE_LIGHT) {
		consolidate_look_at_rest(&p);
		rc = consolidate_plan_links(&p, err);
	}
	if (rc == 0 && wanted->mode == CONSOLIDATE_REM)
		consolidate_plan_patterns(&p);
	map_release(&p.changed);
	return rc;
}

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

static void consolidate_write_pattern(struct json_writer *w, const struct pattern *pattern,
				      struct arena *arena)
{
	static const struct {
		const char *name;
		enum recurring_role role;
	} shared[] = {{"words", RECURRING_WORD},
		      {"names", RECURRING_NAME},
		      {"after", RECURRING_CAUSE},
		      {"done", RECURRING_REMEDY}};

	json_write_member_string(w, "pattern_id",
				 common_ref(arena, CATEGORY_PATTERNS, pattern->key));
	json_write_member_string(w, "description", pattern->description);
	json_write_member_int(w, "memory_count", (int64_t)pattern->count);
	common_write_score(w, "confidence", pattern->confidence);
	common_write_time(w, "since", pattern->since_ms);
	common_write_time(w, "until", pattern->until_ms);
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
		struct slice *words;
		size_t count = pattern_words(pattern, shared[i].role, arena, &words);

		if (count)
			common_write_texts(w, shared[i].name, words, count);
	}
	common_write_texts(w, "members", pattern->members, pattern->count);
	json_write_member_bool(w, "saved", pattern->saved);
}

static void consolidate_write_patterns(struct json_writer *w, const struct consolidate_found *found,
				       struct arena *arena)
{
	json_write_member_array(w, "new_patterns");
	for (size_t i = 0; i < found->pattern_count; i++) {
		json_write_object(w);
		consolidate_write_pattern(w, &found->patterns[i], arena);
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
	consolidate_write_patterns(w, out->found, arena);
	json_write_member_int(w, "final_memory_count", (int64_t)left);
	json_write_member_int(w, "duration_ms", out->duration_ms);
	json_write_member_bool(w, "dry_run", args->dry_run == 1);
	json_write_member_int(w, "relations_created", (int64_t)out->linked);
	plan_write_refs(w, "pruned", out->plan, PLAN_ARCHIVE, SHOWN_REFS);
	consolidate_write_merged(w, out->plan);
	json_write_member_int(w, "candidates_count",
			      (int64_t)out->found->duplicates.candidate_count);
	duplicates_write_candidates(w, &out->found->duplicates, SHOWN_CANDIDATES);
	consolidate_write_drift(w, &out->found->drift);
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
