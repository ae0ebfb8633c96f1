/*
 * The inside of a plan, for the files that make one and carry it out. For src/tools/plan*.c only.
 */
#ifndef KOTA_OPS_MAINTAIN_PLAN_INTERNAL_H
#define KOTA_OPS_MAINTAIN_PLAN_INTERNAL_H

#include "ops/maintain/plan.h"

/* In a file: which form of plans it has, and what steps are called. */
#define PLAN_VERSION_NAME "kota_plan"
#define PLAN_VERSION 1
extern const char *const plan_kind_names[PLAN_KIND_COUNT];

/* A step without anything; valid until the next one. */
struct plan_step *plan_add(struct plan *plan, enum plan_kind kind);

/* ref must live as long as the plan; digest 0 says that there was no such entry. */
void plan_add_basis(struct plan_step *step, struct slice ref, uint64_t digest);

/* Does the step put, or take away, the entry of this ref? */
bool plan_step_changes(const struct plan_step *step, struct slice ref);

#endif
