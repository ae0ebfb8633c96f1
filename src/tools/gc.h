/*
 * What has faded, and is to leave the active memory.
 *
 * For this folder and src/cli.
 */
#ifndef KOTA_TOOLS_GC_H
#define KOTA_TOOLS_GC_H

#include "ops/maintain/plan.h"

/* All of them. */
#define GC_ALL INT64_MAX

/* What was found beside the steps. */
struct gc_found {
	const double *scores; /* of the entry of each step that was added; in the plan's arena */
	size_t kept;          /* have faded too, and are protected */
};

/*
 * Adds a step for each entry of the view that has faded and that nothing protects, the lowest score
 * first, up to `limit` of them. ERR_BAD_DATA where the settings cannot be read.
 */
int gc_plan(struct plan *plan, const struct change *change, int64_t limit, struct gc_found *found,
	    struct err *err);

#endif
