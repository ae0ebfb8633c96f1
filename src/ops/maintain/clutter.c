#include "ops/maintain/clutter.h"

#include <math.h>
#include <stdlib.h>

/* Likeness of the words of two values that are shown as near duplicates. */
#define LIKENESS 0.70

/* Days after which an entry is old enough to be put together with another. */
#define SETTLED_DAYS 30

static bool clutter_concerns(enum clutter_strategy strategy, const struct facts *facts)
{
	switch (strategy) {
	case CLUTTER_TOP_ACCESSED:
		return facts->item->hits > CLUTTER_WANTED_HITS;
	case CLUTTER_STALE:
		return facts->idle_days >= CLUTTER_STALE_DAYS;
	case CLUTTER_SIMILAR:
		break;
	}
	return facts->item->hits <= CLUTTER_WANTED_HITS && facts->age_days > SETTLED_DAYS;
}

/* What somebody still asked for a month after it was stored is no note of the day. */
static bool clutter_was_wanted_late(const struct item *item)
{
	int64_t asked_ms = time_later(item->accessed_ms, item->used_ms);

	return asked_ms != TIME_NONE &&
	       asked_ms - item->created_ms > (int64_t)SETTLED_DAYS * MS_PER_DAY;
}

/* Most hits first; of equal ones the one that stands first, as below. */
static int clutter_compare_hits(const void *a, const void *b)
{
	const struct item *first = ((const struct facts *)a)->item;
	const struct item *second = ((const struct facts *)b)->item;

	if (first->hits != second->hits)
		return first->hits > second->hits ? -1 : 1;
	return (first > second) - (first < second);
}

static struct facts *clutter_choose(struct clutter *out, const struct call *call,
				    enum clutter_strategy strategy, int64_t limit)
{
	const bool stale = strategy == CLUTTER_STALE;
	struct facts *facts = facts_read_all(call->store, call->now_ms, call->arena,
					     &out->analyzed);

	for (size_t i = 0; i < out->analyzed; i++) {
		if (!clutter_concerns(strategy, &facts[i]))
			continue;
		if (stale && facts[i].kept != PROTECTION_NONE)
			out->kept++;
		else if (stale && (facts[i].holds || clutter_was_wanted_late(facts[i].item)))
			out->holding++;
		else
			facts[out->chosen++] = facts[i];
	}
	if (out->chosen > 1)
		qsort(facts, out->chosen, sizeof *facts,
		      strategy == CLUTTER_TOP_ACCESSED ? clutter_compare_hits : facts_compare_idle);
	if ((int64_t)out->chosen > limit)
		out->chosen = (size_t)limit;
	for (size_t i = 0; i < out->chosen; i++)
		facts_hold(&facts[i], call->arena);
	return facts;
}

/* To be asked before the plan is applied. */
static int64_t clutter_saving(const struct plan_step *step, const struct store *store)
{
	int64_t saving = -(int64_t)step->text.len;

	for (size_t k = 0; k < step->base_count; k++) {
		const struct item *item = store_find_ref(store, step->bases[k].ref);

		if (item && (k == 0 || step->kind == PLAN_MERGE))
			saving += (int64_t)item->entry.text.len;
	}
	return saving;
}

void clutter_plan(struct plan *plan, const struct call *call, enum clutter_strategy strategy,
		  int64_t limit, struct clutter *out)
{
	struct facts *facts;
	int64_t *savings;

	*out = (struct clutter){0};
	facts = clutter_choose(out, call, strategy, limit);
	if (strategy == CLUTTER_STALE) {
		for (size_t i = 0; i < out->chosen; i++)
			plan_because(plan, plan_archive(plan, facts[i].item, REASON_STALE),
				     "not active for %.0f days", floor(facts[i].idle_days));
	} else {
		duplicates_find(&out->duplicates, facts, out->chosen, LIKENESS, call->progress,
				call->arena);
		duplicates_plan(&out->duplicates, plan, 0, call->arena);
	}
	savings = arena_alloc(call->arena, (plan->count + 1) * sizeof *savings);
	for (size_t i = 0; i < plan->count; i++)
		savings[i] = clutter_saving(&plan->steps[i], call->store);
	out->savings = savings;
}
