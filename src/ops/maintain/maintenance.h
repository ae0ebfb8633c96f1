/*
 * Maintenance: everything that is done to a store unasked, step by step.
 *
 *	struct maintenance m;
 *	maintenance_plan(&m, call, MAINTAIN_STEP_COUNT, &err);
 *	maintenance_do(&m, &changes, &err);
 *	plan_release(&m.plan);
 *
 * All steps are planned on one view of the store, into one plan, and tried together in a rehearsal:
 * that is the dry run. The real run carries out the steps that stood there, each as a change of its
 * own.
 */
#ifndef KOTA_OPS_MAINTAIN_MAINTENANCE_H
#define KOTA_OPS_MAINTAIN_MAINTENANCE_H

#include "ops/maintain/plan.h"
#include "tool/tool.h"

/* In the order in which they are done. */
enum maintain_step {
	MAINTAIN_DECAY,
	MAINTAIN_CLUSTER,
	MAINTAIN_MERGE,
	MAINTAIN_PROMOTE,
	MAINTAIN_RELATIONS,
	MAINTAIN_STEP_COUNT
};

/* "decay", "cluster", ...; ended by NULL. */
extern const char *const maintain_step_names[MAINTAIN_STEP_COUNT + 1];

struct maintenance {
	const struct call *call;
	struct settings settings;
	struct plan plan;
	size_t from[MAINTAIN_STEP_COUNT]; /* steps of the plan: from .. end */
	size_t end[MAINTAIN_STEP_COUNT];
	/* What a step found, a JSON object in the plan's arena; absent: not asked for. */
	struct slice found[MAINTAIN_STEP_COUNT];
};

/*
 * Plans all steps, or only the one (MAINTAIN_STEP_COUNT: all), and tries them. *m is to be released
 * with plan_release(&m->plan), also after a failure.
 */
int maintenance_plan(struct maintenance *m, const struct call *call, enum maintain_step only,
		     struct err *err);

/*
 * Carries out what stood, a change for each step; *changes counts those that changed something.
 * After a failure what earlier steps did is kept, and the error says so.
 */
int maintenance_do(struct maintenance *m, size_t *changes, struct err *err);

#endif
