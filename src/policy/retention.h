/*
 * Who has to go: expiry, eviction and the clock guard, as decisions over plain facts.
 *
 * Pure: the store gathers the facts, asks here, and carries out the answer as a change.
 */
#ifndef KOTA_POLICY_RETENTION_H
#define KOTA_POLICY_RETENTION_H

#include "base/time.h"
#include "model/entry.h"
#include "model/settings.h"

#include <stdbool.h>
#include <stddef.h>

/* What is known of an entry's use. */
struct activity {
	int64_t updated_ms;  /* TIME_NONE when unknown; likewise below */
	int64_t accessed_ms; /* latest hit or use, from usage.jsonl or the original handler */
	int64_t seen_ms;     /* first seen, or seen changed by hand, from usage.jsonl */
};

/* From when usage was recorded, and whether that outranks older times. */
struct usage_epoch {
	int64_t since_ms; /* TIME_NONE: never begun */
	bool outranks;    /* set by the clock guard: every entry counts as active at since_ms */
};

/*
 * When the entry was last active: the latest of its times, none later than now; since_ms (or now,
 * when that is TIME_NONE too) for an entry that has no last access of its own, and for every entry
 * whose times are older where the epoch outranks.
 */
int64_t retention_active_ms(const struct activity *activity, const struct usage_epoch *epoch,
			    int64_t now_ms);

/*
 * The first moment at which it has expired unless it is active before: more than expiry_days
 * without activity. INT64_MAX: never. spared: retention_spares().
 */
int64_t retention_due_ms(int64_t active_ms, bool spared, const struct settings *settings);

/* True if it has expired. Never when pinned; expiry_days 0 or less means never. */
bool retention_expired(int64_t active_ms, bool spared, const struct settings *settings,
		       int64_t now_ms);

/*
 * False if the clock cannot be believed: when now is earlier than the newest time in the store, nor
 * when it is more than 180 days later. A minute is allowed: another process may have written while
 * this one, whose clock is read once a request, waited for the lock. newest_ms TIME_NONE (an empty
 * store) is fine.
 */
bool retention_clock_trusted(int64_t newest_ms, int64_t now_ms);

/* True if expiry spares the entry: it is pinned, or its importance is 0.8 or more. */
bool retention_spares(const struct entry *entry);

/* One candidate for eviction. */
struct eviction {
	int64_t active_ms;
	size_t position; /* the caller's; the lower goes first among equals */
	bool pinned;
	bool report; /* tells of something that is over: goes before what holds */
};

/* Sorts candidates so that reports come first, then the least recently active, pinned ones last. */
void retention_sort_evictions(struct eviction *candidates, size_t count);

/* How many bytes or entries of a limit may be pinned through a tool: half of it. */
int64_t retention_pin_limit(int64_t limit);

#endif
