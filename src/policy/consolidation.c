#include "policy/consolidation.h"

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

#define ENTITY_WEIGHT 0.7
#define TAG_WEIGHT 0.3

/* In common, for a full share of confidence. */
#define ENTITIES_SURE 3.0
#define TAGS_SURE 2.0
#define ENTITY_CONFIDENCE 0.6
#define TAG_CONFIDENCE 0.4

#define ENTITIES_MIN 2
#define CONFIDENCE_MIN 0.5

static double discovery_share(size_t part, size_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static double consolidation_at_most_one(double number)
{
	return number < 1 ? number : 1;
}

struct discovery discovery_judge(const struct discovery_counts *counts)
{
	double entities = discovery_share(counts->shared_entities, counts->all_entities);
	double tags = discovery_share(counts->shared_tags, counts->all_tags);
	double entities_sure = consolidation_at_most_one((double)counts->shared_entities /
							 ENTITIES_SURE);
	double tags_sure = consolidation_at_most_one((double)counts->shared_tags / TAGS_SURE);
	struct discovery out = {
		.strength = ENTITY_WEIGHT * entities + TAG_WEIGHT * tags,
		.confidence = ENTITY_CONFIDENCE * entities_sure + TAG_CONFIDENCE * tags_sure,
	};

	out.holds = counts->shared_entities >= ENTITIES_MIN && out.confidence >= CONFIDENCE_MIN;
	return out;
}
