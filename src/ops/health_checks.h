/*
 * The checks of memory_health that look at each entry by itself, and the summary of all.
 */
#ifndef KOTA_OPS_HEALTH_CHECKS_H
#define KOTA_OPS_HEALTH_CHECKS_H

#include "ops/health.h"

/* Each writes the members of its reply. Those that list sort first and cut then. */
void health_summary(const struct health *health, struct json_writer *w);
void health_stale(const struct health *health, struct json_writer *w);
void health_low_access(const struct health *health, struct json_writer *w);
void health_decay(const struct health *health, struct json_writer *w);
void health_promotable(const struct health *health, struct json_writer *w);

#endif
