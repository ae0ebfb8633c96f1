/*
 * Links that suggest themselves: entries that share what they are about.
 */
#ifndef KOTA_OPS_MAINTAIN_DISCOVER_RELATIONS_H
#define KOTA_OPS_MAINTAIN_DISCOVER_RELATIONS_H

#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"

/* A link that is not there yet. Texts live in the plan's arena. */
struct discovered {
	struct slice from; /* refs */
	struct slice to;
	double strength;
	double confidence;
	const struct slice *shared; /* entities, as the first of the two spells them */
	size_t shared_count;
	struct slice reasoning; /* a sentence */
};

/*
 * Adds a step for pairs of the entries that are related enough (policy/consolidation.h) and not
 * linked in any way yet, the strongest first, up to ten links an entry and LINKS_MAX
 * (store/view/relations.h) in all. facts must not name what earlier steps archive. The list, in the
 * order of the steps, lives in the plan's arena. ERR_BAD_DATA where relations.json cannot be read.
 */
int discover_plan(struct plan *plan, struct store *store, const struct facts *facts, size_t count,
		  const struct discovered **out, size_t *out_count, struct err *err);

#endif
