/*
 * What a look over all entries finds beside duplicates: groups, what many are about, and how far
 * the recent ones have drifted from the rest. What is found lives in the arena that is given.
 */
#ifndef KOTA_OPS_MAINTAIN_PATTERNS_H
#define KOTA_OPS_MAINTAIN_PATTERNS_H

#include "ops/entry_stats.h"
#include "similarity/cluster.h"

/* Most patterns of one look. */
#define PATTERNS_MAX 10

/* The source of the entries that patterns are saved as. */
#define PATTERN_SOURCE "consolidate"

/* What several entries are about. */
struct pattern {
	struct slice key;         /* under which it is saved, made of its terms */
	struct slice description; /* a sentence */
	const struct facts **members;
	size_t count;
	double confidence;
	bool saved; /* there is no such entry yet */
};

struct pattern_drift {
	bool known; /* there are older entries to compare with */
	size_t recent;
	size_t older;
	double similarity;
	const char *level;
};

/*
 * The patterns that are sure enough, the surest first; what was itself saved as a pattern does not
 * count. Returns how many, at most PATTERNS_MAX.
 */
size_t patterns_find(const struct facts *facts, const struct slice *words, size_t count,
		     struct arena *arena, struct pattern patterns[PATTERNS_MAX]);

/* How alike the words of the last hundred entries are to those of the rest. */
void pattern_drift(const struct facts *facts, const struct slice *words, size_t count,
		   struct pattern_drift *out);

#endif
