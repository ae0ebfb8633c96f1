/*
 * A text as words whose part in the sentence is known, and what two such texts have in common.
 *
 * For src/match/conflict*.c only. Everything lives in the arena.
 */
#ifndef KOTA_SIMILARITY_SENTENCE_H
#define KOTA_SIMILARITY_SENTENCE_H

#include "base/arena.h"
#include "base/slice.h"
#include "base/str.h"

struct sentence_word {
	struct slice text; /* several that belong together are joined by "_" */
	struct slice stem;
	bool filler;
	bool negation;
	bool number;  /* has a digit */
	bool shared;  /* is in the other sentence too */
	bool opposed; /* the other sentence has a word that excludes it */
};

struct sentence {
	struct slice normal; /* the text without apostrophes, normalised */
	struct sentence_word *words;
	size_t count;
};

/* The text without apostrophes, normalised; *out is cleared first. */
void sentence_normalize(struct slice text, struct str *out);

/* Nothing is shared or opposed yet. */
void sentence_make(struct arena *arena, struct slice text, struct sentence *out);

/* Marks the words that are in both, each with one of the other: equal ones first, then stems. */
void sentence_share(struct sentence *a, struct sentence *b);

/* Does the word say what the sentence is about? */
bool sentence_is_content(const struct sentence_word *word);

#endif
