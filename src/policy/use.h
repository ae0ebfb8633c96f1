/*
 * What a use does to a memory: somebody made it a part of an answer.
 *
 * Pure. A use that the client says was worth it makes the memory stronger, and so does one in a
 * context that the memory's tags do not tell of: what serves in several fields is worth keeping.
 */
#ifndef KOTA_POLICY_USE_H
#define KOTA_POLICY_USE_H

#include <stdbool.h>
#include <stddef.h>

/* What each of the two adds, and the most that they make of it. */
#define USE_BOOST 0.1
#define USE_STRENGTH_MAX 2.0

/* Below this share of common tags a context is another field. */
#define USE_CROSSING_BELOW 0.3

/*
 * Is it a use in another field? likeness is the share of tags that both have among all, 0 to 1; a
 * memory without tags, or a context without, tells nothing.
 */
bool use_crosses(double likeness, size_t tag_count, size_t context_count);

/* The strength after a use; one that is beyond the most already stays. */
double use_strength(double strength, bool boost, bool crosses);

#endif
