/*
 * What clutters the results of a search: entries that say what others say, and stale ones.
 */
#ifndef KOTA_OPS_MAINTAIN_CLUTTER_H
#define KOTA_OPS_MAINTAIN_CLUTTER_H

#include "ops/maintain/duplicates.h"
#include "tool/tool.h"

/* Hits above which an entry counts as often wanted. */
#define CLUTTER_WANTED_HITS 5

/* Days without activity after which an entry is stale. */
#define CLUTTER_STALE_DAYS 90

enum clutter_strategy {
	CLUTTER_TOP_ACCESSED, /* what is often wanted and alike is merged */
	CLUTTER_STALE,        /* what is stale is archived */
	CLUTTER_SIMILAR       /* what is old, little wanted and alike is merged */
};

/* What was found beside the steps; in the call's arena. */
struct clutter {
	size_t analyzed;              /* all active entries */
	size_t chosen;                /* that the strategy is about */
	size_t kept;                  /* stale ones that are protected */
	size_t holding;               /* that hold, by what they say or by who asked for them */
	struct duplicates duplicates; /* its candidates are left to somebody */
	const int64_t *savings;       /* bytes that each step takes out of the category files */
};

/* Adds the steps for the entries that the strategy is about, `limit` at most. */
void clutter_plan(struct plan *plan, const struct call *call, enum clutter_strategy strategy,
		  int64_t limit, struct clutter *out);

#endif
