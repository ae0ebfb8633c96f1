#include "ops/health.h"

#include "base/map.h"
#include "base/mem.h"
#include "ops/entry_stats.h"
#include "ops/hints.h"
#include "ops/similar_text.h"
#include "similarity/cluster.h"
#include "similarity/contradiction.h"
#include "similarity/similarity.h"
#include "store/view/query.h"

#include <math.h>
#include <stdlib.h>

#define TEXT_LENGTH 200
#define PAIR_TEXT_LENGTH 150
#define PREVIEW_LENGTH 100

/* Similarity from which on two entries are duplicates, where nothing else is asked for. */
#define HEALTH_DUPLICATE 0.95

/* A check at work. */
struct health {
	const struct call *call;
	const struct health_args *args;
	struct settings settings;
	struct facts *facts; /* of each active entry, in the order of the view */
	size_t count;
};

/* How often the entry was found by a lookup or used in an answer. */
static int64_t health_accesses(const struct facts *facts)
{
	return facts->item->hits + facts->item->uses;
}

/* The number that was given, or the other one. */
static double health_number(struct arg_json given, double otherwise)
{
	double number;

	return given.doc && json_double(given.doc, given.node, &number) ? number : otherwise;
}

/* Is the entry one of those that min_confidence lets through? */
static bool health_is_asked(const struct health *health, const struct facts *facts)
{
	double bound = health_number(health->args->min_confidence, INFINITY);

	return facts->item->entry.confidence < bound;
}

/* Writes the beginning of the value's text, of so many characters at most. */
static void health_write_preview(struct json_writer *w, const struct facts *facts,
				 size_t characters)
{
	STR_AUTO shown = STR_INIT;

	common_add_preview(&shown, &facts->item->entry, characters);
	json_write_string(w, str_slice(&shown));
}

/* The same as a member. */
static void health_write_text(struct json_writer *w, const char *name, const struct facts *facts,
			      size_t characters)
{
	json_write_name(w, slice_of(name));
	health_write_preview(w, facts, characters);
}

/* An entry of a list, and what the list is sorted by. */
struct row {
	const struct facts *facts;
	double first; /* smallest first; among equals by the second */
	double second;
};

struct rows {
	struct row *list;
	size_t count; /* that are shown */
	size_t found;
};

static int health_compare_rows(const void *a, const void *b)
{
	const struct row *one = a;
	const struct row *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	if (one->second != other->second)
		return one->second < other->second ? -1 : 1;
	return one->facts < other->facts ? -1 : one->facts > other->facts;
}

/* Does the entry belong into the list? Then *row says where. */
typedef bool (*chooser)(const struct health *health, const struct facts *facts, struct row *row);

/* Sorts all that belong there, and only then cuts to the limit. */
static struct rows health_collect(const struct health *health, chooser choose)
{
	struct rows rows = {mem_zalloc(health->count, sizeof *rows.list), 0, 0};

	for (size_t i = 0; i < health->count; i++) {
		struct row row = {&health->facts[i], 0, 0};

		if (health_is_asked(health, row.facts) && choose(health, row.facts, &row))
			rows.list[rows.found++] = row;
	}
	if (rows.found)
		qsort(rows.list, rows.found, sizeof *rows.list, health_compare_rows);
	rows.count = rows.found;
	if (rows.count > (size_t)health->args->limit)
		rows.count = (size_t)health->args->limit;
	return rows;
}

static void health_write_days(struct json_writer *w, const char *name, double days)
{
	json_write_member_int(w, name, days > 0 ? (int64_t)days : 0);
}

/* ---- stale */

static int64_t health_cutoff_of(const struct health *health)
{
	return health->call->now_ms - health->args->days_unused * MS_PER_DAY;
}

static bool health_is_stale(const struct health *health, const struct facts *facts, struct row *row)
{
	row->first = (double)facts->item->active_ms;
	return facts->item->active_ms < health_cutoff_of(health);
}

