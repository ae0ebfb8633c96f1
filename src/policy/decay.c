#include "policy/decay.h"

#include "base/time.h"

#include <math.h>

/* Steepness of forgetting by power law. */
#define ALPHA 1.1

#define SECONDS_PER_DAY 86400.0

/* The zone in which a memory is about to be forgotten, and its middle. */
#define REVIEW_FROM 0.15
#define REVIEW_TO 0.35
#define REVIEW_MIDDLE ((REVIEW_FROM + REVIEW_TO) / 2)

/* Further ahead nobody looks. */
#define HORIZON_S (3650 * SECONDS_PER_DAY)

/* Halvings that bring the horizon below a millionth of a second. */
#define HALVINGS 64

/* What every memory has from the beginning. */
#define STRENGTH_PLAIN 1.0

/*
 * Half-lives in days where the person has set none. The models are made for the first: another
 * half-life H makes time pass at 3/H of its pace.
 */
#define HALF_LIFE_REPORT 3.0
#define HALF_LIFE_STANDING 20.0

double decay_half_life(const struct settings *settings, enum category category, bool report)
{
	if (settings->half_life_days[category] > 0)
		return settings->half_life_days[category];
	return report ? HALF_LIFE_REPORT : HALF_LIFE_STANDING;
}

static double decay_remaining(const struct settings *settings, double half_life_days, double idle_s)
{
	double seconds = idle_s * HALF_LIFE_REPORT / half_life_days;

	switch (settings->decay_model) {
	case DECAY_EXPONENTIAL:
		return exp(-settings->lambda * seconds);
	case DECAY_TWO_COMPONENT:
		return 0.7 * exp(-1.603e-5 * seconds) + 0.3 * exp(-1.147e-6 * seconds);
	case DECAY_POWER_LAW:
		break;
	}
	double t0 = HALF_LIFE_REPORT * SECONDS_PER_DAY / (pow(2, 1 / ALPHA) - 1);
	return pow(1 + seconds / t0, -ALPHA);
}

double decay_score(const struct settings *settings, double half_life_days, int64_t uses,
		   double strength, int64_t since_ms, int64_t now_ms)
{
	double seconds = since_ms < now_ms ? ((double)now_ms - (double)since_ms) / 1000 : 0;

	return pow((double)uses + 1, settings->beta) *
	       decay_remaining(settings, half_life_days, seconds) * strength;
}

bool decay_faded(const struct settings *settings, double score)
{
	return score < settings->forget_threshold;
}

bool decay_time_until(const struct settings *settings, double half_life_days, double score,
		      double threshold, double idle_s, double *seconds)
{
	double whole = score / decay_remaining(settings, half_life_days, idle_s);
	double above = 0;
	double below = HORIZON_S;

	/* After so long nothing remains of the score, and `whole` is not finite. */
	if (!(score > threshold) || !isfinite(whole) ||
	    whole * decay_remaining(settings, half_life_days, idle_s + below) > threshold)
		return false;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = above + (below - above) / 2;

		if (whole * decay_remaining(settings, half_life_days, idle_s + middle) > threshold)
			above = middle;
		else
			below = middle;
	}
	*seconds = below;
	return true;
}

double decay_review_priority(double score)
{
	double off = (score - REVIEW_MIDDLE) / (REVIEW_TO - REVIEW_MIDDLE);

	return score > REVIEW_FROM && score < REVIEW_TO ? 1 - off * off : 0;
}

enum decay_urgency decay_urgency(double score)
{
	if (score < REVIEW_FROM)
		return DECAY_HIGH;
	if (score < REVIEW_MIDDLE)
		return DECAY_MEDIUM;
	return score < REVIEW_TO ? DECAY_LOW : DECAY_AT_EASE;
}

const char *decay_urgency_name(enum decay_urgency urgency)
{
	static const char *const names[] = {"none", "low", "medium", "high"};

	return names[urgency];
}

enum decay_action decay_action(const struct settings *settings, double score, int64_t uses,
			       double strength, bool kept)
{
	if (kept)
		return DECAY_REINFORCE;
	if (decay_faded(settings, score))
		return DECAY_GC;
	return uses > 0 || strength > STRENGTH_PLAIN ? DECAY_REINFORCE : DECAY_NEEDS_REVIEW;
}

const char *const decay_action_names[DECAY_ACTION_COUNT] = {"reinforce", "needs_review",
							    "gc_candidate"};

/* True if the times are on two days of the calendar. */
static bool decay_on_two_days(int64_t first_ms, int64_t last_ms)
{
	char first[TIMESTAMP_SIZE];
	char last[TIMESTAMP_SIZE];

	if (first_ms == TIME_NONE || last_ms == TIME_NONE)
		return false;
	timestamp_format(first_ms, first);
	timestamp_format(last_ms, last);
	return strncmp(first, last, strcspn(first, "T") + 1) != 0;
}

unsigned int decay_merits(const struct settings *settings, double score,
			  const struct decay_uses *uses, int64_t created_ms, int64_t now_ms)
{
	bool known = uses->last_ms != TIME_NONE && uses->last_ms <= now_ms;
	int64_t until_ms = known ? uses->last_ms : now_ms;
	unsigned int merits = 0;

	if (score >= settings->promote_threshold && uses->count > 1 &&
	    decay_on_two_days(uses->first_ms, uses->last_ms))
		merits |= DECAY_MERIT_SCORE;
	if (uses->count >= settings->promote_uses && created_ms != TIME_NONE &&
	    (double)until_ms - (double)created_ms <=
		    (double)settings->promote_days * (double)MS_PER_DAY)
		merits |= DECAY_MERIT_USES;
	return merits;
}

bool use_crosses(double likeness, size_t tag_count, size_t context_count)
{
	return tag_count > 0 && context_count > 0 && likeness < USE_CROSSING_BELOW;
}

static double decay_boosted(double strength)
{
	double more = strength + USE_BOOST;

	if (strength >= USE_STRENGTH_MAX)
		return strength;
	return more < USE_STRENGTH_MAX ? more : USE_STRENGTH_MAX;
}

double use_strength(double strength, bool boost, bool crosses)
{
	if (boost)
		strength = decay_boosted(strength);
	return crosses ? decay_boosted(strength) : strength;
}
