#include "similarity/cluster.h"

#include "base/map.h"
#include "base/mem.h"
#include "similarity/similarity_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- texts near another */

/*
 * Two sets of n and m words that are alike to the degree t share at least t * max(n, m) words. So
 * when the words of all texts are put into one order, a word among the first n - ceil(t * n) + 1 of
 * the one is among the first of the other. Rare words come first: their lists are short.
 */

/* Keeps a product that is whole but for rounding from being taken for the next number. */
#define ROUNDING 1e-9

/* The texts that have a word among their first. */
struct postings {
	uint32_t *texts;
	size_t count;
	size_t cap;
};

/* A text that was found, and how much it is alike. */
struct similar_hit {
	uint32_t text;
	double similarity;
};

/*
 * Texts that are near others: those added are looked through for what is as alike as the threshold
 * asks. The similarity must outlive it.
 */
struct similar_near {
	const struct similar *similar;
	double threshold;
	struct postings *postings; /* by rank of the word */
	struct postings all;       /* of the texts, where the threshold asks for every one */
	uint32_t *seen;            /* by text: the search that met it last */
	bool *dropped;
	uint32_t searches;
	struct similar_hit *found;
	size_t cap;
};

static struct similar_near *cluster_near_new(const struct similar *similar, double threshold)
{
	struct similar_near *near = mem_zalloc(1, sizeof *near);

	near->similar = similar;
	near->threshold = threshold;
	near->postings = mem_zalloc(similar->words, sizeof *near->postings);
	near->seen = mem_zalloc(similar->count, sizeof *near->seen);
	near->dropped = mem_zalloc(similar->count, sizeof *near->dropped);
	return near;
}

static void cluster_near_free(struct similar_near *near)
{
	if (!near)
		return;
	for (uint32_t i = 0; i < near->similar->words; i++)
		free(near->postings[i].texts);
	free(near->postings);
	free(near->all.texts);
	free(near->seen);
	free(near->dropped);
	free(near->found);
	free(near);
}

/* How many of the first words of a text have to be looked at. */
static uint32_t cluster_prefix_len(const struct similar_near *near, const struct similar_doc *doc)
{
	double shared = fmax(1, ceil(near->threshold * doc->len - ROUNDING));

	return shared > doc->len ? 0 : doc->len - (uint32_t)shared + 1;
}

static void cluster_post(struct postings *postings, size_t text)
{
	postings->texts = mem_grow(postings->texts, &postings->cap, postings->count + 1,
				   sizeof *postings->texts);
	postings->texts[postings->count++] = (uint32_t)text;
}

static void cluster_near_add(struct similar_near *near, size_t text)
{
	const struct similar_doc *doc = &near->similar->docs[text];

	if (near->threshold <= 0) {
		cluster_post(&near->all, text);
		return;
	}
	uint32_t len = cluster_prefix_len(near, doc);
	for (uint32_t i = 0; i < len; i++)
		cluster_post(&near->postings[doc->ranks[i]], text);
}

/* Can sets of these sizes be as alike as asked? */
static bool cluster_sizes_fit(const struct similar_near *near, uint32_t a, uint32_t b)
{
	uint32_t small = a < b ? a : b;
	uint32_t large = a < b ? b : a;

	return small >= near->threshold * large - ROUNDING;
}

static void cluster_try_text(struct similar_near *near, size_t text, uint32_t other, size_t *count)
{
	const struct similar_doc *docs = near->similar->docs;

	if (near->seen[other] == near->searches)
		return;
	near->seen[other] = near->searches;
	if (!cluster_sizes_fit(near, docs[text].len, docs[other].len))
		return;
	double similarity = similar_jaccard(near->similar, text, other);
	if (similarity < near->threshold)
		return;
	near->found = mem_grow(near->found, &near->cap, *count + 1, sizeof *near->found);
	near->found[(*count)++] = (struct similar_hit){other, similarity};
}

