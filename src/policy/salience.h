/*
 * How much an entry matters: one number from how old, how large, how wanted and how important it
 * is. What is below a threshold may be pruned.
 *
 * Pure; who calls gathers the facts.
 */
#ifndef KOTA_POLICY_SALIENCE_H
#define KOTA_POLICY_SALIENCE_H

#include "base/str.h"
#include "model/entry.h"

#include <stdint.h>

struct salience_facts {
	double age_days;   /* since it was made; may be a fraction */
	double idle_days;  /* since it was last active */
	double importance; /* 0 to 1; IMPORTANCE_UNSET when not given */
	int64_t bytes;     /* entry_size() */
	int64_t hits;
};

/* 0 to 1. Ages below 0 (a time to come) count as 0, importance out of its range as its end. */
double salience_score(const struct salience_facts *facts);

/*
 * Which entries no maintenance touches unless they are named.
 *
 * Pure; who calls gathers the facts. Expiry and eviction do not ask here: they know `pinned` only.
 */

/* id, why in words: "state:x is protected: pinned". The first that applies is said. */
#define PROTECTIONS(X)                                                                             \
	X(NONE, "")                                                                                \
	X(PINNED, "pinned")                                                                        \
	X(PREFERENCE, "a preference")                                                              \
	X(PROMOTED, "promoted")                                                                    \
	X(IMPORTANT, "importance 0.8 or more")                                                     \
	X(WANTED, "10 hits or more")                                                               \
	X(YOUNG, "younger than 30 days")                                                           \
	X(SOURCE, "from a protected source")

enum protection {
#define X(id, why) PROTECTION_##id,
	PROTECTIONS(X)
#undef X
};

/* Why an entry with so many hits, made so long ago, is protected, or PROTECTION_NONE. */
enum protection protect_reason(const struct entry *entry, int64_t hits, int64_t age_ms);

/* The reason in words; static storage. */
const char *protection_text(enum protection protection);

#endif
