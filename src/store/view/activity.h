/*
 * When entries were last active, and which of them are due. For src/store only.
 *
 * That depends on the files, on usage and on the clock. It is computed for all entries of a
 * category when its file was read again, and for one entry when only that one was used: a lookup
 * does not cost a walk through all entries.
 */
#ifndef KOTA_STORE_VIEW_ACTIVITY_H
#define KOTA_STORE_VIEW_ACTIVITY_H

#include "model/category.h"
#include "policy/retention.h"

struct store;

/* What was computed last, and of what. */
struct activity_known {
	bool known;
	bool stale[CATEGORY_COUNT + 1]; /* read again since; the last is the archive */
	uint64_t upheavals;             /* of usage */
	bool usage_known;
	bool settings_valid;
	bool tracked;
	int64_t expiry_days;
	int64_t now_ms;
	int64_t usage_newest_ms;
	int64_t archive_newest_ms;
	int64_t newest_ms[CATEGORY_COUNT];
	bool passing[CATEGORY_COUNT];        /* times of some entries depend on the moment */
	int64_t next_due_ms[CATEGORY_COUNT]; /* nothing becomes due before, INT64_MAX: ever */
	size_t due[CATEGORY_COUNT];          /* how many are */
};

/* The items of this category, or with CATEGORY_COUNT the records of the archive, are others. */
void activity_stale(struct store *store, int category);

/* Brings times, hits, who is due, and store->clock_trusted up to date. */
void activity_update(struct store *store);

#endif
