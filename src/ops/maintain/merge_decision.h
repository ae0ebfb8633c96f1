/*
 * Several entries that are to become one: which of them remains, and what it says then. Texts live
 * in the arena that is given.
 */
#ifndef KOTA_OPS_MAINTAIN_MERGE_DECISION_H
#define KOTA_OPS_MAINTAIN_MERGE_DECISION_H

#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"

/* What remains of them. */
enum merging_keep {
	KEEP_COMBINE,    /* all texts, in the entry with most hits, then the oldest */
	KEEP_CONFIDENCE, /* the text of the one with the highest confidence, likewise below */
	KEEP_ACCESS,     /* with most hits */
	KEEP_FIRST,      /* the first of those given */
	KEEP_SECOND,
	KEEP_LONGEST /* all texts say the same: the longest, in the entry as for KEEP_COMBINE */
};

struct merging {
	const struct facts *const *parts; /* two at least */
	size_t count;
	double cohesion;      /* mean likeness of all pairs, 0 to 1 */
	struct slice wording; /* JSON text that somebody gave as what it says; may be absent */
	/* Of merging_decide(): */
	size_t kept;           /* the part that remains */
	struct slice value;    /* JSON text of its value; absent where there is an obstacle */
	struct slice text;     /* compact JSON text of the entry; likewise */
	struct slice obstacle; /* why they cannot be put together; absent where they can */
};

/* Sets the parts and their cohesion; the parts must outlive it. */
void merging_init(struct merging *merging, const struct facts *const *parts, size_t count);

/* Decides what remains. */
void merging_decide(struct merging *merging, enum merging_keep keep, struct arena *arena);

/* Hits that the one that remains has then, and what it then matters (policy/salience.h). */
int64_t merging_hits(const struct merging *merging);
double merging_salience(const struct merging *merging);

/* Adds the step to the plan; there must be no obstacle. */
struct plan_step *merging_plan(const struct merging *merging, struct plan *plan);

/* The text of a value as it is compared with others; `json` is its JSON text. */
struct slice merging_words(struct slice json, struct arena *arena);

#endif
