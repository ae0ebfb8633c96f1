/*
 * The work of memory_merge: finds the groups of entries that are to become one, or to be linked,
 * plans and applies that, and writes the reply.
 */
#ifndef KOTA_OPS_MAINTAIN_MERGE_GROUPS_H
#define KOTA_OPS_MAINTAIN_MERGE_GROUPS_H

#include "ops/common.h"
#include "ops/maintain/merge_decision.h"

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

/* True if refs is the name of one group, which stands for its members. */
bool merge_names_group(const struct merge_args *args);

/*
 * Decides what becomes of the named entries, or of the groups that are found, applies it to the
 * change, and writes the reply. In the apply mode ERR_BAD_VALUE where named entries cannot be
 * merged.
 */
int merge_run(const struct call *call, const struct merge_args *args, struct change *change,
	      struct json_writer *w, struct err *err);

#endif
