#include "ops/maintain/fading.h"

#include "base/mem.h"
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

/* Entries that have faded, in the order of the view; the caller frees them. */
static struct faded *find_faded(const struct change *change, const struct settings *settings,
				struct arena *arena, size_t *count, size_t *kept)
{
	size_t item_count;
	const struct item *items = store_items(change_store(change), &item_count);
	struct faded *faded = mem_zalloc(item_count, sizeof *faded);

	*count = 0;
	*kept = 0;
	for (size_t i = 0; i < item_count; i++) {
		struct facts facts;
		double score;

		if (items[i].due)
			continue;
		facts_read(&facts, &items[i], change_now_ms(change), arena);
		score = facts_score(&facts, settings, change_now_ms(change));
		if (!decay_faded(settings, score))
			continue;
		if (facts.kept == PROTECTION_NONE)
			faded[(*count)++] = (struct faded){&items[i], score};
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
	free(faded);
	*found = (struct fading_found){scores, kept};
	return 0;
}
