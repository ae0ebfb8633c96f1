/*
 * The index behind lookup.h: items decoded, their words, and scratch memory for questions.
 *
 * index.c builds it, ask.c and lookup.c ask it. The arena owns all texts.
 */
#ifndef KOTA_MATCH_INDEX_H
#define KOTA_MATCH_INDEX_H

#include "base/str.h"
#include "match/score.h"
#include "match/vocab.h"

/* An item of the index. */
struct indexed {
	int scope;
	bool archived;
	int64_t active_ms;
	struct slice ref;
	uint32_t first_form; /* its forms are neighbours */
	uint32_t form_count;
	uint32_t word_count;      /* of key and value */
	struct text value;        /* split */
	const struct text *plain; /* not split; &value where that is the same */
};

/* What has been found of the words of a question in one form or item, kept while it is asked. */
struct tally {
	uint64_t question; /* counts only for this question */
	uint32_t word;     /* last word counted, from 1 */
	uint32_t found;
	uint32_t numbers; /* words with digits among those found */
	double best;      /* likeness of the last word */
	double likeness;  /* sum over the words */
	double weighted;  /* sum of likeness times weight */
	double relevance; /* BM25 */
};

struct lookup {
	struct arena arena;
	struct indexed *entries;
	size_t entry_count;
	struct key_form *forms;
	size_t form_count;
	size_t form_cap;
	struct map compact; /* compact text -> newest form that has it */
	struct map symbols; /* key without letters or numbers -> newest form that has it */
	struct vocab vocab;
	double mean_words; /* words of an item, on average */

	uint64_t question; /* number of the reading that is asked, see struct tally */
	struct tally *form_tally;
	struct tally *item_tally;
	double *word_best; /* best likeness of each word of the vocabulary to a word asked for */
	uint64_t *word_question;
	uint64_t *may_contain; /* question whose longest word the item's words contain */
	struct score *scores;
};

/* May this item answer a question with this scope? */
static inline bool index_in_scope(const struct indexed *entry, int scope)
{
	return scope == LOOKUP_ANY_SCOPE || entry->scope == scope;
}

/* Fills an empty index. */
void index_build(struct lookup *index, const struct lookup_item *items, size_t count);

/*
 * A key without letters or numbers in the form in which it is compared: without spaces and
 * variation selectors.
 */
void index_symbols(struct slice key, struct str *out);

#endif
