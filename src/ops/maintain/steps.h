/*
 * The steps of kota maintain, one after the other.
 *
 * All steps are planned on one view of the store, into one plan, and tried together in a rehearsal:
 * that is the dry run. The real run carries out the steps that stood there, each as a change of its
 * own.
 */
#ifndef KOTA_OPS_MAINTAIN_STEPS_H
#define KOTA_OPS_MAINTAIN_STEPS_H

#include "ops/common.h"
#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"

enum maintain_step {
	MAINTAIN_DECAY,
	MAINTAIN_CLUSTER,
	MAINTAIN_MERGE,
	MAINTAIN_PROMOTE,
	MAINTAIN_RELATIONS,
	MAINTAIN_STEP_COUNT
};

/* Their names in order, ended by NULL. */
extern const char *const maintain_step_names[MAINTAIN_STEP_COUNT + 1];

struct maintenance {
	const struct call *call;
	struct change *change; /* what is planned on: a rehearsal */
	struct settings settings;
	struct plan plan;
	size_t from[MAINTAIN_STEP_COUNT]; /* steps of the plan: from .. end */
	size_t end[MAINTAIN_STEP_COUNT];
	struct str
		found[MAINTAIN_STEP_COUNT]; /* what it found, a JSON object; empty: not asked for */
};

/* Plans all steps, or the one, and tries them. only: MAINTAIN_STEP_COUNT for all. */
int maintain_make(struct maintenance *m, const struct call *call, enum maintain_step only,
		  struct err *err);

/* Carries out what stood, a change for each step; *changes counts those that changed something. */
int maintain_do(struct maintenance *m, size_t *changes, struct err *err);

void maintain_release(struct maintenance *m);

#endif
