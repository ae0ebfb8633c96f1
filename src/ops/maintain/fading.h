/*
 * Which entries have faded and go to the archive.
 */
#ifndef KOTA_OPS_MAINTAIN_FADING_H
#define KOTA_OPS_MAINTAIN_FADING_H

#include "ops/entry_stats.h"
#include "ops/maintain/plan.h"

/* All of them. */
#define FADING_ALL INT64_MAX

/* An entry and its score. */
struct faded {
	const struct facts *facts;
	double score;
};

/* What was found beside the steps. */
struct fading_found {
	const double *scores; /* of the entry of each step that was added; in the plan's arena */
	size_t kept;          /* have faded too, and are protected */
};

/*
 * Adds a step for each entry of the view that has faded and that nothing protects, the lowest score
 * first, up to `limit` of them. ERR_BAD_DATA where the settings cannot be read.
 */
int fading_plan(struct plan *plan, const struct change *change, int64_t limit,
		struct fading_found *found, struct err *err);

/*
 * The entries of the list that fade and that no step of the plan changes, the lowest score first;
 * in the arena.
 */
struct faded *fading_at_risk(const struct plan *plan, const struct facts *facts, size_t count,
			     const struct settings *settings, int64_t now_ms, struct arena *arena,
			     size_t *out_count);

#endif