static void health_write_stale(struct json_writer *w, const struct facts *facts)
{
	const struct item *item = facts->item;

	json_write_object(w);
	json_write_member_string(w, "id", item->ref);
	health_write_text(w, "text", facts, TEXT_LENGTH);
	if (item->accessed_ms == TIME_NONE)
		json_write_member_string(w, "last_accessed", slice_of("never"));
	else
		common_write_time(w, "last_accessed", item->accessed_ms);
	health_write_days(w, "days_since_access", facts->idle_days);
	json_write_member_int(w, "access_count", health_accesses(facts));
	json_write_member_double(w, "confidence", facts->item->entry.confidence);
	json_write_member_string(w, "category", slice_of(category_name(item->entry.category)));
	json_write_member_string(w, "source",
				 facts->item->entry.source.ptr ? facts->item->entry.source
							       : slice_of("unknown"));
	json_write_end(w);
}

static void health_stale(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, health_is_stale);

	json_write_member_array(w, "stale_memories");
	for (size_t i = 0; i < rows.count; i++)
		health_write_stale(w, rows.list[i].facts);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "stale_count", (int64_t)rows.found);
	common_write_time(w, "cutoff_date", health_cutoff_of(health));
	json_write_member_int(w, "days_threshold", health->args->days_unused);
	free(rows.list);
}

/* ---- low access */

static bool health_is_little_used(const struct health *health, const struct facts *facts,
				  struct row *row)
{
	row->first = (double)health_accesses(facts);
	row->second = -facts->age_days;
	return health_accesses(facts) <= health->args->max_access_count &&
	       facts->age_days > (double)health->args->min_age_days;
}

static void health_low_access(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, health_is_little_used);

	json_write_member_array(w, "low_access_memories");
	for (size_t i = 0; i < rows.count; i++) {
		const struct facts *facts = rows.list[i].facts;

		json_write_object(w);
		json_write_member_string(w, "id", facts->item->ref);
		health_write_text(w, "text", facts, TEXT_LENGTH);
		json_write_member_int(w, "access_count", health_accesses(facts));
		health_write_days(w, "age_days", facts->age_days);
		json_write_member_double(w, "confidence", facts->item->entry.confidence);
		json_write_member_string(w, "category",
					 slice_of(category_name(facts->item->entry.category)));
		json_write_end(w);
	}
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "flagged_count", (int64_t)rows.found);
	free(rows.list);
}

/* ---- decay */

static bool health_is_fading(const struct health *health, const struct facts *facts,
			     struct row *row)
{
	row->first = facts_score(facts, &health->settings, health->call->now_ms);
	return decay_urgency(row->first) != DECAY_AT_EASE;
}

static void health_write_fading(const struct health *health, struct json_writer *w,
				const struct row *row)
{
	const struct facts *facts = row->facts;
	bool kept = facts->kept != PROTECTION_NONE;
	enum decay_action action = decay_action(&health->settings, row->first, facts->item->uses,
						facts->item->entry.strength, kept);
	double seconds;

	json_write_object(w);
	json_write_member_string(w, "memory_id", facts->item->ref);
	health_write_text(w, "text", facts, TEXT_LENGTH);
	common_write_score(w, "score", row->first);
	json_write_member_string(w, "urgency",
				 slice_of(decay_urgency_name(decay_urgency(row->first))));
	json_write_member_string(w, "action", slice_of(decay_action_names[action]));
	common_write_score(w, "review_priority", decay_review_priority(row->first));
	if (decay_time_until(&health->settings, facts_half_life(facts, &health->settings),
			     row->first, health->settings.forget_threshold,
			     (double)(health->call->now_ms - facts->fades_from_ms) / 1000,
			     &seconds))
		health_write_days(w, "days_until_faded", seconds * 1000 / (double)MS_PER_DAY);
	if (kept)
		json_write_member_string(w, "protected", slice_of(protection_text(facts->kept)));
	json_write_end(w);
}

