/*
 * The checks of memory_health: each is a list of entries or pairs, or the summary of all.
 *
 * They only read: nothing of the store is changed, no lock is taken.
 */
#ifndef KOTA_OPS_HEALTH_H
#define KOTA_OPS_HEALTH_H

#include "ops/common.h"

enum health_check {
	HEALTH_SUMMARY,
	HEALTH_STALE,
	HEALTH_LOW_ACCESS,
	HEALTH_DUPLICATES,
	HEALTH_CONTRADICTIONS,
	HEALTH_CLUSTERS,
	HEALTH_DECAY,
	HEALTH_PROMOTABLE,
	HEALTH_CHECK_COUNT
};

struct health_args {
	int check;
	int64_t days_unused;
	int64_t max_access_count;
	int64_t min_age_days;
	int64_t limit;
	struct arg_json threshold;
	int64_t sample_size;
	struct arg_json min_confidence;
};

/* As enum health_check; ended by NULL. */
extern const char *const health_check_names[HEALTH_CHECK_COUNT + 1];

/* Runs the check that is asked for, and writes its reply. */
int health_run(const struct call *call, const struct health_args *args, struct json_writer *w,
	       struct err *err);

#endif
