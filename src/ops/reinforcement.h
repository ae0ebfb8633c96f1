/*
 * Recording that entries went into an answer: how much stronger they are then, and whether the use
 * came from another domain than the entry's.
 *
 *	struct reinforcing r = {.call = call, .settings = settings, .refs = &refs, ...};
 *	reinforce_uses(&r, &err);
 *	... r.outcomes ...
 */
#ifndef KOTA_OPS_REINFORCEMENT_H
#define KOTA_OPS_REINFORCEMENT_H

#include "ops/common.h"

/* What becomes of one ref that was given. */
struct reinforce_outcome {
	struct slice ref; /* as the store spells it; where it has none, as given */
	bool found;
	bool crosses;
	int64_t uses; /* afterwards, likewise below */
	int64_t reviews;
	double strength;
	double old_score;
	double new_score;
};

struct reinforcing {
	const struct call *call;
	const struct arg_texts *refs;
	const struct arg_texts *context_tags;
	bool boost;
	struct settings settings;
	struct slice *context; /* cleaned */
	size_t context_count;
	struct reinforce_outcome *outcomes;
	size_t count;
	size_t found;
	size_t crossed;
	bool stronger; /* an entry changes */
};

/*
 * Fills the outcomes, strengthens the entries that deserve it, and records the uses. Nothing is
 * changed when no ref is found (found 0). ERR_CANNOT_WRITE when the uses cannot be recorded; the
 * entries are stronger by then.
 */
int reinforce_uses(struct reinforcing *r, struct err *err);

#endif