static void health_decay(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, health_is_fading);
	int64_t urgencies[DECAY_HIGH + 1] = {0};

	for (size_t i = 0; i < rows.found; i++)
		urgencies[decay_urgency(rows.list[i].first)]++;
	json_write_member_array(w, "at_risk");
	for (size_t i = 0; i < rows.count; i++)
		health_write_fading(health, w, &rows.list[i]);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "at_risk_count", (int64_t)rows.found);
	json_write_member_object(w, "urgencies");
	for (int u = DECAY_HIGH; u >= DECAY_LOW; u--)
		json_write_member_int(w, decay_urgency_name((enum decay_urgency)u), urgencies[u]);
	json_write_end(w);
	free(rows.list);
}

/* ---- promotable */

static unsigned int health_merits_of(const struct health *health, const struct facts *facts)
{
	const struct call *call = health->call;
	double score = facts_score(facts, &health->settings, call->now_ms);

	return facts_merits(facts, score, &health->settings, call->now_ms);
}

static bool health_is_promotable(const struct health *health, const struct facts *facts,
				 struct row *row)
{
	row->first = -facts_score(facts, &health->settings, health->call->now_ms);
	return !facts->item->entry.promoted && health_merits_of(health, facts) != 0;
}

static void health_add_reason(const struct health *health, const struct row *row, struct str *out)
{
	unsigned int merits = health_merits_of(health, row->facts);

	if (merits & DECAY_MERIT_SCORE)
		str_printf(out, "score %.4f, at least %g (promote_threshold)", -row->first,
			   health->settings.promote_threshold);
	if (merits & DECAY_MERIT_USES)
		str_printf(out, "%s%lld uses within %lld days", out->len ? "; " : "",
			   (long long)row->facts->item->uses,
			   (long long)health->settings.promote_days);
}

static void health_promotable(const struct health *health, struct json_writer *w)
{
	struct rows rows = health_collect(health, health_is_promotable);

	json_write_member_array(w, "candidates");
	for (size_t i = 0; i < rows.count; i++) {
		const struct facts *facts = rows.list[i].facts;
		STR_AUTO reason = STR_INIT;

		health_add_reason(health, &rows.list[i], &reason);
		json_write_object(w);
		json_write_member_string(w, "id", facts->item->ref);
		health_write_text(w, "content_preview", facts, TEXT_LENGTH);
		json_write_member_string(w, "reason", str_slice(&reason));
		common_write_score(w, "score", -rows.list[i].first);
		json_write_member_int(w, "use_count", facts->item->uses);
		json_write_member_fixed(w, "age_days", facts->age_days, 1);
		json_write_end(w);
	}
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "candidates_found", (int64_t)rows.found);
	free(rows.list);
}

/* ---- comparing entries with each other */

/* The entries that are compared. */
struct sample {
	const struct facts **facts;
	struct slice *texts;
	struct similar *similar;
	size_t count;
};

static int health_newest_first(const void *a, const void *b)
{
	const struct facts *one = *(const struct facts *const *)a;
	const struct facts *other = *(const struct facts *const *)b;

	if (one->item->updated_ms != other->item->updated_ms)
		return one->item->updated_ms > other->item->updated_ms ? -1 : 1;
	return one < other ? -1 : one > other;
}

static int health_as_in_view(const void *a, const void *b)
{
	const struct facts *one = *(const struct facts *const *)a;
	const struct facts *other = *(const struct facts *const *)b;

	return one < other ? -1 : one > other;
}

/* The newest of them where not all are asked for. */
static void health_sample_init(struct sample *sample, const struct health *health, int64_t size)
{
	size_t count = 0;

	sample->facts = mem_zalloc(health->count, sizeof(const struct facts *));
	for (size_t i = 0; i < health->count; i++) {
		if (health_is_asked(health, &health->facts[i]))
			sample->facts[count++] = &health->facts[i];
	}
	if (size > 0 && (size_t)size < count) {
		qsort(sample->facts, count, sizeof(const struct facts *), health_newest_first);
		count = (size_t)size;
		qsort(sample->facts, count, sizeof(const struct facts *), health_as_in_view);
	}
	sample->count = count;
	sample->texts = mem_zalloc(count, sizeof *sample->texts);
	for (size_t i = 0; i < count; i++)
		sample->texts[i] = alike_text(sample->facts[i]->item, health->call->arena);
	sample->similar = similar_new(sample->texts, count);
	similar_watch(sample->similar, health->call->progress);
}

