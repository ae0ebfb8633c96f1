/*
 * The checks of memory_health that look at each entry by itself, the summary of all, and the
 * table of checks.
 */
#ifndef KOTA_OPS_HEALTH_CHECKS_H
#define KOTA_OPS_HEALTH_CHECKS_H

#include "ops/health.h"

/* As enum health_check; ended by NULL. */
extern const char *const health_check_names[HEALTH_CHECK_COUNT + 1];

/* Runs the check that is asked for, and writes its reply. */
int health_run(const struct call *call, const struct health_args *args, struct json_writer *w,
	       struct err *err);

#endif
