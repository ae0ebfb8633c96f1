#include "policy/salience.h"

/* What fades to nothing after this time, whatever the limits in force. */
#define FADING_DAYS 90.0

/* An entry of this size gets nothing for being short. */
#define LARGE_BYTES 4096.0

/* More hits than this make no difference. */
#define HITS_ENOUGH 20.0

static double clamp(double value)
{
	if (value < 0)
		return 0;
	return value > 1 ? 1 : value;
}

double salience_score(const struct salience_facts *facts)
{
	double recent = clamp(1 - facts->age_days / FADING_DAYS);
	double brief = clamp(1 - (double)facts->bytes / LARGE_BYTES);
	double wanted = 0.6 * clamp((double)facts->hits / HITS_ENOUGH) +
			0.4 * clamp(1 - facts->idle_days / FADING_DAYS);

	return 0.35 * recent + 0.20 * brief + 0.30 * wanted + 0.15 * clamp(facts->importance);
}
