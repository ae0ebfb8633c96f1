/*
 * Which entries have proved their worth and become notes.
 */
#ifndef KOTA_OPS_MAINTAIN_PROMOTION_H
#define KOTA_OPS_MAINTAIN_PROMOTION_H

#include "ops/common.h"
#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"

/* What speaks for an entry. Texts live in the plan's arena. */
struct candidate {
	struct slice ref;
	struct slice preview; /* the beginning of its value */
	struct slice reason;
	double score;
	int64_t uses;
	double age_days;
	size_t step;          /* of the plan; PROMOTE_NOT when it is not promoted */
	enum protection kept; /* why not */
};

#define PROMOTE_NOT SIZE_MAX

struct candidates {
	struct candidate *list; /* in the plan's arena */
	size_t count;
};

/*
 * Finds all entries of the view that meet the criteria and are not promoted yet, the highest score
 * first, and adds a step for each that nothing protects. ERR_BAD_DATA where the settings cannot be
 * read.
 */
int promotion_plan(struct plan *plan, const struct change *change, struct candidates *out,
		   struct err *err);

/*
 * Adds the step for the one entry of this key or ref, which nothing protects then. ERR_EXISTS when
 * it is promoted already, ERR_BAD_VALUE when it does not meet the criteria; with force it is
 * promoted in both cases, and call->warning names the earlier note.
 */
int promotion_plan_one(struct plan *plan, struct change *change, const struct call *call,
		       struct slice ref, bool force, struct candidates *out, struct err *err);

#endif
