#include "ops/health_similar.h"

#include "base/mem.h"
#include "similarity/cluster.h"
#include "similarity/contradiction.h"
#include "similarity/similarity.h"
#include "ops/similar_text.h"

#include <stdlib.h>

#define PAIR_TEXT_LENGTH 150
#define PREVIEW_LENGTH 100

/* The entries that are compared. */
struct sample {
	const struct facts **facts;
	struct slice *texts;
	struct similar *similar;
	size_t count;
};

static int newest_first(const void *a, const void *b)
{
	const struct facts *one = *(const struct facts *const *)a;
	const struct facts *other = *(const struct facts *const *)b;

	if (one->item->updated_ms != other->item->updated_ms)
		return one->item->updated_ms > other->item->updated_ms ? -1 : 1;
	return one < other ? -1 : one > other;
}

static int as_in_view(const void *a, const void *b)
{
	const struct facts *one = *(const struct facts *const *)a;
	const struct facts *other = *(const struct facts *const *)b;

	return one < other ? -1 : one > other;
}

/* The newest of them where not all are asked for. */
static void sample_init(struct sample *sample, const struct health *health, int64_t size)
{
	size_t count = 0;

	sample->facts = mem_zalloc(health->count, sizeof(const struct facts *));
	for (size_t i = 0; i < health->count; i++) {
		if (health_is_asked(health, &health->facts[i]))
			sample->facts[count++] = &health->facts[i];
	}
	if (size > 0 && (size_t)size < count) {
		qsort(sample->facts, count, sizeof(const struct facts *), newest_first);
		count = (size_t)size;
		qsort(sample->facts, count, sizeof(const struct facts *), as_in_view);
	}
	sample->count = count;
	sample->texts = mem_zalloc(count, sizeof *sample->texts);
	for (size_t i = 0; i < count; i++)
		sample->texts[i] = alike_text(sample->facts[i]->item, health->call->arena);
	sample->similar = similar_new(sample->texts, count);
	similar_watch(sample->similar, health->call->progress);
}

static void sample_release(struct sample *sample)
{
	similar_free(sample->similar);
	free(sample->texts);
	free(sample->facts);
}

static void begin_alike(struct json_writer *w, const char *list)
{
	json_write_member_string(w, "method", slice_of("lexical"));
	json_write_member_array(w, list);
}

/* ---- duplicates */

static bool health_similar_is_kept(const struct sample *sample, size_t at)
{
	return sample->facts[at]->kept != PROTECTION_NONE;
}

/* What should become of the two; with a contradiction, what it is. */
static void health_similar_write_advice(struct json_writer *w, const struct sample *sample,
					size_t a, size_t b)
{
	STR_AUTO reason = STR_INIT;
	enum conflict conflict = conflict_find(sample->texts[a], sample->texts[b], &reason);
	const char *action = "review";

	if (conflict != CONFLICT_NONE)
		action = "contradicts";
	else if (alike_may_merge(sample->texts[a], sample->texts[b]) &&
		 !health_similar_is_kept(sample, a) && !health_similar_is_kept(sample, b))
		action = "merge";
	json_write_member_string(w, "suggested_action", slice_of(action));
	if (conflict == CONFLICT_NONE)
		return;
	json_write_member_string(w, "conflict", slice_of(conflict_name(conflict)));
	json_write_member_string(w, "reason", str_slice(&reason));
}

static void write_pair(struct json_writer *w, const struct sample *sample,
		       const struct similar_pair *pair)
{
	const struct facts *one = sample->facts[pair->a];
	const struct facts *other = sample->facts[pair->b];

	json_write_object(w);
	json_write_member_string(w, "id1", one->item->ref);
	json_write_member_string(w, "id2", other->item->ref);
	json_write_member_fixed(w, "similarity", pair->similarity, 4);
	health_write_text(w, "text1", one, PAIR_TEXT_LENGTH);
	health_write_text(w, "text2", other, PAIR_TEXT_LENGTH);
	health_similar_write_advice(w, sample, pair->a, pair->b);
	json_write_end(w);
}

