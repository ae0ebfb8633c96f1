/*
 * What two sentences say in the same place and not alike: their answers, the runs of words that
 * only one of them has.
 *
 * "Tickets are tracked in Trello", "tickets are tracked in Asana": one answer each, behind the same
 * preposition. The words are those that phrase_share() marked, and have to outlive what points to
 * them here.
 */
#ifndef KOTA_SIMILARITY_ANSWERS_H
#define KOTA_SIMILARITY_ANSWERS_H

#include "similarity/phrase.h"

/* Most answers of a sentence. */
#define ANSWERS_MAX 16

struct answer {
	const struct word *before; /* NULL: it begins the sentence */
	const struct word *after;
	const struct word *first;
	size_t words;
	unsigned int kinds;
	bool leads; /* nothing else is said before it */
	bool taken; /* it stands in one place with one of the other */
};

struct answers {
	struct answer list[ANSWERS_MAX];
	size_t count;
	const struct word *verb; /* a participle that only leads to an answer; NULL: none */
};

enum place { PLACE_NONE, PLACE_WORD, PLACE_PREPOSITION };

struct differing {
	struct answers a; /* of the older */
	struct answers b;
	size_t count; /* pairs in one place */
	const struct answer *one;
	const struct answer *other; /* the last pair */
	enum place place;
	size_t left[2]; /* words of the answers without a counterpart */
};

/* Can the one stand for the other? A day cannot stand for a name. */
bool answers_compatible(const struct answer *a, const struct answer *b);

/* Finds the answers of both, and those that stand in one place. */
void answers_differ(const struct words *older, const struct words *newer, struct differing *out);

#endif
