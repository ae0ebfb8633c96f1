#include "policy/use.h"

bool use_crosses(double likeness, size_t tag_count, size_t context_count)
{
	return tag_count > 0 && context_count > 0 && likeness < USE_CROSSING_BELOW;
}

static double boosted(double strength)
{
	double more = strength + USE_BOOST;

	if (strength >= USE_STRENGTH_MAX)
		return strength;
	return more < USE_STRENGTH_MAX ? more : USE_STRENGTH_MAX;
}

double use_strength(double strength, bool boost, bool crosses)
{
	if (boost)
		strength = boosted(strength);
	return crosses ? boosted(strength) : strength;
}
