/*
 * How much of a memory's strength is left: the decay score.
 *
 * Pure: (uses + 1)^beta · f(time since last activity) · strength, f as the settings choose.
 */
#ifndef KOTA_MODEL_DECAY_H
#define KOTA_MODEL_DECAY_H

#include "model/settings.h"

/* since_ms is the last use, change or access; one that is later than now counts as now. */
double decay_score(const struct settings *settings, int64_t uses, double strength, int64_t since_ms,
		   int64_t now_ms);

/* How much a memory with this score should come to mind again, 0 to 1; most at 0.25. */
double decay_review_priority(double score);

#endif
