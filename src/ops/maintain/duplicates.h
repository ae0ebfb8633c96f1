/*
 * Entries that say the same, found without being named, and those that nearly do.
 *
 *	struct duplicates found;
 *	duplicates_find(&found, facts, count, 0.95, NULL, arena);
 *	... found.groups: may become one unasked ... found.candidates: somebody has to decide ...
 *
 * May become one, unasked, only what no maintenance has to leave alone (facts.kept), is of one
 * category, has keys that nobody would look up separately, and says the same by the rule of
 * similarity/contradiction.h: values of which one may stand for the other. All else that is as
 * alike as asked is a candidate, with the reason.
 */
#ifndef KOTA_OPS_MAINTAIN_DUPLICATES_H
#define KOTA_OPS_MAINTAIN_DUPLICATES_H

#include "ops/maintain/merge_decision.h"

/* Two entries that are alike and are not to be merged unasked. */
struct duplicates_candidate {
	const struct facts *a;
	const struct facts *b;
	double similarity;
	struct slice reason;    /* why they are left to somebody */
	bool conflict;          /* they contradict each other: both cannot hold */
	const char *match_type; /* "exact" or "near_duplicate" */
};

struct duplicates {
	struct merging *groups; /* not decided yet; their parts are in the arena */
	size_t group_count;
	struct duplicates_candidate *candidates; /* the most alike first */
	size_t candidate_count;
	size_t pair_count; /* pairs as alike as asked, those of the groups included */
};

/*
 * Looks at the values of the entries of the list, which must outlive *out, as the arena must.
 * threshold is for the likeness of their words, 0 to 1; progress is of who waits, or NULL.
 */
void duplicates_find(struct duplicates *out, const struct facts *facts, size_t count,
		     double threshold, const struct progress *progress, struct arena *arena);

/*
 * Adds a step for each group to the plan. One that would matter less than `floor` (salience) then,
 * and be pruned the next time, becomes a candidate instead.
 */
void duplicates_plan(struct duplicates *duplicates, struct plan *plan, double floor,
		     struct arena *arena);

/* Parts of replies, inside an object: memory_ids, similarity, match_type, reason, suggest. */
void duplicates_write_candidate(struct json_writer *w,
				const struct duplicates_candidate *candidate);

/* `candidates`: a list of these, at most so many. */
void duplicates_write_candidates(struct json_writer *w, const struct duplicates *duplicates,
				 size_t max);

/*
 * True if the two contradict each other. Then *out is the pair with the reason, in the arena. For
 * entries that somebody named: of what is about different things this says nothing.
 */
bool duplicates_compare(struct duplicates_candidate *out, const struct facts *a,
			const struct facts *b, struct arena *arena);

#endif
