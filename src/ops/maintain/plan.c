#include "ops/maintain/plan_internal.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		free(plan->steps[i].bases);
	free(plan->steps);
	arena_release(&plan->arena);
	*plan = (struct plan)PLAN_INIT;
}

bool plan_step_changes(const struct plan_step *step, struct slice ref)
{
	if (step->kind == PLAN_LINK)
		return false;
	if (slice_equal(step->ref, ref))
		return true;
	for (size_t i = 0; step->kind == PLAN_MERGE && i < step->base_count; i++) {
		if (slice_equal(step->bases[i].ref, ref))
			return true;
	}
	return false;
}

bool plan_changes(const struct plan *plan, struct slice ref)
{
	for (size_t i = 0; i < plan->count; i++) {
		if (plan_step_changes(&plan->steps[i], ref))
			return true;
	}
	return false;
}

bool plan_archives(const struct plan_step *step, struct slice ref)
{
	if (slice_equal(step->ref, ref))
		return step->kind == PLAN_ARCHIVE;
	return step->kind == PLAN_MERGE && plan_step_changes(step, ref);
}

void plan_settle(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		plan->steps[i].settled = plan->steps[i].skip_code != ERR_NONE;
}

struct plan_step *plan_add(struct plan *plan, enum plan_kind kind)
{
	plan->steps = mem_grow(plan->steps, &plan->cap, plan->count + 1, sizeof *plan->steps);
	plan->steps[plan->count] = (struct plan_step){.kind = kind};
	return &plan->steps[plan->count++];
}

void plan_add_basis(struct plan_step *step, struct slice ref, uint64_t digest)
{
	size_t cap = step->base_count;

	step->bases = mem_grow(step->bases, &cap, step->base_count + 1, sizeof *step->bases);
	step->bases[step->base_count++] = (struct plan_basis){ref, digest};
}

void plan_rely(struct plan *plan, struct plan_step *step, const struct item *item)
{
	plan_add_basis(step, arena_copy(&plan->arena, item->ref), hash64(item->entry.text));
}

/* A step about an entry that is there. */
static struct plan_step *add_for(struct plan *plan, enum plan_kind kind, const struct item *item)
{
	struct plan_step *step = plan_add(plan, kind);

	plan_rely(plan, step, item);
	step->ref = step->bases[0].ref;
	return step;
}

struct plan_step *plan_archive(struct plan *plan, const struct item *item, enum reason reason)
{
	struct plan_step *step = add_for(plan, PLAN_ARCHIVE, item);

	step->reason = reason;
	return step;
}

static struct plan_step *add_new(struct plan *plan, enum category category, struct slice key)
{
	struct plan_step *step = plan_add(plan, PLAN_PUT);
	STR_AUTO ref = STR_INIT;

	ref_add(&ref, category, key);
	step->ref = arena_copy(&plan->arena, str_slice(&ref));
	plan_add_basis(step, step->ref, 0);
	return step;
}

struct plan_step *plan_put(struct plan *plan, const struct item *item, enum category category,
			   struct slice key, struct slice text)
{
	struct plan_step *step = item ? add_for(plan, PLAN_PUT, item)
				      : add_new(plan, category, key);

	step->text = arena_copy(&plan->arena, text);
	return step;
}

struct plan_step *plan_merge(struct plan *plan, const struct item *survivor, struct slice text,
			     const struct item *const *others, size_t count)
{
	struct plan_step *step = add_for(plan, PLAN_MERGE, survivor);

	step->reason = REASON_MERGED;
	step->text = arena_copy(&plan->arena, text);
	for (size_t i = 0; i < count; i++)
		plan_rely(plan, step, others[i]);
	return step;
}

struct plan_step *plan_link(struct plan *plan, const struct item *from, const struct item *to,
			    enum relation_type type, double strength, struct slice metadata)
{
	struct plan_step *step = add_for(plan, PLAN_LINK, from);

	plan_rely(plan, step, to);
	step->to = step->bases[1].ref;
	step->type = type;
	step->strength = strength;
	step->metadata = arena_copy(&plan->arena, metadata);
	return step;
}

struct plan_step *plan_promote(struct plan *plan, const struct item *item, struct slice text,
			       struct slice stem, struct slice note_text)
{
	struct plan_step *step = add_for(plan, PLAN_PROMOTE, item);

	step->text = arena_copy(&plan->arena, text);
	step->note_stem = arena_copy(&plan->arena, stem);
	step->note_text = arena_copy(&plan->arena, note_text);
	return step;
}

void plan_because(struct plan *plan, struct plan_step *step, struct slice sentence)
{
	step->because = arena_copy(&plan->arena, sentence);
}

size_t plan_standing(const struct plan *plan)
{
	size_t standing = 0;

	for (size_t i = 0; i < plan->count; i++)
		standing += plan->steps[i].skip_code == ERR_NONE;
	return standing;
}
