#include "ops/maintain/fading.h"

#include "ops/entry_stats.h"

#include <stdlib.h>

struct faded {
	const struct item *item;
	double score;
};

/* Of equal scores the one that stands first. */
static int fading_lower_first(const void *a, const void *b)
{
	const struct faded *x = a;
	const struct faded *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->item > y->item) - (x->item < y->item);
}

/* Entries that have faded, in the order of the view and in the arena. */
static struct faded *find_faded(const struct change *change, const struct settings *settings,
				struct arena *arena, size_t *count, size_t *kept)
{
	size_t all;
	const struct facts *facts = facts_read_all(change_store(change), change_now_ms(change),
						   arena, &all);
	struct faded *faded = arena_alloc(arena, (all + 1) * sizeof *faded);

	*count = 0;
	*kept = 0;
	for (size_t i = 0; i < all; i++) {
		double score = facts_score(&facts[i], settings, change_now_ms(change));

		if (!decay_faded(settings, score))
			continue;
		if (facts[i].kept == PROTECTION_NONE)
			faded[(*count)++] = (struct faded){facts[i].item, score};
		else
			(*kept)++;
	}
	return faded;
}

static void add_step(struct plan *plan, const struct faded *faded, const struct settings *settings)
{
	struct plan_step *step = plan_archive(plan, faded->item, REASON_FADED);
	STR_AUTO because = STR_INIT;

	str_printf(&because, "its score, %.4f, is below %g (forget_threshold)", faded->score,
		   settings->forget_threshold);
	plan_because(plan, step, str_slice(&because));
}

int fading_plan(struct plan *plan, const struct change *change, int64_t limit,
		struct fading_found *found, struct err *err)
{
	struct settings settings;
	struct faded *faded;
	double *scores;
	size_t count;
	size_t kept;

	if (store_settings(change_store(change), &settings, err) != 0)
		return -1;
	faded = find_faded(change, &settings, &plan->arena, &count, &kept);
	if (count > 1)
		qsort(faded, count, sizeof *faded, fading_lower_first);
	if ((uint64_t)limit < count)
		count = (size_t)limit;
	scores = arena_alloc(&plan->arena, (count + 1) * sizeof *scores);
	for (size_t i = 0; i < count; i++) {
		add_step(plan, &faded[i], &settings);
		scores[i] = faded[i].score;
	}
	*found = (struct fading_found){scores, kept};
	return 0;
}
