#include "policy/retention.h"

#include <stdlib.h>

/* A clock that jumps further ahead than this is more likely wrong than the store forgotten. */
#define CLOCK_GAP_MAX_MS (180 * MS_PER_DAY)

/* A store that is this much ahead was written by somebody who read the same clock later. */
#define CLOCK_TOLERANCE_MS INT64_C(60000)

/* How long before now; unsigned, so that no time that a file may hold can overflow. */
static uint64_t retention_elapsed_ms(int64_t since_ms, int64_t now_ms)
{
	return since_ms >= now_ms ? 0 : (uint64_t)now_ms - (uint64_t)since_ms;
}

int64_t retention_active_ms(const struct activity *activity, const struct usage_epoch *epoch,
			    int64_t now_ms)
{
	bool begun = epoch->since_ms != TIME_NONE;
	int64_t seen_or_accessed_ms = time_later(activity->seen_ms, activity->accessed_ms);
	int64_t latest = time_later(activity->updated_ms, seen_or_accessed_ms);

	if (activity->accessed_ms == TIME_NONE || (begun && epoch->outranks))
		latest = time_later(latest, begun ? epoch->since_ms : now_ms);
	return latest < now_ms ? latest : now_ms;
}

/* Entries of this importance and more are as good as pinned for expiry. */
#define RETENTION_IMPORTANT 0.8

bool retention_spares(const struct entry *entry)
{
	return entry->pinned || entry->importance >= RETENTION_IMPORTANT;
}

static bool retention_never_expires(bool spared, const struct settings *settings)
{
	return spared || settings->expiry_days <= 0 ||
	       settings->expiry_days > INT64_MAX / MS_PER_DAY;
}

int64_t retention_due_ms(int64_t active_ms, bool spared, const struct settings *settings)
{
	int64_t due_ms;

	if (retention_never_expires(spared, settings) ||
	    __builtin_add_overflow(active_ms, settings->expiry_days * MS_PER_DAY + 1, &due_ms))
		return INT64_MAX;
	return due_ms;
}

bool retention_expired(int64_t active_ms, bool spared, const struct settings *settings,
		       int64_t now_ms)
{
	if (retention_never_expires(spared, settings))
		return false;
	return retention_elapsed_ms(active_ms, now_ms) >
	       (uint64_t)(settings->expiry_days * MS_PER_DAY);
}

bool retention_clock_trusted(int64_t newest_ms, int64_t now_ms)
{
	if (newest_ms == TIME_NONE)
		return true;
	if (newest_ms > now_ms)
		return retention_elapsed_ms(now_ms, newest_ms) <= CLOCK_TOLERANCE_MS;
	return retention_elapsed_ms(newest_ms, now_ms) <= CLOCK_GAP_MAX_MS;
}

static int retention_compare_evictions(const void *left, const void *right)
{
	const struct eviction *a = left;
	const struct eviction *b = right;

	if (a->pinned != b->pinned)
		return a->pinned ? 1 : -1;
	if (a->report != b->report)
		return a->report ? -1 : 1;
	if (a->active_ms != b->active_ms)
		return a->active_ms < b->active_ms ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

void retention_sort_evictions(struct eviction *candidates, size_t count)
{
	if (count > 1)
		qsort(candidates, count, sizeof *candidates, retention_compare_evictions);
}

int64_t retention_pin_limit(int64_t limit)
{
	return limit / 2;
}
