#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECONDS_PER_DAY 86400

/* 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z */
#define FIRST_SECOND INT64_C(-62167219200)
#define LAST_SECOND INT64_C(253402300799)

/* Text that is being read; every step returns false and stops at what does not fit. */
struct cursor {
	const char *at;
	const char *end;
};

/* Exactly `count` digits with a value from min to max. */
static bool time_read_number(struct cursor *c, int count, int min, int max, int *out)
{
	int number = 0;

	if (c->end - c->at < count)
		return false;
	for (int i = 0; i < count; i++, c->at++) {
		if (*c->at < '0' || *c->at > '9')
			return false;
		number = number * 10 + (*c->at - '0');
	}
	*out = number;
	return number >= min && number <= max;
}

/* Steps over one byte if it is one of these. */
static bool time_skip_one_of(struct cursor *c, const char *bytes)
{
	if (c->at == c->end)
		return false;
	for (; *bytes; bytes++) {
		if (*c->at == *bytes) {
			c->at++;
			return true;
		}
	}
	return false;
}

static int time_days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && leap ? 29 : days[month - 1];
}

/*
 * Seconds from 1970 to a moment in UTC, as timegm has it, which looks for its answer by trying:
 * a store has three times an entry. Years are counted from March, so that a leap day is the last.
 */
static int64_t time_seconds_of(const struct tm *tm)
{
	int64_t year = tm->tm_year + INT64_C(1900) - (tm->tm_mon < 2);
	int64_t month = (tm->tm_mon + 10) % 12;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t of_era = year - era * 400;
	int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
		       (153 * month + 2) / 5 + tm->tm_mday - 1 - 719468;

	return days * SECONDS_PER_DAY + tm->tm_hour * INT64_C(3600) + tm->tm_min * INT64_C(60) +
	       tm->tm_sec;
}

static bool time_read_date(struct cursor *c, struct tm *tm)
{
	int year;
	int month;

	if (!time_read_number(c, 4, 0, 9999, &year) || !time_skip_one_of(c, "-") ||
	    !time_read_number(c, 2, 1, 12, &month) || !time_skip_one_of(c, "-") ||
	    !time_read_number(c, 2, 1, time_days_in_month(year, month), &tm->tm_mday))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	return true;
}

/* Digits after the point; those after the third are checked and dropped. */
static bool time_read_fraction(struct cursor *c, int *ms)
{
	int weight = 100;
	int digit;

	if (!time_read_number(c, 1, 0, 9, &digit))
		return false;
	*ms = digit * weight;
	while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
		weight /= 10;
		*ms += (*c->at++ - '0') * weight;
	}
	return true;
}

static bool time_read_clock(struct cursor *c, struct tm *tm, int *ms)
{
	if (!time_read_number(c, 2, 0, 23, &tm->tm_hour) || !time_skip_one_of(c, ":") ||
	    !time_read_number(c, 2, 0, 59, &tm->tm_min))
		return false;
	if (!time_skip_one_of(c, ":"))
		return true;
	/* 60 is a leap second, which this count of milliseconds does not have. */
	if (!time_read_number(c, 2, 0, 60, &tm->tm_sec))
		return false;
	return !time_skip_one_of(c, ".") || time_read_fraction(c, ms);
}

/* Z, +HH:MM, +HHMM or +HH. */
static bool time_read_offset(struct cursor *c, int *offset_s)
{
	bool west = c->at < c->end && *c->at == '-';
	int hours = 0;
	int minutes = 0;

	*offset_s = 0;
	if (time_skip_one_of(c, "Zz"))
		return true;
	if (!time_skip_one_of(c, "+-") || !time_read_number(c, 2, 0, 23, &hours))
		return false;
	if ((time_skip_one_of(c, ":") || c->at < c->end) &&
	    !time_read_number(c, 2, 0, 59, &minutes))
		return false;
	*offset_s = (hours * 60 + minutes) * 60;
	if (west)
		*offset_s = -*offset_s;
	return true;
}

/* True if the year has four digits. */
static bool time_is_readable(int64_t seconds)
{
	return seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}

static int64_t time_zone_offset(int64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm tm = {0};

	/* Fails only where the year is none that an int holds, which milliseconds do not reach. */
	localtime_r(&when, &tm);
	return tm.tm_gmtoff;
}

/*
 * The moment at which clocks of the host's zone show what UTC would call `shown`. mktime is not
 * used: of a time that comes twice it picks one depending on what it was asked before.
 */