/* Looks through a list, and takes those out of it that were dropped. */
static void cluster_try_postings(struct similar_near *near, size_t text, struct postings *postings,
				 size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < postings->count; i++) {
		uint32_t other = postings->texts[i];

		if (near->dropped[other])
			continue;
		postings->texts[kept++] = other;
		cluster_try_text(near, text, other, count);
	}
	postings->count = kept;
}

/*
 * The texts added and not dropped that reach the threshold with this one, in no order. *found is
 * valid until the next call.
 */
static size_t cluster_near_find(struct similar_near *near, size_t text,
				const struct similar_hit **found)
{
	const struct similar_doc *doc = &near->similar->docs[text];
	uint32_t len = near->threshold > 0 ? cluster_prefix_len(near, doc) : 0;
	size_t count = 0;

	near->searches++;
	if (near->threshold <= 0)
		cluster_try_postings(near, text, &near->all, &count);
	for (uint32_t i = 0; i < len; i++)
		cluster_try_postings(near, text, &near->postings[doc->ranks[i]], &count);
	*found = near->found;
	return count;
}

/* ---- pairs */

/* The best pairs so far: a heap with the worst of them on top. */
struct best {
	struct similar_pair *pairs;
	size_t count;
	size_t cap;
	size_t limit;
};

/* Is a worse than b? */
static int cluster_compare_pairs(const void *a, const void *b)
{
	const struct similar_pair *one = a;
	const struct similar_pair *other = b;

	if (one->similarity != other->similarity)
		return one->similarity > other->similarity ? -1 : 1;
	if (one->a != other->a)
		return one->a < other->a ? -1 : 1;
	return one->b < other->b ? -1 : one->b > other->b;
}

static bool cluster_is_worse(const struct similar_pair *a, const struct similar_pair *b)
{
	return cluster_compare_pairs(a, b) > 0;
}

static void cluster_swap(struct similar_pair *a, struct similar_pair *b)
{
	struct similar_pair kept = *a;

	*a = *b;
	*b = kept;
}

