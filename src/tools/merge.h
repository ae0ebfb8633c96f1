/*
 * The inside of memory_merge: what is asked for and what was found, for merge.c and its reply.
 */
#ifndef KOTA_TOOLS_MERGE_H
#define KOTA_TOOLS_MERGE_H

#include "ops/maintain/duplicates.h"
#include "ops/common.h"
#include "ops/maintain/merge_decision.h"
#include "ops/maintain/plan.h"

enum merge_mode { MERGE_PREVIEW, MERGE_APPLY, MERGE_LINK };

extern const char *const merge_mode_names[];

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

/* Writes the reply; the plan is applied, or rehearsed. */
void merge_reply(struct json_writer *w, const struct merge_work *work);

#endif