static int64_t time_from_local(int64_t shown)
{
	int64_t before = time_zone_offset(shown - SECONDS_PER_DAY);
	int64_t after = time_zone_offset(shown + SECONDS_PER_DAY);

	if (time_zone_offset(shown - before) != before && time_zone_offset(shown - after) == after)
		return shown - after;
	return shown - before;
}

bool timestamp_parse(struct slice text, bool offset_required, int64_t *ms)
{
	struct cursor c = {text.ptr, text.ptr ? text.ptr + text.len : NULL};
	struct tm tm = {0};
	int fraction_ms = 0;
	int offset_s = 0;

	if (!time_read_date(&c, &tm))
		return false;
	if (c.at < c.end &&
	    (!time_skip_one_of(&c, "Tt ") || !time_read_clock(&c, &tm, &fraction_ms)))
		return false;
	bool local = c.at == c.end;
	if (local && offset_required)
		return false;
	if (!local && (!time_read_offset(&c, &offset_s) || c.at != c.end))
		return false;
	int64_t seconds = time_seconds_of(&tm);
	seconds = local ? time_from_local(seconds) : seconds - offset_s;
	if (!time_is_readable(seconds))
		return false;
	*ms = seconds * 1000 + fraction_ms;
	return true;
}

int timestamp_offset_min(int64_t ms)
{
	return (int)(time_zone_offset(ms / 1000 - (ms % 1000 < 0)) / 60);
}

/* A separator and so many digits; a reply has many times, and printf is slow. The place behind. */
static char *time_put_digits(char *out, char separator, int count, int number)
{
	*out++ = separator;
	for (int i = count - 1; i >= 0; i--, number /= 10)
		out[i] = (char)('0' + number % 10);
	return out + count;
}

void timestamp_format(int64_t ms, char out[TIMESTAMP_SIZE])
{
	int fraction_ms = (int)(ms % 1000 + 1000) % 1000;
	int64_t seconds = ms / 1000 - (ms % 1000 < 0);
	int64_t offset_s = time_zone_offset(seconds);
	struct tm tm = {0};

	if (time_is_readable(seconds) && !time_is_readable(seconds + offset_s))
		offset_s = 0;
	int minutes = (int)(offset_s / 60);
	time_t shown = (time_t)(seconds + (int64_t)minutes * 60);
	gmtime_r(&shown, &tm);
	long long year = tm.tm_year + 1900LL;
	out += snprintf(out, TIMESTAMP_SIZE / 2, "%s%04lld", year < 0 ? "-" : "", llabs(year));
	out = time_put_digits(out, '-', 2, tm.tm_mon + 1);
	out = time_put_digits(out, '-', 2, tm.tm_mday);
	out = time_put_digits(out, 'T', 2, tm.tm_hour);
	out = time_put_digits(out, ':', 2, tm.tm_min);
	out = time_put_digits(out, ':', 2, tm.tm_sec);
	out = time_put_digits(out, '.', 3, fraction_ms);
	out = time_put_digits(out, minutes < 0 ? '-' : '+', 2, abs(minutes) / 60 % 100);
	out = time_put_digits(out, ':', 2, abs(minutes) % 60);
	*out = '\0';
}

static const struct {
	const char *name;
	uint64_t ms;
} units[] = {
	{"year", UINT64_C(365) * MS_PER_DAY},
	{"month", UINT64_C(30) * MS_PER_DAY},
	{"day", MS_PER_DAY},
	{"hour", 3600000},
	{"minute", 60000},
};

void timestamp_age(int64_t ms, int64_t now_ms, char out[TIMESTAMP_SIZE])
{
	bool past = ms <= now_ms;
	/* Unsigned, because the distance of two extreme times does not fit otherwise. */
	uint64_t age = past ? (uint64_t)now_ms - (uint64_t)ms : (uint64_t)ms - (uint64_t)now_ms;
	size_t i = 0;

	if (ms == TIME_NONE) {
		snprintf(out, TIMESTAMP_SIZE, "never");
		return;
	}
	while (i < sizeof units / sizeof units[0] && age < units[i].ms)
		i++;
	if (i == sizeof units / sizeof units[0]) {
		snprintf(out, TIMESTAMP_SIZE, "just now");
		return;
	}
	uint64_t count = age / units[i].ms;
	snprintf(out, TIMESTAMP_SIZE, "%s%llu %s%s%s", past ? "" : "in ", (unsigned long long)count,
		 units[i].name, count == 1 ? "" : "s", past ? " ago" : "");
}
