/*
 * Groups of texts that say nearly the same.
 */
#ifndef KOTA_SIMILARITY_CLUSTER_H
#define KOTA_SIMILARITY_CLUSTER_H

#include "similarity/similarity.h"

struct cluster {
	const size_t *members; /* numbers of texts, in the order in which they came together */
	size_t count;
	double cohesion; /* mean similarity of all pairs of members, 0 to 1; 1 for a single one */
};

struct clusters {
	struct cluster *list;
	size_t count;
	struct arena arena;
};

/*
 * Texts are taken in their order. Each joins the first group that has fewer than max_size members
 * and one with similar_jaccard() of the threshold or more; the members of further such groups are
 * appended to it. Groups smaller than min_size are left out, larger ones cut to max_size. *out is
 * made: clusters_release().
 */
void clusters_find(const struct similar *similar, double threshold, size_t min_size,
		   size_t max_size, struct clusters *out);

void clusters_release(struct clusters *clusters);

#endif