static void cluster_sift_up(struct best *best)
{
	size_t at = best->count - 1;

	while (at > 0 && cluster_is_worse(&best->pairs[at], &best->pairs[(at - 1) / 2])) {
		cluster_swap(&best->pairs[at], &best->pairs[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void cluster_sift_down(struct best *best)
{
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= best->count)
			return;
		if (child + 1 < best->count &&
		    cluster_is_worse(&best->pairs[child + 1], &best->pairs[child]))
			child++;
		if (!cluster_is_worse(&best->pairs[child], &best->pairs[at]))
			return;
		cluster_swap(&best->pairs[child], &best->pairs[at]);
		at = child;
	}
}

static void cluster_join_keep(struct best *best, struct similar_pair pair)
{
	if (best->count < best->limit) {
		best->pairs = mem_grow(best->pairs, &best->cap, best->count + 1,
				       sizeof *best->pairs);
		best->pairs[best->count++] = pair;
		cluster_sift_up(best);
	} else if (best->count && cluster_is_worse(&best->pairs[0], &pair)) {
		best->pairs[0] = pair;
		cluster_sift_down(best);
	}
}

/*
 * Texts with the very same words are alike to whatever one of them is alike to: only the first of
 * them is compared.
 */
struct copies {
	size_t *next;  /* by text: the next one with the same words, or NO_TEXT */
	size_t *count; /* by text: how many there are, 0 for all but the first */
};

#define NO_TEXT SIZE_MAX

static void cluster_copies_init(struct copies *copies, const struct similar *similar)
{
	size_t *last = mem_zalloc(similar->count, sizeof *last);
	MAP_AUTO firsts = MAP_INIT;

	copies->next = mem_zalloc(similar->count, sizeof *copies->next);
	copies->count = mem_zalloc(similar->count, sizeof *copies->count);
	for (size_t i = 0; i < similar->count; i++) {
		const struct similar_doc *doc = &similar->docs[i];
		const struct slice words = slice_make((const char *)doc->ranks,
						      doc->len * sizeof *doc->ranks);
		size_t first = i;

		copies->next[i] = NO_TEXT;
		if (map_get(&firsts, words, &first))
			copies->next[last[first]] = i;
		else
			map_put(&firsts, words, i);
		copies->count[first]++;
		last[first] = i;
	}
	free(last);
}

/* Keeps pairs of copies, in the order of their numbers, as many as can be among the best. */
static void cluster_keep_copies(struct best *best, const struct copies *copies, size_t first,
				double similarity)
{
	size_t left = best->limit;

	for (size_t a = first; a != NO_TEXT && left; a = copies->next[a]) {
		for (size_t b = copies->next[a]; b != NO_TEXT && left; b = copies->next[b], left--)
			cluster_join_keep(best, (struct similar_pair){a, b, similarity});
	}
}

/* The same for each copy of one text with each copy of another one. */
static void cluster_keep_products(struct best *best, const struct copies *copies, size_t one,
				  size_t other, double similarity)
{
	size_t left = best->limit;

	while (one != NO_TEXT && other != NO_TEXT && left) {
		size_t *lower = one < other ? &one : &other;
		size_t a = *lower;

		for (size_t b = one < other ? other : one; b != NO_TEXT && left;
		     b = copies->next[b], left--)
			cluster_join_keep(best, (struct similar_pair){a, b, similarity});
		*lower = copies->next[a];
	}
}

/* Pairs of a text and its copies, and of both with what was found near it; returns how many. */
static size_t cluster_keep_found(struct best *best, const struct copies *copies, size_t text,
				 const struct similar_hit *found, size_t count)
{
	size_t total = 0;

	for (size_t k = 0; k < count; k++) {
		cluster_keep_products(best, copies, found[k].text, text, found[k].similarity);
		total += copies->count[found[k].text] * copies->count[text];
	}
	return total;
}

size_t similar_pairs(const struct similar *similar, double threshold, size_t limit,
		     struct similar_pair **pairs)
{
	struct similar_near *near = cluster_near_new(similar, threshold);
	struct best best = {NULL, 0, 0, limit};
	struct copies copies;
	size_t total = 0;

	cluster_copies_init(&copies, similar);
	for (size_t i = 0; i < similar->count; i++) {
		double itself = similar_jaccard(similar, i, i);
		const struct similar_hit *found;

		progress_step(similar->progress, "comparing", i, similar->count);
		if (copies.count[i] == 0)
			continue;
		size_t count = cluster_near_find(near, i, &found);
		total += cluster_keep_found(&best, &copies, i, found, count);
		if (itself >= threshold) {
			cluster_keep_copies(&best, &copies, i, itself);
			total += copies.count[i] * (copies.count[i] - 1) / 2;
		}
		cluster_near_add(near, i);
	}
	free(copies.next);
	free(copies.count);
	cluster_near_free(near);
	if (best.count)
		qsort(best.pairs, best.count, sizeof *best.pairs, cluster_compare_pairs);
	*pairs = best.pairs;
	return total;
}

/* Does one of those found have the very same words? Whoever is near this text is near that one. */
static bool cluster_is_copy(const struct similar_hit *found, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (found[i].similarity >= 1)
			return true;
	}
	return false;
}

size_t similar_repeated(const struct similar *similar, double threshold)
{
	struct similar_near *near = cluster_near_new(similar, threshold);
	bool *repeated = mem_zalloc(similar->count, sizeof *repeated);
	size_t total = 0;

	for (size_t i = 0; i < similar->count; i++) {
		const struct similar_hit *found;
		size_t count = cluster_near_find(near, i, &found);

		progress_step(similar->progress, "comparing", i, similar->count);
		repeated[i] = count > 0;
		for (size_t k = 0; k < count; k++)
			repeated[found[k].text] = true;
		if (!cluster_is_copy(found, count))
			cluster_near_add(near, i);
	}
	for (size_t i = 0; i < similar->count; i++)
		total += repeated[i];
	free(repeated);
	cluster_near_free(near);
	return total;
}

/* ---- groups */

struct group {
	size_t *members;
	size_t count;
	size_t cap;
};

/* Groups in the order in which they were begun; one that was joined onto another is empty. */
struct grouping {
	struct similar_near *near;
	struct group *groups;
	size_t count;
	size_t *group_of; /* by text */
	size_t max_size;
};

static void cluster_put_member(struct grouping *grouping, size_t group, size_t text)
{
	struct group *to = &grouping->groups[group];

	to->members = mem_grow(to->members, &to->cap, to->count + 1, sizeof *to->members);
	to->members[to->count++] = text;
	grouping->group_of[text] = group;
}

/* A full group takes nobody, whoever is near its members: they need not be found any more. */
static void cluster_close_if_full(struct grouping *grouping, size_t group)
{
	const struct group *full = &grouping->groups[group];

	if (full->count < grouping->max_size)
		return;
	for (size_t i = 0; i < full->count; i++)
		grouping->near->dropped[full->members[i]] = true;
}

static int cluster_compare_sizes(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* The groups in which the texts are, in their order, each once. */
static size_t cluster_groups_of(const struct grouping *grouping, const struct similar_hit *found,
				size_t count, size_t *groups)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		groups[i] = grouping->group_of[found[i].text];
	qsort(groups, count, sizeof *groups, cluster_compare_sizes);
	for (size_t i = 0; i < count; i++) {
		if (!len || groups[len - 1] != groups[i])
			groups[len++] = groups[i];
	}
	return len;
}

static void cluster_place(struct grouping *grouping, size_t text)
{
	const struct similar_hit *found;
	size_t count = cluster_near_find(grouping->near, text, &found);
	size_t *groups = mem_zalloc(count + 1, sizeof *groups);

	if (count)
		count = cluster_groups_of(grouping, found, count, groups);
	else
		groups[0] = grouping->count++;
	cluster_put_member(grouping, groups[0], text);
	for (size_t i = 1; i < count; i++) {
		struct group *from = &grouping->groups[groups[i]];

		for (size_t m = 0; m < from->count; m++)
			cluster_put_member(grouping, groups[0], from->members[m]);
		from->count = 0;
	}
	cluster_near_add(grouping->near, text);
	cluster_close_if_full(grouping, groups[0]);
	free(groups);
}

static double cluster_cohesion_of(const struct similar *similar, const size_t *members,
				  size_t count)
{
	double sum = 0;
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++, pairs++)
			sum += similar_jaccard(similar, members[i], members[j]);
	}
	return pairs ? sum / (double)pairs : 1;
}

