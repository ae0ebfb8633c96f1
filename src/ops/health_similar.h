/*
 * The checks of memory_health that compare entries with each other.
 */
#ifndef KOTA_OPS_HEALTH_SIMILAR_H
#define KOTA_OPS_HEALTH_SIMILAR_H

#include "ops/health.h"

/* Writes the members of the reply: pairs that are nearly the same; groups of entries that are
 * alike. */
void health_duplicates(const struct health *health, struct json_writer *w);
void health_clusters(const struct health *health, struct json_writer *w);

/* Number of entries that have one nearly like them. */
size_t health_count_repeated(const struct health *health);

#endif