static void health_sample_release(struct sample *sample)
{
	similar_free(sample->similar);
	free(sample->texts);
	free(sample->facts);
}

static void health_begin_alike(struct json_writer *w, const char *list)
{
	json_write_member_string(w, "method", slice_of("lexical"));
	json_write_member_array(w, list);
}

/* ---- duplicates */

/* What should become of the two; with a contradiction, what it is. */
static void health_write_advice(struct json_writer *w, const struct sample *sample, size_t a,
				size_t b)
{
	STR_AUTO reason = STR_INIT;
	enum conflict conflict = conflict_find(sample->texts[a], sample->texts[b], &reason);
	const char *action = "review";

	if (conflict != CONFLICT_NONE)
		action = "contradicts";
	else if (alike_may_merge(sample->texts[a], sample->texts[b]) &&
		 sample->facts[a]->kept == PROTECTION_NONE &&
		 sample->facts[b]->kept == PROTECTION_NONE)
		action = "merge";
	json_write_member_string(w, "suggested_action", slice_of(action));
	if (conflict == CONFLICT_NONE)
		return;
	json_write_member_string(w, "conflict", slice_of(conflict_names[conflict]));
	json_write_member_string(w, "reason", str_slice(&reason));
}

static void health_write_pair(struct json_writer *w, const struct sample *sample,
			      const struct similar_pair *pair)
{
	const struct facts *one = sample->facts[pair->a];
	const struct facts *other = sample->facts[pair->b];

	json_write_object(w);
	json_write_member_string(w, "id1", one->item->ref);
	json_write_member_string(w, "id2", other->item->ref);
	common_write_score(w, "similarity", pair->similarity);
	health_write_text(w, "text1", one, PAIR_TEXT_LENGTH);
	health_write_text(w, "text2", other, PAIR_TEXT_LENGTH);
	health_write_advice(w, sample, pair->a, pair->b);
	json_write_end(w);
}

/* Alike as they are, what contradicts each other is no duplicate at the documents' threshold. */
#define HEALTH_CONTRADICTING 0.9

struct likely {
	struct similar_pair *list;
	size_t count;
	size_t cap;
};

/* Leaves out of the pairs those that only look alike. */
static void health_drop_contradicting(struct likely *likely, const struct sample *sample,
				      double threshold)
{
	size_t kept = 0;

	for (size_t i = 0; i < likely->count; i++) {
		const struct similar_pair *pair = &likely->list[i];

		if (threshold <= HEALTH_CONTRADICTING ||
		    hints_compare(sample->facts[pair->a]->item, sample->facts[pair->b]->item) !=
			    STATEMENT_OTHER)
			likely->list[kept++] = *pair;
	}
	likely->count = kept;
}

/* Adds what says the same in other words: as alike as a duplicate has to be. */
static void health_add_paraphrases(struct likely *likely, struct store *store,
				   const struct sample *sample, double threshold)
{
	struct hints_read *read = hints_read_new(store);
	const struct item **items = mem_zalloc(sample->count, sizeof(const struct item *));
	struct similar_pair *pairs;
	size_t count;

	for (size_t i = 0; i < sample->count; i++)
		items[i] = sample->facts[i]->item;
	count = hints_find_same(read, items, sample->similar, threshold, &pairs);
	for (size_t i = 0; i < count; i++)
		*MEM_ADD(likely->list, likely->count, likely->cap) = (struct similar_pair){
			pairs[i].a, pairs[i].b, HEALTH_DUPLICATE};
	free(pairs);
	free(items);
	hints_read_free(read);
}

