/*
 * Groups of entries that are to become one, or to be linked: those that somebody named, and those
 * that are alike.
 *
 *	struct merge_groups groups;
 *	merge_groups_apply(&groups, call, change, &wanted, &err);
 *	... groups.list[i].reason says why one is left to somebody ...
 *	plan_release(&groups.plan);
 *
 * What is named becomes one as it was asked for. Of what is found only entries that say the same do
 * (duplicates.h); the rest of their group is for somebody to decide.
 */
#ifndef KOTA_OPS_MAINTAIN_MERGE_GROUPS_H
#define KOTA_OPS_MAINTAIN_MERGE_GROUPS_H

#include "ops/maintain/duplicates.h"
#include "tool/tool.h"

enum merge_mode { MERGE_PREVIEW, MERGE_APPLY, MERGE_LINK };

struct merge_wanted {
	const struct arg_texts *refs; /* or the name of one group; not given: look for groups */
	double threshold;             /* least cohesion of a group that is found */
	enum merge_mode mode;
	enum merging_keep keep;
	struct slice wording; /* JSON text of the value that results; may be absent */
};

struct merge_group {
	struct merging merging;
	const struct plan_step *step; /* that merges it; NULL where it is not merged, or linked */
	struct slice reason;          /* why it is not merged; absent where it is */
	struct duplicates_candidate *conflicts; /* pairs that contradict each other */
	size_t conflict_count;
};

/* Facts of the parts outlast the commit, see facts_hold(); all lives in the call's arena. */
struct merge_groups {
	struct plan plan;
	struct merge_group *list; /* of what is found, the most alike first */
	size_t count;
	struct change_result result;
};

/*
 * Decides what becomes of the groups and applies it to the change, which for MERGE_PREVIEW is a
 * rehearsal. With MERGE_APPLY it is ERR_BAD_VALUE where named entries cannot be merged. *out is to
 * be released with plan_release(&out->plan), also after a failure.
 */
int merge_groups_apply(struct merge_groups *out, const struct call *call, struct change *change,
		       const struct merge_wanted *wanted, struct err *err);

#endif
