#include "model/decay.h"

#include <math.h>

/* Steepness of forgetting by power law. */
#define ALPHA 1.1

#define SECONDS_PER_DAY 86400.0

/* The zone in which a memory is about to be forgotten. */
#define REVIEW_FROM 0.15
#define REVIEW_TO 0.35

static double power_law(double seconds, double half_life_days)
{
	double t0 = half_life_days * SECONDS_PER_DAY / (pow(2, 1 / ALPHA) - 1);

	return pow(1 + seconds / t0, -ALPHA);
}

static double two_component(double seconds)
{
	return 0.7 * exp(-1.603e-5 * seconds) + 0.3 * exp(-1.147e-6 * seconds);
}

static double remaining(const struct settings *settings, double seconds)
{
	switch (settings->decay_model) {
	case DECAY_EXPONENTIAL:
		return exp(-settings->lambda * seconds);
	case DECAY_TWO_COMPONENT:
		return two_component(seconds);
	case DECAY_POWER_LAW:
		break;
	}
	return power_law(seconds, settings->half_life_days);
}

double decay_score(const struct settings *settings, int64_t uses, double strength, int64_t since_ms,
		   int64_t now_ms)
{
	double seconds = since_ms < now_ms ? ((double)now_ms - (double)since_ms) / 1000 : 0;

	return pow((double)uses + 1, settings->beta) * remaining(settings, seconds) * strength;
}

double decay_review_priority(double score)
{
	double middle = (REVIEW_FROM + REVIEW_TO) / 2;
	double off = (score - middle) / (REVIEW_TO - middle);

	return score > REVIEW_FROM && score < REVIEW_TO ? 1 - off * off : 0;
}
