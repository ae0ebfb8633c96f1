/*
 * A sentence as words, each with its role in it. For statement.c.
 *
 * Texts live in the arena that a sentence was read with, or are static.
 */
#ifndef KOTA_SIMILARITY_PHRASE_H
#define KOTA_SIMILARITY_PHRASE_H

#include "base/arena.h"
#include "base/str.h"
#include "text/dictionary.h"

#define PHRASE_WORDS 64

/* Letters that the stems of words of one family have in common at least, and that one has more. */
#define FAMILY_STEM 5
#define FAMILY_ENDING 3

enum kind { KIND_WORD, KIND_NAME, KIND_NUMBER, KIND_DAY, KIND_MONTH };

#define KIND_BIT(kind) (1u << (kind))

/* Kinds that cannot answer for each other. */
#define KIND_TELLING (KIND_BIT(KIND_NUMBER) | KIND_BIT(KIND_DAY) | KIND_BIT(KIND_MONTH))

struct word {
	struct slice text;
	struct slice stem;
	struct dictionary_entry listed;
	uint64_t lists; /* a bit for each list that it is in */
	enum kind kind;
	int lead; /* of a preposition: which it is like */
	bool filler;
	bool negation;
	bool dropped; /* says since when */
	bool shared;
	bool opposed;
	const struct word *mate; /* in the other sentence, where shared */
};

struct words {
	struct word words[PHRASE_WORDS];
	size_t count;
};

/* The words of a text, as far as there is room for them. */
void phrase_read(struct arena *arena, struct slice text, struct words *out);

/* Where the clause of a text that begins at `from` ends: "13:00" and "4,000" have no end inside. */
size_t phrase_clause_end(struct slice text, size_t from);

bool phrase_is_article(const struct word *word);

/* Is the word in this list of data/words? */
bool phrase_in(const struct word *word, enum word_list list);

/* A verb and the like that carries no answer; a word of change; one that says "from now on". */
bool phrase_is_light(const struct word *word);
bool phrase_is_change(const struct word *word);
bool phrase_is_recent(const struct word *word);

/* Does the word say something of its own, so that another one there is another statement? */
bool phrase_says(const struct word *word);

/* Does the word say what a text is about? A number, a day, or a word of most sentences does not. */
bool phrase_is_subject(const struct word *word);

/* Marks what both have: equal words first, then stems, then words that mean the same. */
void phrase_share(struct words *a, struct words *b);

#endif
