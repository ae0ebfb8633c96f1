/*
 * What a look over all entries finds: how far recent ones have drifted from the rest, and how sure
 * a pattern is.
 *
 * Pure functions over numbers.
 */
#ifndef KOTA_POLICY_CONSOLIDATION_H
#define KOTA_POLICY_CONSOLIDATION_H

#include <stdbool.h>
#include <stddef.h>

/* none, low, medium, high or critical, for the similarity of recent and older entries; static. */
const char *drift_level(double similarity);

/*
 * How sure a pattern is, 0 to 1: how much its members are alike (coherence), how many there are,
 * and how much of what they are about is in all of them (alignment). size is 1 at least.
 */
double pattern_confidence(double coherence, size_t size, double alignment);

/*
 * Relations between memories, found by the entities and tags that they share.
 *
 * Pure; who calls compares the labels and counts.
 */

struct discovery_counts {
	size_t shared_entities;
	size_t all_entities; /* of either */
	size_t shared_tags;
	size_t all_tags;
};

struct discovery {
	double strength;   /* 0 to 1: how much of what they are about is the same, entities more */
	double confidence; /* 0 to 1: three entities and two tags in common are as sure as it gets
			    */
	bool holds;        /* enough for a link that nobody asked for: two entities at least, and a
			      confidence of 0.5 */
};

/* What the counts say. */
struct discovery discovery_judge(const struct discovery_counts *counts);

#endif