static void health_duplicates(const struct health *health, struct json_writer *w)
{
	double threshold = health_number(health->args->threshold, HEALTH_DUPLICATE);
	size_t limit = (size_t)health->args->limit;
	struct likely likely = {0};
	struct sample sample;

	health_sample_init(&sample, health, health->args->sample_size);
	size_t found = similar_pairs(sample.similar, threshold, limit, &likely.list);
	likely.count = likely.cap = found < limit ? found : limit;
	found -= likely.count;
	health_drop_contradicting(&likely, &sample, threshold);
	if (threshold > 0 && threshold <= HEALTH_DUPLICATE)
		health_add_paraphrases(&likely, health->call->store, &sample, threshold);
	found += likely.count;
	health_begin_alike(w, "duplicate_pairs");
	for (size_t i = 0; i < likely.count && i < limit; i++)
		health_write_pair(w, &sample, &likely.list[i]);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)sample.count);
	json_write_member_int(w, "duplicates_found", (int64_t)found);
	json_write_member_double(w, "threshold", threshold);
	free(likely.list);
	health_sample_release(&sample);
}

/* ---- contradictions */

/* Which cannot both hold, the newer one first, and the call that lets it replace the older. */
static void health_write_contradiction(struct json_writer *w, const struct item *newer,
				       const struct item *older)
{
	STR_AUTO text = STR_INIT;

	json_write_object(w);
	json_write_member_string(w, "newer", newer->ref);
	json_write_member_string(w, "older", older->ref);
	common_add_preview(&text, &newer->entry, PAIR_TEXT_LENGTH);
	json_write_member_string(w, "newer_text", str_slice(&text));
	str_clear(&text);
	common_add_preview(&text, &older->entry, PAIR_TEXT_LENGTH);
	json_write_member_string(w, "older_text", str_slice(&text));
	json_write_member_object(w, "resolve");
	json_write_member_string(w, "tool", slice_of("memory_set"));
	json_write_member_object(w, "arguments");
	json_write_member_string(w, "key", newer->ref);
	json_write_member_value(w, "value", newer->entry.doc, newer->entry.value_node);
	common_write_texts(w, "supersedes", &older->ref, 1);
	json_write_end(w);
	json_write_end(w);
	json_write_end(w);
}

/*
 * Each entry is asked as it would be if it were stored now, so that this list and the hints agree.
 * To settle one: memory_merge of both with the wording that holds.
 */
static void health_contradictions(const struct health *health, struct json_writer *w)
{
	struct hints_read *read = hints_read_new(health->call->store);
	size_t found = 0;

	health_begin_alike(w, "contradictions");
	for (size_t i = 0; i < health->count; i++) {
		const struct item *newer = health->facts[i].item;
		struct hint hints[HINTS_MAX];
		size_t count = hints_find(read, newer, hints);

		progress_step(health->call->progress, "comparing", i, health->count);
		for (size_t k = 0; k < count; k++) {
			if (hints[k].says != STATEMENT_OTHER ||
			    !health_is_asked(health, &health->facts[i]))
				continue;
			if (found++ < (size_t)health->args->limit)
				health_write_contradiction(w, newer, hints[k].item);
		}
	}
	hints_read_free(read);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	json_write_member_int(w, "contradictions_found", (int64_t)found);
}

/* Number of entries that have one nearly like them. */
static size_t health_count_repeated(const struct health *health)
{
	struct sample sample;

	health_sample_init(&sample, health, 0);
	size_t count = similar_repeated(sample.similar, HEALTH_DUPLICATE);
	health_sample_release(&sample);
	return count;
}

/* ---- clusters */

static int health_compare_clusters(const void *a, const void *b)
{
	const struct cluster *one = a;
	const struct cluster *other = b;

	if (one->cohesion != other->cohesion)
		return one->cohesion > other->cohesion ? -1 : 1;
	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return one->members[0] < other->members[0] ? -1 : 1;
}

