/*
 * The numbers of a store: what is in it, and how near it is to its limits.
 *
 * Gathered here, shown by kota stats and kota report.
 */
#ifndef KOTA_OPS_STATISTICS_H
#define KOTA_OPS_STATISTICS_H

#include "store/open/store.h"

/* Most of those that are used most. */
#define NUMBERS_USED_MAX 5

/* An entry that stands out. */
struct number_entry {
	struct slice ref; /* absent when there is none; of the store's view */
	int64_t created_ms;
	int64_t bytes;
	int64_t hits;
	int64_t uses;
};

/* Changes are counted by day over so many days, today's last: 53 weeks. */
#define NUMBERS_DAYS 371

struct number_writes {
	bool by_history; /* else by the times of entries and records: what was replaced is missing
			  */
	int64_t days[NUMBERS_DAYS];
};

struct number_category {
	int64_t entries;
	int64_t file_bytes;
};

struct numbers {
	struct settings settings; /* the limits in force */
	struct number_category categories[CATEGORY_COUNT];
	int64_t entries;
	int64_t pinned;
	int64_t promoted;
	int64_t total_bytes; /* of what limits.total_bytes is about */
	struct number_entry oldest;
	struct number_entry newest;
	struct number_entry largest;
	struct number_entry used[NUMBERS_USED_MAX]; /* best first */
	size_t used_count;
	int64_t records; /* in archive.json; likewise below */
	int64_t archive_bytes;
	int64_t cold_records;
	int64_t cold_bytes;
	int64_t notes;
	int64_t relations;
	int64_t relations_hidden; /* of entries that are archived or gone */
	int64_t relations_bytes;
	int64_t usage_bytes;
	int64_t history_changes; /* -1: there is no history */
	int64_t history_bytes;
	struct number_writes writes;
};

/*
 * All but the settings, where those cannot be read. When the archive cannot be read, *out has
 * everything else.
 */
int numbers_count(struct numbers *out, struct store *store, int64_t now_ms, struct err *err);

#endif
