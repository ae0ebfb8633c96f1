/*
 * In which forms and items of an index the words of a query are found, and how well.
 *
 * Many items may have one word of a query, few have all of them. So first only the candidates are
 * tallied, to which those belong that have all; the others where no candidate answers.
 */
#ifndef KOTA_LOOKUP_TERM_COUNTS_H
#define KOTA_LOOKUP_TERM_COUNTS_H

#include "lookup/lookup_index.h"

/* Content words of a query that are looked up one by one; a longer query is text, not words. */
#define TALLY_WORDS_MAX 32

/* A word of the query, and the words of the index that it resembles. */
struct asked_word {
	uint32_t number; /* from 1 */
	bool has_digit;
	double weight;
	const struct vocab_match *matches;
	size_t match_count;
};

/* What is known of a query's words. */
struct asked {
	struct asked_word words[TALLY_WORDS_MAX];
	uint32_t count;
	uint32_t numbers;
	double weight; /* of all */
};

/* Begins a reading of the query: looks its words up. What it finds lives in the arena. */
void tally_begin(struct lookup *index, struct arena *arena, const struct text *content,
		 struct asked *asked);

/* Adds the items to the candidates that have all words of the query. */
void tally_find(struct lookup *index, const struct asked *asked, int scope);

/* Counts the words in the candidates. */
void tally_candidates(struct lookup *index, const struct asked *asked);

/* Counts them in all others too, which become candidates where there is something to count. */
void tally_others(struct lookup *index, const struct asked *asked, int scope);

#endif