/* Writes the members that contradict each other; false when there are none. */
static bool health_write_conflicts(struct json_writer *w, const struct sample *sample,
				   const struct cluster *cluster)
{
	bool any = false;

	for (size_t i = 0; i < cluster->count; i++) {
		for (size_t j = i + 1; j < cluster->count; j++) {
			size_t a = cluster->members[i];
			size_t b = cluster->members[j];
			STR_AUTO reason = STR_INIT;
			enum conflict conflict = conflict_find(sample->texts[a], sample->texts[b],
							       &reason);

			if (conflict == CONFLICT_NONE)
				continue;
			if (!any)
				json_write_member_array(w, "conflicts");
			any = true;
			json_write_object(w);
			json_write_member_string(w, "id1", sample->facts[a]->item->ref);
			json_write_member_string(w, "id2", sample->facts[b]->item->ref);
			json_write_member_string(w, "conflict", slice_of(conflict_names[conflict]));
			json_write_member_string(w, "reason", str_slice(&reason));
			json_write_end(w);
		}
	}
	if (any)
		json_write_end(w);
	return any;
}

static void health_write_cluster(struct json_writer *w, const struct sample *sample,
				 const struct cluster *cluster)
{
	struct slice *refs = mem_zalloc(cluster->count, sizeof *refs);
	STR_AUTO id = STR_INIT;

	/* The same id for the same entries, in any order and whatever else is stored. */
	for (size_t i = 0; i < cluster->count; i++)
		refs[i] = sample->facts[cluster->members[i]]->item->ref;
	alike_group_name(&id, refs, cluster->count);
	json_write_object(w);
	json_write_member_string(w, "id", str_slice(&id));
	json_write_member_int(w, "size", (int64_t)cluster->count);
	common_write_score(w, "cohesion", cluster->cohesion);
	common_write_texts(w, "memory_ids", refs, cluster->count);
	free(refs);
	json_write_member_array(w, "content_previews");
	for (size_t i = 0; i < cluster->count; i++)
		health_write_preview(w, sample->facts[cluster->members[i]], PREVIEW_LENGTH);
	json_write_end(w);
	bool conflicts = health_write_conflicts(w, sample, cluster);
	json_write_member_string(w, "suggested_action",
				 slice_of(alike_suggested_action(cluster->cohesion, conflicts)));
	json_write_end(w);
}

static void health_clusters(const struct health *health, struct json_writer *w)
{
	const struct settings *settings = &health->settings;
	double threshold = health_number(health->args->threshold, settings->cluster_threshold);
	struct clusters clusters;
	struct sample sample;

	health_sample_init(&sample, health, health->args->sample_size);
	clusters_find(sample.similar, threshold, (size_t)settings->cluster_min,
		      (size_t)settings->cluster_max, &clusters);
	if (clusters.count)
		qsort(clusters.list, clusters.count, sizeof *clusters.list,
		      health_compare_clusters);
	health_begin_alike(w, "clusters");
	for (size_t i = 0; i < clusters.count && i < (size_t)health->args->limit; i++)
		health_write_cluster(w, &sample, &clusters.list[i]);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)sample.count);
	json_write_member_int(w, "clusters_found", (int64_t)clusters.count);
	json_write_member_double(w, "threshold", threshold);
	clusters_release(&clusters);
	health_sample_release(&sample);
}

/* ---- the summary */

/* Days without activity after which an entry counts as stale here. */
#define STALE_DAYS 30

/* Fullness from which on it counts against the score, up to full. */
#define ROOM_ENOUGH 0.8

/* What speaks against the health of the memory: shares from 0 to 1, a quarter of the score each. */
struct ailments {
	double stale;
	double repeated;
	double faded;
	double full;
};

static double health_fullness(double used, int64_t limit)
{
	double over = limit > 0 ? used / (double)limit - ROOM_ENOUGH : 1;

	return fmin(1, fmax(0, over / (1 - ROOM_ENOUGH)));
}

static void health_write_counts(struct json_writer *w, const char *name,
				const int64_t counts[CATEGORY_COUNT])
{
	json_write_member_object(w, name);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		json_write_member_int(w, category_name((enum category)c), counts[c]);
	json_write_end(w);
}

