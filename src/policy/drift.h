/*
 * What a look over all entries finds: how far recent ones have drifted from the rest, and how sure
 * a pattern is.
 *
 * Pure functions over numbers.
 */
#ifndef KOTA_POLICY_DRIFT_H
#define KOTA_POLICY_DRIFT_H

#include <stddef.h>

/* none, low, medium, high or critical, for the similarity of recent and older entries; static. */
const char *drift_level(double similarity);

/*
 * How sure a pattern is, 0 to 1: how much its members are alike (coherence), how many there are,
 * and how much of what they are about is in all of them (alignment). size is 1 at least.
 */
double pattern_confidence(double coherence, size_t size, double alignment);

#endif
