/*
 * What the checks of memory_health share: what is asked for, the facts of all entries, and parts of
 * replies. The checks are in health_checks.h and health_similar.h.
 *
 * They only read: nothing of the store is changed, no lock is taken.
 */
#ifndef KOTA_OPS_HEALTH_H
#define KOTA_OPS_HEALTH_H

#include "ops/common.h"
#include "ops/entry_stats.h"

enum health_check {
	HEALTH_SUMMARY,
	HEALTH_STALE,
	HEALTH_LOW_ACCESS,
	HEALTH_DUPLICATES,
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

/* A check at work. */
struct health {
	const struct call *call;
	const struct health_args *args;
	struct settings settings;
	struct facts *facts; /* of each active entry, in the order of the view */
	size_t count;
};

/* Similarity from which on two entries are duplicates, where nothing else is asked for. */
#define HEALTH_DUPLICATE 0.95

/* How often the entry was found by a lookup or used in an answer. */
int64_t health_accesses(const struct facts *facts);

/* Is the entry one of those that min_confidence lets through? */
bool health_is_asked(const struct health *health, const struct facts *facts);

/* The number that was given, or the other one. */
double health_number(struct arg_json given, double otherwise);

/* Writes `name`: the beginning of the value's text, of so many characters at most. */
void health_write_text(struct json_writer *w, const char *name, const struct facts *facts,
		       size_t characters);

/* The same as an element of a list. */
void health_write_preview(struct json_writer *w, const struct facts *facts, size_t characters);

#endif