static void health_write_score(struct json_writer *w, const struct ailments *ailments)
{
	json_write_member_int(w, "score",
			      (int64_t)round(100 - 25 * (ailments->stale + ailments->repeated +
							 ailments->faded + ailments->full)));
	json_write_member_object(w, "against");
	common_write_score(w, "stale", ailments->stale);
	common_write_score(w, "duplicates", ailments->repeated);
	common_write_score(w, "faded", ailments->faded);
	common_write_score(w, "full", ailments->full);
	json_write_end(w);
}

static void health_summary(const struct health *health, struct json_writer *w)
{
	const struct settings *settings = &health->settings;
	const int64_t now_ms = health->call->now_ms;
	struct store *store = health->call->store;
	size_t repeated = health_count_repeated(health);
	struct slice *due = arena_alloc(health->call->arena, (health->count + 1) * sizeof *due);
	double entries = fmax(1, (double)health->count);
	int64_t counts[CATEGORY_COUNT] = {0};
	struct store_weight weight;
	size_t due_count = 0;
	int64_t pinned = 0;
	int64_t stale = 0;
	int64_t faded = 0;

	store_weigh(store, &weight);
	for (size_t i = 0; i < health->count; i++) {
		const struct facts *facts = &health->facts[i];
		/* Protected entries stay, however long nobody has asked for them. */
		bool gone = facts->kept == PROTECTION_NONE &&
			    decay_faded(settings, facts_score(facts, settings, now_ms));

		counts[facts->item->entry.category]++;
		pinned += facts->item->entry.pinned;
		stale += facts->idle_days > STALE_DAYS;
		faded += gone;
		if (!store_may_judge(store) &&
		    (gone || facts_expired_elsewhere(facts, store, settings, now_ms)))
			due[due_count++] = facts->item->ref;
	}
	double full = health_fullness((double)weight.total, settings->total_bytes);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		full = fmax(full,
			    health_fullness((double)counts[c], settings->entries_per_category));
	const struct ailments ailments = {(double)stale / entries, (double)repeated / entries,
					  (double)faded / entries, full};
	health_write_score(w, &ailments);
	json_write_member_int(w, "total_checked", (int64_t)health->count);
	health_write_counts(w, "counts", counts);
	json_write_member_object(w, "bytes");
	json_write_member_int(w, "total", weight.total);
	health_write_counts(w, "categories", weight.categories);
	json_write_member_int(w, "archive", weight.archive);
	json_write_end(w);
	common_write_limits(w, settings);
	json_write_member_int(w, "archived", weight.records);
	json_write_member_int(w, "pinned", pinned);
	json_write_member_int(w, "stale_count", stale);
	json_write_member_int(w, "duplicates_count", (int64_t)repeated);
	json_write_member_int(w, "faded_count", faded);
	/* What a store that is shared keeps, because others may use it. */
	common_write_refs(w, "due", due, due_count);
	if (due_count > 0)
		json_write_member_int(w, "due_count", (int64_t)due_count);
}

/* ---- the table */

const char *const health_check_names[HEALTH_CHECK_COUNT + 1] = {
	"summary",  "stale", "low_access", "duplicates", "contradictions",
	"clusters", "decay", "promotable", NULL};

/* Each writes the members of its reply. Those that list sort first, and cut then. */
static void (*const health_writers[HEALTH_CHECK_COUNT])(const struct health *health,
							struct json_writer *w) = {
	health_summary,        health_stale,    health_low_access, health_duplicates,
	health_contradictions, health_clusters, health_decay,      health_promotable,
};

int health_run(const struct call *call, const struct health_args *args, struct json_writer *w,
	       struct err *err)
{
	int check = args->check < 0 ? HEALTH_SUMMARY : args->check;
	struct health health = {.call = call, .args = args};

	if (common_refresh(call, err) != 0 ||
	    store_settings(call->store, &health.settings, err) != 0)
		return -1;
	health.facts = facts_read_all(call->store, call->now_ms, call->arena, &health.count);
	json_write_object(w);
	json_write_member_bool(w, "success", true);
	json_write_member_string(w, "check", slice_of(health_check_names[check]));
	health_writers[check](&health, w);
	common_end_reply(w, call);
	return 0;
}
