/*
 * Which entries no maintenance touches unless they are named.
 *
 * Pure; who calls gathers the facts. Expiry and eviction do not ask here: they know `pinned` only.
 */
#ifndef KOTA_POLICY_PROTECT_H
#define KOTA_POLICY_PROTECT_H

#include "base/slice.h"
#include "model/category.h"

#include <stdint.h>

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

struct protect_facts {
	enum category category;
	bool pinned;
	bool promoted;     /* its status says so, or it was promoted to somewhere */
	double importance; /* IMPORTANCE_UNSET (policy/salience.h) when not given */
	int64_t hits;
	int64_t age_ms;      /* since it was made */
	struct slice source; /* absent when not given */
};

/* Why the entry is protected, or PROTECTION_NONE. */
enum protection protect_reason(const struct protect_facts *facts);

/* The reason in words; static storage. */
const char *protection_text(enum protection protection);

#endif
