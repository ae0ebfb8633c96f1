/*
 * Replays the rules about how alike texts are: each function is for the file of cases of its name.
 */
#include "replay/golden.h"

#include "json/write.h"
#include "replay/texts.h"
#include "similarity/cluster.h"
#include "similarity/contradiction.h"
#include "similarity/similarity.h"

#include <stdlib.h>

enum golden_outcome replay_tokens(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t in = json_member(doc, node, "in");
	struct arena arena = ARENA_INIT;
	STR_AUTO scratch = STR_INIT;
	STR_AUTO got = STR_INIT;
	enum golden_outcome outcome;
	struct slice *words;
	size_t count;

	if (json_type(doc, in) != JSON_STRING)
		return golden_unknown_form(why, "in is no text");
	count = similar_words(&arena, json_string(doc, in, &scratch), &words);
	struct json_writer w = json_writer_to(&got, &json_compact);
	json_write_array(&w);
	for (size_t i = 0; i < count; i++)
		json_write_string(&w, words[i]);
	json_write_end(&w);
	outcome = golden_compare_written(doc, json_member(doc, node, "out"), str_slice(&got), why);
	arena_release(&arena);
	return outcome;
}

enum golden_outcome replay_jaccard(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t out = json_member(doc, node, "out");
	struct arena arena = ARENA_INIT;
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct similar *similar;
	struct slice *texts;
	size_t count;

	if (!texts_read(doc, json_member(doc, node, "in"), &arena, &texts, &count, why)) {
		arena_release(&arena);
		return outcome;
	}
	if (count != 2) {
		golden_unknown_form(why, "in is not two texts");
	} else {
		similar = similar_new(texts, count);
		outcome = golden_compare_number(doc, out, similar_texts(texts[0], texts[1]),
						&golden_usual, why);
		if (outcome == GOLDEN_PASSED)
			outcome = golden_compare_number(doc, out, similar_jaccard(similar, 0, 1),
							&golden_usual, why);
		similar_free(similar);
	}
	arena_release(&arena);
	return outcome;
}

enum golden_outcome replay_set_jaccard(const struct json *doc, uint32_t node, struct str *why)
{
	uint32_t in = json_member(doc, node, "in");
	struct arena arena = ARENA_INIT;
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct slice *a;
	struct slice *b;
	size_t a_count;
	size_t b_count;

	if (json_type(doc, in) != JSON_ARRAY || doc->nodes[in].count != 2)
		return golden_unknown_form(why, "in is not two lists");
	if (texts_read(doc, json_first(doc, in), &arena, &a, &a_count, why) &&
	    texts_read(doc, json_next(doc, json_first(doc, in)), &arena, &b, &b_count, why))
		outcome = golden_compare_number(doc, json_member(doc, node, "out"),
						similar_sets(a, a_count, b, b_count), &golden_usual,
						why);
	arena_release(&arena);
	return outcome;
}

/* The two numbers of a case of tfidf.json, below count; false, with *why, when it has others. */
static bool read_places(const struct json *doc, uint32_t in, size_t count, size_t places[2],
			struct str *why)
{
	uint32_t at = json_first(doc, in);

	for (int i = 0; i < 2; i++, at = json_next(doc, at)) {
		int64_t number;

		if (at == JSON_NONE || !json_int(doc, at, &number) || number < 0 ||
		    (size_t)number >= count) {
			golden_unknown_form(why, "in is not two numbers of texts");
			return false;
		}
		places[i] = (size_t)number;
	}
	return true;
}

enum golden_outcome replay_tfidf(const struct json *doc, uint32_t node, struct str *why)
{
	struct arena arena = ARENA_INIT;
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct slice *texts;
	size_t count;
	size_t places[2];

	if (texts_read(doc, json_member(doc, JSON_ROOT, "corpus"), &arena, &texts, &count, why) &&
	    read_places(doc, json_member(doc, node, "in"), count, places, why)) {
		struct similar *similar = similar_new(texts, count);
		double cosine = similar_cosine(similar, places[0], places[1]);

		outcome = golden_compare_number(doc, json_member(doc, node, "out"), cosine,
						&golden_usual, why);
		similar_free(similar);
	}
	arena_release(&arena);
	return outcome;
}

/* Is this pair, a list of two places and a similarity, among those found? */
static bool is_found(const struct json *doc, uint32_t pair, const struct similar_pair *pairs,
		     size_t count)
{
	uint32_t a = json_first(doc, pair);
	uint32_t b = json_next(doc, a);
	STR_AUTO why = STR_INIT;
	int64_t one;
	int64_t other;

	if (!json_int(doc, a, &one) || !json_int(doc, b, &other))
		return false;
	for (size_t i = 0; i < count; i++) {
		if ((int64_t)pairs[i].a == one && (int64_t)pairs[i].b == other)
			return golden_compare_number(doc, json_next(doc, b), pairs[i].similarity,
						     &golden_usual, &why) == GOLDEN_PASSED;
	}
	return false;
}

