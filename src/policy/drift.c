#include "policy/drift.h"

#include <math.h>

/* A pattern of about a hundred members (e to this power) is as large as counts. */
#define LOG_SIZE_MAX 4.6

static const struct {
	double from;
	const char *name;
} levels[] = {
	{0.85, "none"},
	{0.70, "low"},
	{0.55, "medium"},
	{0.40, "high"},
};

const char *drift_level(double similarity)
{
	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
		if (similarity >= levels[i].from)
			return levels[i].name;
	}
	return "critical";
}

double pattern_confidence(double coherence, size_t size, double alignment)
{
	double grown = fmin(log((double)size), LOG_SIZE_MAX) / LOG_SIZE_MAX;

	return 0.4 * coherence + 0.3 * grown + 0.3 * alignment;
}
