#include "ops/maintain/fading.h"

#include <stdlib.h>

/* Of equal scores the one that stands first. */
static int fading_lower_first(const void *a, const void *b)
{
	const struct faded *x = a;
	const struct faded *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->facts > y->facts) - (x->facts < y->facts);
}

struct faded *fading_at_risk(const struct plan *plan, const struct facts *facts, size_t count,
			     const struct settings *settings, int64_t now_ms, struct arena *arena,
			     size_t *out_count)
{
	struct faded *list = arena_alloc(arena, (count + 1) * sizeof *list);

	*out_count = 0;
	for (size_t i = 0; i < count; i++) {
		double score = facts_score(&facts[i], settings, now_ms);

		if (decay_urgency(score) != DECAY_AT_EASE &&
		    !plan_changes(plan, facts[i].item->ref))
			list[(*out_count)++] = (struct faded){&facts[i], score};
	}
	qsort(list, *out_count, sizeof *list, fading_lower_first);
	return list;
}

int fading_plan(struct plan *plan, const struct change *change, int64_t limit,
		struct fading_found *found, struct err *err)
{
	struct settings settings;
	struct faded *faded;
	size_t count = 0;
	struct plan_step *step;
	double *scores;
	size_t all;
	const struct facts *facts = facts_read_all(change_store(change), change_now_ms(change),
						   &plan->arena, &all);

	if (store_settings(change_store(change), &settings, err) != 0)
		return -1;
	*found = (struct fading_found){0};
	faded = arena_alloc(&plan->arena, (all + 1) * sizeof *faded);
	for (size_t i = 0; i < all; i++) {
		double score = facts_score(&facts[i], &settings, change_now_ms(change));
		bool expired = facts_expired_elsewhere(&facts[i], change_store(change), &settings,
						       change_now_ms(change));

		if (!expired && !decay_faded(&settings, score))
			continue;
		if (expired || facts[i].kept == PROTECTION_NONE)
			faded[count++] = (struct faded){&facts[i], score};
		else
			found->kept++;
	}
	qsort(faded, count, sizeof *faded, fading_lower_first);
	if ((uint64_t)limit < count)
		count = (size_t)limit;
	scores = arena_alloc(&plan->arena, (count + 1) * sizeof *scores);
	for (size_t i = 0; i < count; i++) {
		scores[i] = faded[i].score;
		step = plan_archive(plan, faded[i].facts->item, REASON_FADED);
		if (decay_faded(&settings, faded[i].score))
			plan_because(plan, step, "its score, %.4f, is below %g (forget_threshold)",
				     faded[i].score, settings.forget_threshold);
		else
			plan_because(plan, step, "it has not been used here for %.0f days",
				     faded[i].facts->idle_days);
	}
	found->scores = scores;
	return 0;
}
