/*
 * The index behind search.h: all words of all items and where they stand.
 *
 * search_index.c builds it (search_add, search_remove), query_terms.c says which of its words one
 * of a query means, search.c weighs. The arena owns all texts.
 */
#ifndef KOTA_SEARCH_SEARCH_INDEX_H
#define KOTA_SEARCH_SEARCH_INDEX_H

#include "base/map.h"
#include "base/str.h"
#include "search/search_item.h"
#include "text/columns.h"
#include "text/tokens.h"

struct same_words;

/* Where a term stands: how often, weighted by field. */
struct search_posting {
	uint32_t item;
	float weight;
};

/* A word of the index, or a pair of characters of a script without spaces. */
struct search_term {
	const uint32_t *chars;
	uint32_t len;
	struct search_posting *postings; /* by item; those of removed items too */
	uint32_t count;
	uint32_t holding; /* items that have it, without those that were removed */
	size_t cap;
};

/* What tells at a glance that a term is another word; of a term with digits nothing, and no length.
 */
struct search_shape {
	uint64_t bag;
	uint64_t triples;
	uint32_t len;
};

/* The first three characters in one number; 0 if there are fewer, or if one is not ASCII. */
static inline uint64_t search_start(const uint32_t *chars, size_t len)
{
	if (len < 3 || chars[0] >= 0x80 || chars[1] >= 0x80 || chars[2] >= 0x80)
		return 0;
	return chars[0] | (uint64_t)chars[1] << 8 | (uint64_t)chars[2] << 16;
}

/* As search_start() of what a German participle begins with. */
#define SEARCH_PARTICIPLE ('g' | 'e' << 8)

/* Features of a term that begins so, as columns have them. */
static inline uint64_t search_beginnings(uint64_t start)
{
	uint64_t participle = (start & 0xFFFF) == SEARCH_PARTICIPLE
				      ? columns_features_of(SEARCH_PARTICIPLE)
				      : 0;

	return columns_features_of(start) | participle;
}

/* Terms with one stem are chained. */
struct search_kin {
	uint32_t term;
	uint32_t next; /* SEARCH_NONE ends */
};

#define SEARCH_NONE UINT32_MAX

/* A term that a word of the query may mean. */
struct search_match {
	uint32_t term;
	double factor; /* 1 for the word itself */
};

struct search_entry {
	bool gone;              /* it was removed */
	bool asks;              /* its text ends as a question does */
	const uint32_t *terms;  /* those that it has postings of */
	const uint32_t *tokens; /* terms in their order; SEARCH_NONE between fields */
	uint32_t term_count;
	uint32_t token_count;
	double length; /* weighted */
	uint64_t digest;
	uint64_t place; /* orders items of equal relevance */
};

/* Terms found for one word, which grow as they are found. */
struct search_matches {
	struct search_match *list;
	size_t count;
	size_t cap;
};

/* What is known of an item while a question is asked. */
struct search_tally {
	double weight; /* of the word that is asked for */
	double factor;
	double score;
	double found;   /* weight of the words that were found */
	double subject; /* the same, without words that say little */
	double hinted;  /* share of the hints that were found */
	uint64_t words;
};

struct search {
	struct arena arena;
	struct search_entry *entries; /* those that were removed too */
	size_t entry_count;
	size_t live_count;
	size_t entry_cap;
	struct search_term *terms;
	struct search_shape *shapes; /* of the terms */
	struct columns bags;         /* of the shapes, to compare many at once */
	struct columns triples;      /* likewise */
	struct columns beginnings;   /* as search_beginnings() */
	size_t term_count;
	size_t term_cap;
	size_t shape_cap;
	struct map ids;  /* characters of a term -> term */
	struct map kins; /* characters of a stem -> newest of the chain */
	struct search_kin *kin;
	size_t kin_count;
	size_t kin_cap;
	struct same_words *same;
	double total_length; /* of the entries */

	struct search_tally *tallies;
	uint32_t *touched; /* items that the word asked for stands in */
	size_t touched_count;
	uint32_t *found; /* items that any word stands in */
	size_t found_count;
	uint8_t *word_of; /* for each term: the word of the query that it means, from 1 */
	size_t tally_cap;
	size_t touched_cap;
	size_t found_cap;
	size_t word_of_cap;
	struct search_matches matches;
	struct search_hit *hits;
	size_t hit_cap;
	struct arena question; /* texts of the last query */
	struct slice words[SEARCH_WORDS_MAX];
	size_t word_count;
};

/* The term that these characters are and that an item has; SEARCH_NONE when there is none. */
uint32_t search_term_of(const struct search *index, const uint32_t *chars, uint32_t len);

/*
 * True if this word of a text stands for itself, as characters of Chinese do. Then pairs are terms.
 */
bool search_is_pair(const struct text *text, uint32_t word);

/*
 * The stem by which a term and its kin find each other, without diacritics (umlauts as a, or as ae
 * where umlauts_as_e says so). Lives in the arena; false when umlauts make no difference.
 */
bool search_stem(struct arena *arena, const uint32_t *chars, uint32_t len, bool umlauts_as_e,
		 struct slice *out);

#endif