/* Pairs that are equally alike may come in any order. */
static enum golden_outcome compare_pairs(const struct json *doc, uint32_t out,
					 const struct similar_pair *pairs, size_t count,
					 struct str *why)
{
	if (doc->nodes[out].count != count) {
		str_printf(why, "expected %u pairs, got %zu", doc->nodes[out].count, count);
		return GOLDEN_WRONG;
	}
	for (size_t i = 1; i < count; i++) {
		if (pairs[i - 1].similarity < pairs[i].similarity) {
			str_printf(why, "pair %zu is more alike than the one before", i);
			return GOLDEN_WRONG;
		}
	}
	for (uint32_t at = json_first(doc, out); at != JSON_NONE; at = json_next(doc, at)) {
		if (!is_found(doc, at, pairs, count)) {
			str_adds(why, "not found: ");
			golden_show(why, json_text(doc, at));
			return GOLDEN_WRONG;
		}
	}
	return GOLDEN_PASSED;
}

enum golden_outcome replay_duplicate_pairs(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"texts", "threshold", NULL};
	uint32_t in = json_member(doc, node, "in");
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct arena arena = ARENA_INIT;
	struct slice *texts;
	double threshold;
	size_t count;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!json_double(doc, json_member(doc, in, "threshold"), &threshold))
		return golden_unknown_form(why, "threshold is no number");
	if (texts_read(doc, json_member(doc, in, "texts"), &arena, &texts, &count, why)) {
		struct similar *similar = similar_new(texts, count);
		struct similar_pair *pairs;
		size_t found = similar_pairs(similar, threshold, count * count, &pairs);

		outcome = compare_pairs(doc, json_member(doc, node, "out"), pairs, found, why);
		free(pairs);
		similar_free(similar);
	}
	arena_release(&arena);
	return outcome;
}

static void write_clusters(const struct clusters *clusters, struct str *out)
{
	str_addc(out, '[');
	for (size_t i = 0; i < clusters->count; i++) {
		const struct cluster *cluster = &clusters->list[i];

		str_adds(out, i ? ",{\"members\":" : "{\"members\":");
		for (size_t m = 0; m < cluster->count; m++)
			str_printf(out, "%c%zu", m ? ',' : '[', cluster->members[m]);
		str_printf(out, "],\"cohesion\":%.17g}", cluster->cohesion);
	}
	str_addc(out, ']');
}

/* A whole number of the case, at least 0; false, with *why, when there is none. */
static bool read_count(const struct json *doc, uint32_t in, const char *name, size_t *count,
		       struct str *why)
{
	int64_t number;

	if (!json_int(doc, json_member(doc, in, name), &number) || number < 0) {
		golden_unknown_form(why, name);
		return false;
	}
	*count = (size_t)number;
	return true;
}

enum golden_outcome replay_cluster(const struct json *doc, uint32_t node, struct str *why)
{
	static const char *const members[] = {"texts", "threshold", "max_size", "min_size", NULL};
	uint32_t in = json_member(doc, node, "in");
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct arena arena = ARENA_INIT;
	struct slice *texts;
	double threshold;
	size_t count;
	size_t most;
	size_t least;

	if (!golden_has_members(doc, in, members, why))
		return GOLDEN_UNKNOWN_FORM;
	if (!json_double(doc, json_member(doc, in, "threshold"), &threshold))
		return golden_unknown_form(why, "threshold is no number");
	if (texts_read(doc, json_member(doc, in, "texts"), &arena, &texts, &count, why) &&
	    read_count(doc, in, "max_size", &most, why) &&
	    read_count(doc, in, "min_size", &least, why)) {
		struct similar *similar = similar_new(texts, count);
		struct clusters clusters;
		STR_AUTO got = STR_INIT;

		clusters_find(similar, threshold, least, most, &clusters);
		write_clusters(&clusters, &got);
		outcome = golden_compare_written(doc, json_member(doc, node, "out"),
						 str_slice(&got), why);
		clusters_release(&clusters);
		similar_free(similar);
	}
	arena_release(&arena);
	return outcome;
}

/* Both ways round: which text comes first must not matter. */
enum golden_outcome replay_similar_pairs(const struct json *doc, uint32_t node, struct str *why)
{
	enum golden_outcome outcome = GOLDEN_UNKNOWN_FORM;
	struct arena arena = ARENA_INIT;
	struct slice *texts;
	size_t count;
	bool want;

	if (!json_bool(doc, json_member(doc, node, "merge_unattended"), &want))
		return golden_unknown_form(why, "merge_unattended is neither true nor false");
	if (texts_read(doc, json_member(doc, node, "in"), &arena, &texts, &count, why)) {
		outcome = GOLDEN_PASSED;
		if (count != 2) {
			outcome = golden_unknown_form(why, "in is not two texts");
		} else if (conflict_may_merge(texts[0], texts[1]) != want ||
			   conflict_may_merge(texts[1], texts[0]) != want) {
			str_printf(why, "expected %s", want ? "to be merged" : "not to be merged");
			outcome = GOLDEN_WRONG;
		}
	}
	arena_release(&arena);
	return outcome;
}
