/*
 * Are two memories related? By the entities and tags that they share.
 *
 * Pure; who calls compares the labels and counts.
 */
#ifndef KOTA_POLICY_DISCOVERY_H
#define KOTA_POLICY_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>

struct discovery_counts {
	size_t shared_entities;
	size_t all_entities; /* of either */
	size_t shared_tags;
	size_t all_tags;
};

/* 0 to 1: how much of what they are about is the same, entities more than tags. */
double discovery_strength(const struct discovery_counts *counts);

/* 0 to 1: how sure that is; three entities and two tags in common are as sure as it gets. */
double discovery_confidence(const struct discovery_counts *counts);

/* Is that enough for a link that nobody asked for? Two entities at least, and a confidence of 0.5.
 */
bool discovery_holds(const struct discovery_counts *counts);

#endif
