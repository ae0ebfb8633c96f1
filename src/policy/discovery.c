#include "policy/discovery.h"

#define ENTITY_WEIGHT 0.7
#define TAG_WEIGHT 0.3

/* In common, for a full share of confidence. */
#define ENTITIES_SURE 3.0
#define TAGS_SURE 2.0
#define ENTITY_CONFIDENCE 0.6
#define TAG_CONFIDENCE 0.4

#define ENTITIES_MIN 2
#define CONFIDENCE_MIN 0.5

static double share(size_t part, size_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static double at_most_one(double number)
{
	return number < 1 ? number : 1;
}

double discovery_strength(const struct discovery_counts *counts)
{
	return ENTITY_WEIGHT * share(counts->shared_entities, counts->all_entities) +
	       TAG_WEIGHT * share(counts->shared_tags, counts->all_tags);
}

double discovery_confidence(const struct discovery_counts *counts)
{
	return ENTITY_CONFIDENCE * at_most_one((double)counts->shared_entities / ENTITIES_SURE) +
	       TAG_CONFIDENCE * at_most_one((double)counts->shared_tags / TAGS_SURE);
}

bool discovery_holds(const struct discovery_counts *counts)
{
	return counts->shared_entities >= ENTITIES_MIN &&
	       discovery_confidence(counts) >= CONFIDENCE_MIN;
}
