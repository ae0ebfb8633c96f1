/*
 * How much of a memory is left: the decay score, and what follows from it.
 *
 * Pure: (uses + 1)^beta · f(time since last activity) · strength, f as the settings choose. A
 * memory that is not used fades to nothing; use and strength hold it longer.
 */
#ifndef KOTA_POLICY_DECAY_H
#define KOTA_POLICY_DECAY_H

#include "model/settings.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The half-life in days of a memory that is not used: what decay.half_life_days says of its
 * category, else 3 for a note of what happened (report) and 20 for what holds.
 */
double decay_half_life(const struct settings *settings, enum category category, bool report);

/* since_ms is the last use, change or access; one that is later than now counts as now. */
double decay_score(const struct settings *settings, double half_life_days, int64_t uses,
		   double strength, int64_t since_ms, int64_t now_ms);

/* Below forget_threshold a memory has faded: gc archives it. */
bool decay_faded(const struct settings *settings, double score);

/*
 * In how many seconds a score that is unused since idle_s seconds falls to the threshold. False,
 * and *seconds untouched, when it is there already or does not get there within ten years.
 */
bool decay_time_until(const struct settings *settings, double half_life_days, double score,
		      double threshold, double idle_s, double *seconds);

/*
 * How much a memory with this score should come to mind again, 0 to 1: 0 outside the review zone,
 * from 0.15 to 0.35, most at 0.25.
 */
double decay_review_priority(double score);

/* How soon something should be done about a memory that fades. */
enum decay_urgency {
	DECAY_AT_EASE, /* 0.35 and more: nothing */
	DECAY_LOW,
	DECAY_MEDIUM, /* below 0.25 */
	DECAY_HIGH    /* below 0.15 */
};
enum decay_urgency decay_urgency(double score);

/* "none", "low", "medium", "high"; static storage. */
const char *decay_urgency_name(enum decay_urgency urgency);

/* What should be done about it. */
enum decay_action {
	DECAY_REINFORCE,    /* worth keeping: bring it to mind */
	DECAY_NEEDS_REVIEW, /* nothing speaks for it or against it: somebody has to judge */
	DECAY_GC,           /* faded, and gc would take it */
	DECAY_ACTION_COUNT
};

/*
 * kept says that no maintenance may touch it (policy/salience.h). Protected, used or made strong, a
 * memory is worth keeping until it has faded, and a protected one ever after.
 */
enum decay_action decay_action(const struct settings *settings, double score, int64_t uses,
			       double strength, bool kept);

/* "reinforce", "needs_review", "gc_candidate". */
extern const char *const decay_action_names[DECAY_ACTION_COUNT];

/* Why a memory deserves to last; flags. */
enum decay_merit {
	DECAY_MERIT_SCORE = 1, /* promote_threshold reached, and used on two days at least */
	DECAY_MERIT_USES = 2   /* promote_uses uses within promote_days of its creation */
};

/* How often a memory was used, and when first and last; TIME_NONE: not known. */
struct decay_uses {
	int64_t count;
	int64_t first_ms;
	int64_t last_ms;
};

/*
 * The reasons to promote a memory, 0 for none. Its uses count that were all made within
 * promote_days of created_ms; where the last one is not known, as if it were now. Days are those of
 * the host's zone.
 */
unsigned int decay_merits(const struct settings *settings, double score,
			  const struct decay_uses *uses, int64_t created_ms, int64_t now_ms);

/*
 * What a use does to a memory: somebody made it a part of an answer.
 *
 * Pure. A use that the client says was worth it makes the memory stronger, and so does one in a
 * context that the memory's tags do not tell of: what serves in several fields is worth keeping.
 */

/* What each of the two adds, and the most that they make of it. */
#define USE_BOOST 0.1
#define USE_STRENGTH_MAX 2.0

/* Below this share of common tags a context is another field. */
#define USE_CROSSING_BELOW 0.3

/*
 * True for a use in another field. likeness is the share of tags that both have among all, 0 to 1;
 * a memory without tags, or a context without, tells nothing.
 */
bool use_crosses(double likeness, size_t tag_count, size_t context_count);

/* The strength after a use; one that is beyond the most already stays. */
double use_strength(double strength, bool boost, bool crosses);

#endif
