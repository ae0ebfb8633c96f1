/*
 * How well one query fits one key, and how well it fits a stored value.
 */
#ifndef KOTA_LOOKUP_SCORE_H
#define KOTA_LOOKUP_SCORE_H

#include "lookup/lookup_item.h"
#include "text/approx.h"
#include "text/distance.h"
#include "text/tokens.h"

/*
 * What is contained scores from here up to CONTAINED_MOST, by its share of the longer text; a key
 * in the query, of which something is left over then, up to WITHIN_MOST.
 */
#define SCORE_CONTAINED 0.85
#define SCORE_CONTAINED_MOST 0.95
#define SCORE_WITHIN_MOST 0.9

/* The same words in another order; most of the words. */
#define SCORE_REORDERED 0.95
#define SCORE_SOFT 0.84

/*
 * The gate: a match by likeness must account for every word of the query, unless it is one of few
 * edits (words may be cut in two then), or is very close.
 */
#define SCORE_GATE 0.8
#define SCORE_GATE_EDITS 3
#define SCORE_NO_GATE 0.9

/* A diacritic that the query leaves out costs half an edit. */
#define SCORE_DIACRITIC 0.5

/* One reading of a query, prepared for comparison with many keys. */
struct query {
	struct text whole;
	struct text content; /* without question words */
	uint64_t measures;   /* words of content that say which kind of answer is asked for */
	struct text compact; /* content without spaces */
	struct text sorted;  /* content with its words in order */
	struct distance_pattern *content_pattern;
	struct distance_pattern *compact_pattern;
	struct distance_pattern *sorted_pattern;
	bool has_digit;
	const struct text *numbers; /* runs of two words or more with digits: addresses, versions */
	uint32_t number_count;
};

/* Prepares a normalised query; texts live in the arena, the rest until query_release(). */
void query_init(struct query *query, struct arena *arena, struct slice normal);

/* Frees what is not in the arena. */
void query_release(struct query *query);

/* One reading of a key: as split, as one word, without diacritics. */
struct key_form {
	struct text text;
	struct text compact;
	struct text sorted;
	const uint32_t *ids; /* the words' numbers in the vocabulary */
	uint32_t item;
	uint32_t folded;    /* diacritics that were left out */
	bool other_reading; /* not as normalize_words leaves it */
};

/* What is known about how the words of a query are found among the words of something. */
struct words_found {
	uint32_t asked; /* content words of the query */
	uint32_t found; /* of them, those that resemble a word */
	bool equal;     /* all do, and are that word */
	double soft;    /* weighted balance of words found and words asked for, 0 to 1 */
};

/* The evidence for an answer. Better evidence goes before greater likeness. */
enum standing {
	STANDING_ALIKE, /* some word is taken for a misspelling or left out */
	STANDING_SAID,  /* every word stands in key or value as it was asked */
	STANDING_NAMED  /* every word stands in the key, or the key is as good as the query */
};

struct score {
	double confidence; /* 0 when there is no match */
	double nearest;    /* what it would be without the rules that refuse it */
	enum lookup_match match;
	enum standing standing;
	bool whole_words; /* a run of whole words was found */
	double soft;
	double similarity;
};

/* Scores a key; exact equality is the caller's to find. */
void score_key(const struct query *query, const struct key_form *form,
	       const struct words_found *words, struct score *out);

/* How many edits pass the gate, whatever the words, if the longer text has so many characters. */
uint32_t score_gate_edits(uint32_t longer);

/* No similarity of the query to the key is larger, by the letters that they have. */
double score_key_bound(const struct query *query, const struct key_form *form);

/* score_similarity() is no more than this, by length and bag of the text alone. */
double score_similarity_bound(const struct query *query, const struct text *stored);

/* ---- values */

/* A match of the value counts this much of the same match of a key. */
#define VALUE_WEIGHT 0.9

/* How the words of a query are found in key and value together. */
struct value_words {
	uint32_t asked;
	uint32_t found;   /* equal, or as close as a misspelling */
	uint32_t numbers; /* words with digits that were asked for and not found */
	double likeness;  /* sum of the likeness of those found */
};

/* How near the words alone bring the value, whether that counts as a match or not. */
double value_words_nearest(const struct value_words *words);

/* True if each run of numbers of the query stands in the key or the value as it was asked for. */
bool value_has_numbers(const struct query *query, const struct text *key, const struct text *value);

/*
 * Scores a value by containment, similarity and its words. Of the texts only the bytes are needed,
 * the counts and the bag; plain has the bytes of split where it is the same.
 */
void value_score(const struct query *query, const struct text *split, const struct text *plain,
		 const struct value_words *words, struct score *out);

/* Confidence of an approximate substring, 0 when there is none; as for value_score. */
double value_approximate(const struct query *query, struct approx *approx,
			 const struct text *value);

#endif
