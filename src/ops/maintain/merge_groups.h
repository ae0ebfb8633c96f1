/*
 * The work of memory_merge: finds the groups of entries that are to become one, or to be linked,
 * plans and applies that, and writes the reply.
 *
 *	struct merge_work work = {.call = call, .args = args, .plan = PLAN_INIT, .change = change};
 *	if (merge_run(&work, &err) == 0)
 *		merge_reply(w, &work);
 *	merge_release(&work);
 */
#ifndef KOTA_OPS_MAINTAIN_MERGE_GROUPS_H
#define KOTA_OPS_MAINTAIN_MERGE_GROUPS_H

#include "ops/maintain/duplicates.h"
#include "ops/common.h"
#include "ops/maintain/merge_decision.h"
#include "ops/maintain/plan.h"

enum merge_mode { MERGE_PREVIEW, MERGE_APPLY, MERGE_LINK };

/* As the enum; ended by NULL. */
extern const char *const merge_mode_names[];

/* Most refs that can be merged at a time. */
#define MERGE_REFS_MAX 100

struct merge_args {
	struct arg_texts refs;
	int auto_detect;
	struct arg_json cohesion_threshold;
	int keep; /* enum merging_keep */
	int mode; /* enum merge_mode */
};

/* Entries that are to become one, or to be linked: those that were named, or found. */
struct merge_unit {
	struct merging merging;
	size_t step;         /* of the plan; SIZE_MAX: there is none */
	size_t step_count;   /* of MERGE_LINK */
	struct slice reason; /* why it is not merged; absent where it is */
	struct doubles_candidate *conflicts;
	size_t conflict_count;
};

struct merge_work {
	const struct call *call;
	const struct merge_args *args;
	struct change *change;
	struct plan plan;
	struct merge_unit *units;
	size_t unit_count;
	size_t unit_cap;
	struct change_result result;
};

/* True if refs is the name of one group, which stands for its members. */
bool merge_names_group(const struct merge_args *args);

/*
 * Decides what becomes of the named entries, or of the groups that are found, and applies it to
 * work->change. In the apply mode ERR_BAD_VALUE where named entries cannot be merged.
 */
int merge_run(struct merge_work *work, struct err *err);

/* Writes the reply of what merge_run() did. */
void merge_reply(struct json_writer *w, const struct merge_work *work);

/* Frees what the work holds; not the change. */
void merge_release(struct merge_work *work);

#endif