void health_duplicates(const struct health *health, struct json_writer *w)
{
	double threshold = health_number(health->args->threshold, HEALTH_DUPLICATE);
	size_t limit = (size_t)health->args->limit;
	struct similar_pair *pairs;
	struct sample sample;
	size_t found;

	sample_init(&sample, health, health->args->sample_size);
	found = similar_pairs(sample.similar, threshold, limit, &pairs);
	begin_alike(w, "duplicate_pairs");
	for (size_t i = 0; i < found && i < limit; i++)
		write_pair(w, &sample, &pairs[i]);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)sample.count);
	json_write_member_int(w, "duplicates_found", (int64_t)found);
	json_write_member_fixed(w, "threshold", threshold, 4);
	free(pairs);
	sample_release(&sample);
}

size_t health_count_repeated(const struct health *health)
{
	struct sample sample;
	size_t count;

	sample_init(&sample, health, 0);
	count = similar_repeated(sample.similar, HEALTH_DUPLICATE);
	sample_release(&sample);
	return count;
}

/* ---- clusters */

static int compare_clusters(const void *a, const void *b)
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
static bool health_similar_write_conflicts(struct json_writer *w, const struct sample *sample,
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
			if (!any) {
				json_write_member_array(w, "conflicts");
			}
			any = true;
			json_write_object(w);
			json_write_member_string(w, "id1", sample->facts[a]->item->ref);
			json_write_member_string(w, "id2", sample->facts[b]->item->ref);
			json_write_member_string(w, "conflict", slice_of(conflict_name(conflict)));
			json_write_member_string(w, "reason", str_slice(&reason));
			json_write_end(w);
		}
	}
	if (any)
		json_write_end(w);
	return any;
}

static void health_similar_write_cluster(struct json_writer *w, const struct sample *sample,
					 const struct cluster *cluster)
{
	struct slice *refs = mem_zalloc(cluster->count, sizeof *refs);
	STR_AUTO id = STR_INIT;
	bool conflicts;

	/* The same for the same entries, whatever else is there, and in whatever order. */
	for (size_t i = 0; i < cluster->count; i++)
		refs[i] = sample->facts[cluster->members[i]]->item->ref;
	alike_group_name(&id, refs, cluster->count);
	json_write_object(w);
	json_write_member_string(w, "id", str_slice(&id));
	json_write_member_int(w, "size", (int64_t)cluster->count);
	json_write_member_fixed(w, "cohesion", cluster->cohesion, 4);
	common_write_texts(w, "memory_ids", refs, cluster->count);
	free(refs);
	json_write_member_array(w, "content_previews");
	for (size_t i = 0; i < cluster->count; i++)
		health_write_preview(w, sample->facts[cluster->members[i]], PREVIEW_LENGTH);
	json_write_end(w);
	conflicts = health_similar_write_conflicts(w, sample, cluster);
	json_write_member_string(w, "suggested_action",
				 slice_of(alike_suggested_action(cluster->cohesion, conflicts)));
	json_write_end(w);
}

void health_clusters(const struct health *health, struct json_writer *w)
{
	const struct settings *settings = &health->settings;
	double threshold = health_number(health->args->threshold, settings->cluster_threshold);
	struct clusters clusters;
	struct sample sample;

	sample_init(&sample, health, health->args->sample_size);
	clusters_find(sample.similar, threshold, (size_t)settings->cluster_min,
		      (size_t)settings->cluster_max, &clusters);
	if (clusters.count)
		qsort(clusters.list, clusters.count, sizeof *clusters.list, compare_clusters);
	begin_alike(w, "clusters");
	for (size_t i = 0; i < clusters.count && i < (size_t)health->args->limit; i++)
		health_similar_write_cluster(w, &sample, &clusters.list[i]);
	json_write_end(w);
	json_write_member_int(w, "total_checked", (int64_t)sample.count);
	json_write_member_int(w, "clusters_found", (int64_t)clusters.count);
	json_write_member_fixed(w, "threshold", threshold, 4);
	clusters_release(&clusters);
	sample_release(&sample);
}
