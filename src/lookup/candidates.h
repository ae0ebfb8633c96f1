/*
 * Which items of an index can match a query at all, and in which of them its words are found, and
 * how well.
 *
 * No match is lost: an item that is skipped would get no score. Candidates are found by words,
 * through the vocabulary and its postings, and by the letters of whole keys.
 *
 * Many items may have one word of a query, few have all of them. So first only the candidates are
 * tallied, among them all items that have every word; the others only where no candidate answers.
 */
#ifndef KOTA_LOOKUP_CANDIDATES_H
#define KOTA_LOOKUP_CANDIDATES_H

#include "lookup/lookup_index.h"

/* Puts the item on the list of this query's scores, with an empty one when it is new there. */
void candidates_list(struct lookup *index, uint32_t item);

/* True if the item was touched for this reading. */
static inline bool candidates_has(const struct lookup *index, uint32_t item)
{
	return index->looked[item].question == index->question;
}

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

/*
 * Begins a reading of the query: looks its words up, makes candidates of the items that have all of
 * them, that resemble the query as a whole, may contain it, or may be contained in it, and counts
 * the words in them. What it finds of the words lives in the arena.
 */
void candidates_gather(struct lookup *index, struct arena *arena, const struct query *query,
		       int scope, struct asked *asked);

/* Counts the words in all other items too; those that have one become candidates. */
void candidates_gather_others(struct lookup *index, const struct asked *asked, int scope);

#endif
