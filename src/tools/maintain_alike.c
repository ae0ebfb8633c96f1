/* The step of maintenance that names groups of entries that say nearly the same. */
#include "similarity/cluster.h"
#include "ops/similar_text.h"
#include "tools/maintain.h"

/* Cohesion of a group that could be one entry, and of one that somebody should look at. */
#define COHESION_MERGE 0.85
#define COHESION_REVIEW 0.65

static const char *action_for(double cohesion)
{
	if (cohesion >= COHESION_MERGE)
		return "merge";
	return cohesion >= COHESION_REVIEW ? "review" : "keep_separate";
}

static void write_cluster(struct json_writer *w, const struct cluster *cluster,
			  const struct facts *facts)
{
	json_write_object(w);
	json_write_name(w, slice_of("memory_ids"));
	json_write_array(w);
	for (size_t i = 0; i < cluster->count; i++)
		json_write_string(w, facts[cluster->members[i]].item->ref);
	json_write_end(w);
	maintain_write_number(w, "cohesion", cluster->cohesion);
	json_write_member_string(w, "suggested_action", slice_of(action_for(cluster->cohesion)));
	json_write_end(w);
}

static void write_clusters(struct json_writer *w, const struct clusters *clusters,
			   const struct facts *facts)
{
	json_write_member_int(w, "clusters_found", (int64_t)clusters->count);
	json_write_name(w, slice_of("clusters"));
	json_write_array(w);
	for (size_t i = 0; i < clusters->count && i < MAINTAIN_LISTED_MAX; i++)
		write_cluster(w, &clusters->list[i], facts);
	json_write_end(w);
}

/* Only looks: what may be put together unasked is for the next step to decide. */
int maintain_cluster(struct maintenance *m, const struct facts *facts, size_t count,
		     struct json_writer *w, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct slice *texts = arena_alloc(&arena, (count + 1) * sizeof *texts);
	struct clusters clusters;
	struct similar *similar;

	(void)err;
	for (size_t i = 0; i < count; i++)
		texts[i] = alike_text(facts[i].item, &arena);
	similar = similar_new(texts, count);
	similar_watch(similar, m->call->progress);
	clusters_find(similar, m->settings.cluster_threshold, (size_t)m->settings.cluster_min,
		      (size_t)m->settings.cluster_max, &clusters);
	write_clusters(w, &clusters, facts);
	clusters_release(&clusters);
	similar_free(similar);
	arena_release(&arena);
	return 0;
}