static void cluster_hand_out(const struct grouping *grouping, const struct similar *similar,
			     size_t min_size, struct clusters *out)
{
	*out = (struct clusters){NULL, 0, ARENA_INIT};
	out->list = arena_alloc(&out->arena, grouping->count * sizeof *out->list);
	for (size_t i = 0; i < grouping->count; i++) {
		const struct group *group = &grouping->groups[i];
		size_t count = group->count < grouping->max_size ? group->count
								 : grouping->max_size;
		size_t *members;

		if (!count || group->count < min_size)
			continue;
		members = arena_alloc(&out->arena, count * sizeof *members);
		memcpy(members, group->members, count * sizeof *members);
		out->list[out->count++] = (struct cluster){
			members, count, cluster_cohesion_of(similar, members, count)};
	}
}

void clusters_find(const struct similar *similar, double threshold, size_t min_size,
		   size_t max_size, struct clusters *out)
{
	struct grouping grouping = {.max_size = max_size};
	size_t count = similar_count(similar);

	grouping.near = cluster_near_new(similar, threshold);
	/* There are never more groups than texts. */
	grouping.groups = mem_zalloc(count, sizeof *grouping.groups);
	grouping.group_of = mem_zalloc(count, sizeof *grouping.group_of);
	for (size_t i = 0; i < count; i++) {
		progress_step(similar->progress, "comparing", i, count);
		cluster_place(&grouping, i);
	}
	cluster_hand_out(&grouping, similar, min_size, out);
	for (size_t i = 0; i < grouping.count; i++)
		free(grouping.groups[i].members);
	free(grouping.groups);
	free(grouping.group_of);
	cluster_near_free(grouping.near);
}

void clusters_release(struct clusters *clusters)
{
	arena_release(&clusters->arena);
	clusters->list = NULL;
	clusters->count = 0;
}
