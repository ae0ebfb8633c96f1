/*
 * Times as text: ISO 8601 with milliseconds and an offset, to and from milliseconds since 1970.
 *
 * The zone is the host's (TZ decides), read by the C library. No state of its own.
 */
#ifndef KOTA_BASE_TIME_H
#define KOTA_BASE_TIME_H

#include "base/str.h"

#include <stdint.h>
#include <time.h>

/* No time: before all times. */
#define TIME_NONE INT64_MIN

#define MS_PER_DAY INT64_C(86400000)

/* "2026-11-21T09:30:00.123+01:00" and a terminator, with room for years beyond 9999. */
#define TIMESTAMP_SIZE 40

/* The later of two times. */
static inline int64_t time_later(int64_t a_ms, int64_t b_ms)
{
	return a_ms > b_ms ? a_ms : b_ms;
}

/* What the kernel says of a clock or a file, in milliseconds. */
static inline int64_t time_of_timespec(struct timespec at)
{
	return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

/*
 * Reads a time: date and time with `T`, `t` or a space between, seconds and a fraction (cut to
 * milliseconds) optional, offset Z or +HH:MM, +HHMM, +HH. Without an offset, or with a date alone,
 * it is a time of the host's zone, unless offset_required: of an hour that comes twice the first,
 * and in an hour that is left out, what a clock shows that was not put forward. Years are 0000 to
 * 9999, in UTC too, so that what is read can be written; second 60 is the beginning of the next
 * minute. White space around is not accepted. Returns false and leaves *ms when it is no time.
 */
bool timestamp_parse(struct slice text, bool offset_required, int64_t *ms);

/*
 * Writes the time in the host's zone. Offsets are whole minutes: where the zone's own has seconds
 * (before time was standardised), the nearest toward zero is used and the text still means ms. In
 * the last hours that the zone would put into a year of five digits, or below 0, UTC is used.
 */
void timestamp_format(int64_t ms, char out[TIMESTAMP_SIZE]);

/* Minutes east of UTC that the host's zone has at this time; 0 where it cannot tell. */
int timestamp_offset_min(int64_t ms);

/*
 * "3 days ago", "just now", "in 2 hours": for people. Counts whole units, months of 30 and years of
 * 365 days. TIME_NONE is "never".
 */
void timestamp_age(int64_t ms, int64_t now_ms, char out[TIMESTAMP_SIZE]);

#endif
