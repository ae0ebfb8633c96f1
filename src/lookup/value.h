/*
 * What a stored value says, and how well a query fits it.
 */
#ifndef KOTA_LOOKUP_VALUE_H
#define KOTA_LOOKUP_VALUE_H

#include "base/str.h"
#include "text/approx.h"
#include "lookup/score.h"

/* A match of the value counts this much of the same match of a key. */
#define VALUE_WEIGHT 0.9

/*
 * The text of a JSON value: its strings, member names and numbers, joined by spaces, appended to
 * *out. Booleans go to *switches: they help to tell entries apart and are no text to be found in.
 * A value that is no JSON is its own text.
 */
void value_text(struct slice json, struct str *out, struct str *switches);

/* How the words of a query are found in key and value together. */
struct value_words {
	uint32_t asked;
	uint32_t found;   /* equal, or as close as a misspelling */
	uint32_t numbers; /* words with digits that were asked for and not found */
	double likeness;  /* sum of the likeness of those found */
};

/* How near the words alone bring the value, whether that counts as a match or not. */
double value_words_nearest(const struct value_words *words);

/* Does each run of numbers that was asked for stand in the key or the value as it was asked? */
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
