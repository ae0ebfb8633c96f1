/*
 * Do two texts contradict each other, and may one stand for both?
 *
 * Lexical: numbers, negations, and the words of data/opposites, nothing else. It is asked about
 * texts that are alike; of texts about different things it says nothing. Words that are not listed,
 * and contradictions in other words, it does not see.
 */
#ifndef KOTA_SIMILARITY_CONTRADICTION_H
#define KOTA_SIMILARITY_CONTRADICTION_H

#include "base/slice.h"
#include "base/str.h"

enum conflict {
	CONFLICT_NONE,
	CONFLICT_NUMBERS,   /* the same is said with other numbers */
	CONFLICT_NEGATION,  /* one denies what the other says */
	CONFLICT_OPPOSITES, /* words that exclude each other */
	CONFLICT_OTHER      /* another answer where there can be one */
};

/* numbers, negation, opposites, other; "none" for CONFLICT_NONE. Static. */
const char *conflict_name(enum conflict conflict);

/*
 * What the texts contradict each other in. With a conflict, *reason (NULL: not asked for; else it
 * is appended to) gets a phrase for a person: one says "22", the other "24".
 */
enum conflict conflict_find(struct slice a, struct slice b, struct str *reason);

/*
 * May the texts be merged without anybody having looked? Only when, normalised and without
 * apostrophes, they are equal, or the longer contains the shorter as whole words and the shorter
 * has at least 0.8 of its characters; and when numbers, signs, negations and opposites agree and
 * what the longer has more does not limit what is said.
 */
bool conflict_may_merge(struct slice a, struct slice b);

#endif
