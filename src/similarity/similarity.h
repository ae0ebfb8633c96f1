/*
 * How alike two texts are by their words, and which pairs of many reach a threshold.
 *
 * Everything is lexical: words and characters, no meaning. A word is a run of letters, numbers and
 * underscores in lower case, longer than two characters or with a digit; an unknown byte separates.
 * Pure functions over texts: the caller decides what the text of an entry is. Texts are copied as
 * far as needed. Text of one script without spaces is one word, so that such texts are equal or
 * not.
 */
#ifndef KOTA_SIMILARITY_SIMILARITY_H
#define KOTA_SIMILARITY_SIMILARITY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

/* The words of a text, in order, as often as they occur. *words lives in the arena. */
size_t similar_words(struct arena *arena, struct slice text, struct slice **words);

/* Words in both by words in either, 0 to 1; 0 when a text has none. */
double similar_texts(struct slice a, struct slice b);

/* Elements in both by elements in either, 0 to 1; 0 for two empty lists. Compared by bytes. */
double similar_sets(const struct slice *a, size_t a_count, const struct slice *b, size_t b_count);

/* A list of texts, prepared for comparing. Texts are numbered from 0 in the order given. */
struct similar;

/* Keeps no pointer to the texts. Released with similar_free(). */
struct similar *similar_new(const struct slice *texts, size_t count);

/* Reports progress of the comparison from now on; NULL: to nobody. Not owned. */
void similar_watch(struct similar *similar, const struct progress *progress);

/* NULL is none. */
void similar_free(struct similar *similar);

/* Number of texts. */
size_t similar_count(const struct similar *similar);

/* As similar_texts() for two of the list. */
double similar_jaccard(const struct similar *similar, size_t a, size_t b);

/*
 * Cosine of the two texts' word weights: share of the text's words times ln(texts / texts with the
 * word) over the whole list. 0 when a text has no word or only words that all texts have.
 */
double similar_cosine(const struct similar *similar, size_t a, size_t b);

struct similar_pair {
	size_t a; /* a < b */
	size_t b;
	double similarity;
};

/*
 * The pairs whose similar_jaccard() reaches the threshold: the most alike first, among equals the
 * earlier texts. Returns how many there are and hands the best `limit` of them (or all, if fewer)
 * to *pairs, which the caller frees. Texts that share only common words are not looked at, so that
 * the work grows with the pairs that are found and not with the square of the texts; a threshold
 * of 0 or less asks for every pair.
 */
size_t similar_pairs(const struct similar *similar, double threshold, size_t limit,
		     struct similar_pair **pairs);

/* Number of texts that have another one that reaches the threshold with them. */
size_t similar_repeated(const struct similar *similar, double threshold);

#endif
