/*
 * Whether two texts contradict each other, and whether one may stand for both.
 *
 * Lexical: numbers, negations, and the words of data/words, nothing else. It is for texts that are
 * alike; of texts about different things it says nothing. It does not see contradictions in words
 * that are not listed.
 */
#ifndef KOTA_SIMILARITY_CONTRADICTION_H
#define KOTA_SIMILARITY_CONTRADICTION_H

#include "base/arena.h"
#include "base/str.h"
#include "text/dictionary.h"

enum conflict {
	CONFLICT_NONE,
	CONFLICT_NUMBERS,   /* the same is said with other numbers */
	CONFLICT_NEGATION,  /* one denies what the other says */
	CONFLICT_OPPOSITES, /* words that exclude each other */
	CONFLICT_OTHER,     /* another answer where there can be one */
	CONFLICT_COUNT
};

/* "numbers", "negation", "opposites", "other"; "none" for CONFLICT_NONE. */
extern const char *const conflict_names[CONFLICT_COUNT];

/*
 * How the texts contradict each other. With a conflict, *reason (NULL: not asked for; else it is
 * appended to) gets a phrase for a person: one says "22", the other "24".
 */
enum conflict conflict_find(struct slice a, struct slice b, struct str *reason);

/*
 * True if the texts may be merged without review. Normalised and without apostrophes they must be
 * equal, or the longer contains the shorter as whole words and the shorter has at least 0.8 of its
 * characters; and when numbers, signs, negations and opposites agree and what the longer has more
 * does not limit what is said.
 */
bool conflict_may_merge(struct slice a, struct slice b);

/*
 * A text as words whose part in the sentence is known, and what two such texts have in common.
 *
 * Everything lives in the arena.
 */

struct sentence_word {
	struct slice text; /* several that belong together are joined by "_" */
	struct slice stem;
	struct dictionary_entry listed;
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

/* Nothing is shared or opposed yet. */
void sentence_make(struct arena *arena, struct slice text, struct sentence *out);

/* Marks the words that are in both, each with one of the other: equal ones first, then stems. */
void sentence_share(struct sentence *a, struct sentence *b);

/* True if the word says what the sentence is about. */
bool sentence_is_content(const struct sentence_word *word);

/*
 * What a text says without words: numbers as they are written, codes, signs, emoji.
 *
 * Normalising a text loses that -5 is not 5, "<" not ">", and a tick not a cross.
 */

/*
 * True if both texts have the same numbers, signs (mathematics, currencies, per cent) and, in words
 * of six and more letters and digits, the same capitals, all in the same order. Emoji count where
 * both have some, or where one is a verdict.
 */
bool marks_agree(struct slice a, struct slice b);

#endif
