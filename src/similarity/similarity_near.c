#include "similarity/similarity_internal.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

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

struct similar_near *similar_near_new(const struct similar *similar, double threshold)
{
	struct similar_near *near = mem_zalloc(1, sizeof *near);

	near->similar = similar;
	near->threshold = threshold;
	near->postings = mem_zalloc(similar->words, sizeof *near->postings);
	near->seen = mem_zalloc(similar->count, sizeof *near->seen);
	near->dropped = mem_zalloc(similar->count, sizeof *near->dropped);
	return near;
}

void similar_near_free(struct similar_near *near)
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
static uint32_t prefix_len(const struct similar_near *near, const struct similar_doc *doc)
{
	double shared = fmax(1, ceil(near->threshold * doc->len - ROUNDING));

	return shared > doc->len ? 0 : doc->len - (uint32_t)shared + 1;
}

static void post(struct postings *postings, size_t text)
{
	postings->texts = mem_grow(postings->texts, &postings->cap, postings->count + 1,
				   sizeof *postings->texts);
	postings->texts[postings->count++] = (uint32_t)text;
}

void similar_near_add(struct similar_near *near, size_t text)
{
	const struct similar_doc *doc = &near->similar->docs[text];
	uint32_t len;

	if (near->threshold <= 0) {
		post(&near->all, text);
		return;
	}
	len = prefix_len(near, doc);
	for (uint32_t i = 0; i < len; i++)
		post(&near->postings[doc->ranks[i]], text);
}

void similar_near_drop(struct similar_near *near, size_t text)
{
	near->dropped[text] = true;
}

/* Can sets of these sizes be as alike as asked? */
static bool sizes_fit(const struct similar_near *near, uint32_t a, uint32_t b)
{
	uint32_t small = a < b ? a : b;
	uint32_t large = a < b ? b : a;

	return small >= near->threshold * large - ROUNDING;
}

static void try_text(struct similar_near *near, size_t text, uint32_t other, size_t *count)
{
	const struct similar_doc *docs = near->similar->docs;
	double similarity;

	if (near->seen[other] == near->searches)
		return;
	near->seen[other] = near->searches;
	if (!sizes_fit(near, docs[text].len, docs[other].len))
		return;
	similarity = similar_jaccard(near->similar, text, other);
	if (similarity < near->threshold)
		return;
	near->found = mem_grow(near->found, &near->cap, *count + 1, sizeof *near->found);
	near->found[(*count)++] = (struct similar_hit){other, similarity};
}

/* Looks through a list, and takes those out of it that were dropped. */
static void try_postings(struct similar_near *near, size_t text, struct postings *postings,
			 size_t *count)
{
	size_t kept = 0;

	for (size_t i = 0; i < postings->count; i++) {
		uint32_t other = postings->texts[i];

		if (near->dropped[other])
			continue;
		postings->texts[kept++] = other;
		try_text(near, text, other, count);
	}
	postings->count = kept;
}

size_t similar_near_find(struct similar_near *near, size_t text, const struct similar_hit **found)
{
	const struct similar_doc *doc = &near->similar->docs[text];
	uint32_t len = near->threshold > 0 ? prefix_len(near, doc) : 0;
	size_t count = 0;

	near->searches++;
	if (near->threshold <= 0)
		try_postings(near, text, &near->all, &count);
	for (uint32_t i = 0; i < len; i++)
		try_postings(near, text, &near->postings[doc->ranks[i]], &count);
	*found = near->found;
	return count;
}
