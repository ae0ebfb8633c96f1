/*
 * The inside of memory_consolidate: what is decided, for consolidate.c and its reply, and for
 * whoever maintains a store without being asked.
 */
#ifndef KOTA_OPS_MAINTAIN_CONSOLIDATE_PLAN_H
#define KOTA_OPS_MAINTAIN_CONSOLIDATE_PLAN_H

#include "ops/maintain/duplicates.h"
#include "ops/maintain/patterns.h"

enum consolidate_mode { CONSOLIDATE_LIGHT, CONSOLIDATE_DEEP, CONSOLIDATE_REM };

struct consolidate_wanted {
	enum consolidate_mode mode;
	double salience_threshold;
	size_t max_memories; /* 0: all */
};

struct consolidate_found {
	size_t active;                /* entries before */
	size_t clusters;              /* groups of entries that are alike; 0 in light mode */
	struct duplicates duplicates; /* its candidates are left to somebody */
	struct pattern patterns[PATTERNS_MAX];
	size_t pattern_count;
	struct pattern_drift drift; /* unknown but in rem mode */
};

/*
 * Adds to the plan what is to be done at the moment of the change: merges, archiving of what does
 * not matter, links and entries for patterns. What is found lives in the arena and outlasts a
 * commit.
 */
int consolidate_plan(struct plan *plan, const struct change *change,
		     const struct consolidate_wanted *wanted, struct consolidate_found *found,
		     struct arena *arena, struct err *err);

#endif
