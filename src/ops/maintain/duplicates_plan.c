/*
 * What is done about entries that are alike, and what replies say of it.
 */
#include "ops/maintain/duplicates.h"
#include "ops/common.h"

static void leave(struct doubles *doubles, const struct merging *merging)
{
	doubles->candidates[doubles->candidate_count++] = (struct doubles_candidate){
		.a = merging->parts[0],
		.b = merging->parts[1],
		.similarity = merging->cohesion,
		.reason = slice_of("as one they would be pruned the next time"),
		.match_type = "exact",
	};
}

void doubles_plan(struct doubles *doubles, struct plan *plan, double floor, struct arena *arena)
{
	for (size_t i = 0; i < doubles->group_count; i++) {
		struct merging *merging = &doubles->groups[i];

		merging_decide(merging, KEEP_LONGEST, arena);
		if (merging_salience(merging) < floor)
			leave(doubles, merging);
		else
			plan_because(plan, merging_plan(merging, plan),
				     slice_of("they say the same"));
	}
}

static int64_t saving_of(const struct plan_step *step, const struct store *store)
{
	int64_t saved = -(int64_t)step->text.len;

	for (size_t i = 0; i < step->base_count; i++) {
		const struct item *item = store_find_ref(store, step->bases[i].ref);

		if (item && (i == 0 || step->kind == PLAN_MERGE))
			saved += (int64_t)item->entry.text.len;
	}
	return saved;
}

const int64_t *doubles_savings(const struct plan *plan, const struct store *store,
			       struct arena *arena)
{
	int64_t *savings = arena_alloc(arena, (plan->count + 1) * sizeof *savings);

	for (size_t i = 0; i < plan->count; i++)
		savings[i] = saving_of(&plan->steps[i], store);
	return savings;
}

void doubles_write_candidate(struct json_writer *w, const struct doubles_candidate *candidate)
{
	const struct slice refs[] = {candidate->a->item->ref, candidate->b->item->ref};

	common_write_texts(w, "memory_ids", refs, 2);
	json_write_name(w, slice_of("similarity"));
	json_write_fixed(w, candidate->similarity, 4);
	json_write_member_string(w, "match_type", slice_of(candidate->match_type));
	json_write_member_bool(w, "conflict", candidate->conflict);
	json_write_member_string(w, "reason", candidate->reason);
}

void doubles_write_bases(struct json_writer *w, const char *name, const struct plan_step *step)
{
	json_write_name(w, slice_of(name));
	json_write_array(w);
	for (size_t i = 0; i < step->base_count; i++)
		json_write_string(w, step->bases[i].ref);
	json_write_end(w);
}

void doubles_write_left_out(struct json_writer *w, const struct plan *plan)
{
	if (plan_standing(plan) == plan->count)
		return;
	json_write_name(w, slice_of("left_out"));
	json_write_array(w);
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->steps[i].skip_code == ERR_NONE)
			continue;
		json_write_object(w);
		doubles_write_bases(w, "memory_ids", &plan->steps[i]);
		json_write_member_string(w, "reason", plan->steps[i].skipped);
		json_write_end(w);
	}
	json_write_end(w);
}
