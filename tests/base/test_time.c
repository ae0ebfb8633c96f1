#include "base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void use_zone(const char *zone)
{
	assert_int_equal(setenv("TZ", zone, 1), 0);
	tzset();
}

static int64_t parsed(const char *text)
{
	int64_t ms = -1;

	if (!timestamp_parse(slice_of(text), false, &ms))
		fail_msg("%s is no time", text);
	return ms;
}

static void assert_formats(const char *zone, int64_t ms, const char *expected)
{
	char text[TIMESTAMP_SIZE];

	use_zone(zone);
	timestamp_format(ms, text);
	assert_string_equal(text, expected);
}

static void test_in_zones(void **unused)
{
	static const struct {
		const char *in;
		const char *zone;
		const char *out;
	} cases[] = {
		{"2025-03-09T09:59:59.999Z", "America/Los_Angeles",
		 "2025-03-09T01:59:59.999-08:00"},
		{"2025-11-02T09:00:00.000Z", "America/Los_Angeles",
		 "2025-11-02T01:00:00.000-08:00"},
		{"2025-11-02T08:59:59.999Z", "America/Los_Angeles",
		 "2025-11-02T01:59:59.999-07:00"},
		{"1970-01-01T00:00:00Z", "America/Los_Angeles", "1969-12-31T16:00:00.000-08:00"},
		{"2025-01-02T03:04:05.6Z", "America/Los_Angeles", "2025-01-01T19:04:05.600-08:00"},
		{"2025-03-30T01:00:00Z", "Europe/Berlin", "2025-03-30T03:00:00.000+02:00"},
		{"2025-03-30T01:00:00Z", "America/St_Johns", "2025-03-29T22:30:00.000-02:30"},
		{"2025-10-26T00:59:59.999Z", "Pacific/Chatham", "2025-10-26T14:44:59.999+13:45"},
		{"2024-02-29T12:00:00+13:45", "UTC", "2024-02-28T22:15:00.000+00:00"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_formats(cases[i].zone, parsed(cases[i].in), cases[i].out);
}

static void test_forms(void **unused)
{
	static const char *const same[] = {
		"2025-01-02T03:04:00Z",      "2025-01-02t03:04:00z",
		"2025-01-02 03:04:00Z",      "2025-01-02T03:04Z",
		"2025-01-02T03:04:00+00:00", "2025-01-02T03:04:00-00:00",
		"2025-01-02T05:34+02:30",    "2025-01-02T05:34+0230",
		"2025-01-02T05:04+02",       "2025-01-01T23:34:00-03:30",
		"2025-01-02T03:04:00.0004Z", "2025-01-02T03:03:60Z",
	};

	(void)unused;
	use_zone("Pacific/Chatham");
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
		assert_int_equal(parsed(same[i]), 1735787040000);
}

static void test_fractions_are_cut(void **unused)
{
	(void)unused;
	assert_int_equal(parsed("1970-01-01T00:00:00.9999999999999999999999Z"), 999);
	assert_int_equal(parsed("1970-01-01T00:00:00.12Z"), 120);
	assert_int_equal(parsed("1970-01-01T00:00:00.0009Z"), 0);
	assert_int_equal(parsed("1969-12-31T23:59:59.9999Z"), -1);
	assert_int_equal(parsed("1969-12-31T23:59:59Z"), -1000);
}

static void test_leap(void **unused)
{
	(void)unused;
	assert_int_equal(parsed("2016-12-31T23:59:60Z"), parsed("2017-01-01T00:00:00Z"));
	assert_int_equal(parsed("2016-12-31T23:59:60.5Z"), parsed("2017-01-01T00:00:00.5Z"));
	assert_int_equal(parsed("2000-02-29T00:00Z") + MS_PER_DAY, parsed("2000-03-01T00:00Z"));
	assert_int_equal(parsed("2100-02-28T00:00Z") + MS_PER_DAY, parsed("2100-03-01T00:00Z"));
}

static void test_first_and_last_year(void **unused)
{
	(void)unused;
	assert_formats("UTC", parsed("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00.000+00:00");
	assert_formats("UTC", parsed("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59.999+00:00");
	assert_int_equal(parsed("0000-02-29T00:00Z") + MS_PER_DAY, parsed("0000-03-01T00:00Z"));
	/* What could not be read again is not written, in whatever zone. */
	assert_formats("Pacific/Chatham", 253402300800000 - 1, "9999-12-31T23:59:59.999+00:00");
	assert_formats("America/New_York", -62167219200000, "0000-01-01T00:00:00.000+00:00");
}

static const char *const wrong[] = {
	"",
	"   ",
	"now",
	"0",
	"1735787040000",
	"2025",
	"2025-01",
	"2025-1-02",
	"20250102T030400Z",
	"2025-02-30",
	"2025-02-29T00:00Z",
	"2100-02-29T00:00Z",
	"2025-00-10",
	"2025-13-10",
	"2025-01-00",
	"2025-04-31",
	"12025-01-02",
	"0000-01-01T00:59:59+01:00",
	"9999-12-31T23:00:00-01:00",
	"-025-01-02",
	"+025-01-02",
	"2025-01-02Z",
	"2025-01-02T",
	"2025-01-02T03",
	"2025-01-02T03Z",
	"2025-01-02T24:00:00Z",
	"2025-01-02T25:61",
	"2025-01-02T03:60Z",
	"2025-01-02T03:04:61Z",
	"2025-01-02T03:04:05.Z",
	"2025-01-02T03:04:05.",
	"2025-01-02T03:04.5Z",
	"2025-01-02T03:04:",
	"2025-01-02T03:04:5Z",
	"2025-01-02T03:04:05Zz",
	"2025-01-02T03:04:05 Z",
	"2025-01-02T03:04:05+",
	"2025-01-02T03:04:05+1",
	"2025-01-02T03:04:05+01:",
	"2025-01-02T03:04:05+01:0",
	"2025-01-02T03:04:05+01:60",
	"2025-01-02T03:04:05+24:00",
	"2025-01-02T03:04:05+01:00:00",
	" 2025-01-02T03:04:05Z",
	"2025-01-02T03:04:05Z ",
	"2025-01-02T03:04:05Z\n",
	"2025-01-02  03:04:05Z",
	"2025/01/02T03:04:05Z",
};

static void test_what_is_no_time(void **unused)
{
	int64_t ms = 7;

	(void)unused;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		if (timestamp_parse(slice_of(wrong[i]), false, &ms))
			fail_msg("%s was taken for a time", wrong[i]);
		assert_int_equal(ms, 7);
	}
	assert_false(timestamp_parse(slice_of(NULL), false, &ms));
	assert_false(timestamp_parse(slice_make("2025-01-02T03:04:05Z\0", 21), false, &ms));
	assert_false(timestamp_parse(slice_make("2025-01-02\0003:04:05Z", 20), false, &ms));
}

/* Every text that is cut short must be refused or read without looking behind its end. */
static void test_does_not_read_on(void **unused)
{
	static const char whole[] = "2025-01-02T03:04:05.678+01:00";

	(void)unused;
	for (size_t len = 0; len < sizeof whole; len++) {
		char *exact = malloc(len ? len : 1);
		int64_t ms;

		memcpy(exact, whole, len);
		/* Date, minutes, seconds, fractions of 1 to 3 digits, offsets of 2 and 4 digits. */
		bool complete = len == 10 || len == 16 || len == 19 || (len >= 21 && len <= 23) ||
				len == 26 || len == 29;

		assert_int_equal(timestamp_parse(slice_make(exact, len), false, &ms), complete);
		free(exact);
	}
}

static void test_offset_required(void **unused)
{
	int64_t ms = 7;

	(void)unused;
	assert_false(timestamp_parse(slice_of("2025-01-02"), true, &ms));
	assert_false(timestamp_parse(slice_of("2025-01-02T03:04:05"), true, &ms));
	assert_int_equal(ms, 7);
	assert_true(timestamp_parse(slice_of("2025-01-02T03:04:05Z"), true, &ms));
	assert_true(timestamp_parse(slice_of("2025-01-02T03:04-08:00"), true, &ms));
}

static void test_local(void **unused)
{
	(void)unused;
	use_zone("America/St_Johns");
	assert_int_equal(parsed("2025-07-01"), parsed("2025-07-01T00:00:00-02:30"));
	assert_int_equal(parsed("2025-01-02T03:04:05.678"),
			 parsed("2025-01-02T03:04:05.678-03:30"));
	use_zone("Pacific/Chatham");
	assert_int_equal(parsed("2025-01-02"), parsed("2025-01-02T00:00+13:45"));
	assert_int_equal(parsed("2025-07-02 12:00"), parsed("2025-07-02T12:00+12:45"));
	use_zone("UTC");
	assert_int_equal(parsed("1970-01-01"), 0);
}

/* The same answer whatever was asked before. */
static void test_local_at_a_change_of_clocks(void **unused)
{
	(void)unused;
	use_zone("Europe/Berlin");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(parsed("2025-10-26T02:30"), parsed("2025-10-26T02:30+02:00"));
		assert_int_equal(parsed("2025-10-26T03:00"), parsed("2025-10-26T03:00+01:00"));
		assert_int_equal(parsed("2025-10-26T01:59"), parsed("2025-10-26T01:59+02:00"));
		assert_int_equal(parsed("2025-12-01T00:00"), parsed("2025-12-01T00:00+01:00"));
		assert_int_equal(parsed("2025-03-30T01:59"), parsed("2025-03-30T01:59+01:00"));
		assert_int_equal(parsed("2025-03-30T02:30"), parsed("2025-03-30T03:30+02:00"));
		assert_int_equal(parsed("2025-03-30T03:00"), parsed("2025-03-30T03:00+02:00"));
		assert_int_equal(parsed("2025-07-01T00:00"), parsed("2025-07-01T00:00+02:00"));
	}
}

static void test_round_trip(void **unused)
{
	static const char *const zones[] = {"UTC", "America/Los_Angeles", "America/St_Johns",
					    "Pacific/Chatham", "Europe/Amsterdam"};
	char text[TIMESTAMP_SIZE];

	(void)unused;
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
		use_zone(zones[i]);
		/* From 1750, when zones had offsets with seconds, to 2100. */
		for (int64_t ms = -6942844800123; ms < 4102444800000; ms += 7987654321) {
			timestamp_format(ms, text);
			assert_int_equal(parsed(text), ms);
		}
	}
}

/* Days are counted by a formula: on every day of ten thousand years it says what timegm says. */
static void test_every_day(void **unused)
{
	time_t first = -62167219200;
	struct tm tm;
	char text[TIMESTAMP_SIZE];

	(void)unused;
	for (time_t day = first + 43200; day < 253402300800; day += 86400) {
		assert_non_null(gmtime_r(&day, &tm));
		snprintf(text, sizeof text, "%04u-%02u-%02uT12:00:00Z", (unsigned)tm.tm_year + 1900,
			 (unsigned)tm.tm_mon + 1, (unsigned)tm.tm_mday);
		assert_int_equal(parsed(text), day * 1000);
	}
}

static void test_extreme(void **unused)
{
	(void)unused;
	assert_formats("UTC", INT64_MIN, "-292275055-05-16T16:47:04.192+00:00");
	assert_formats("UTC", INT64_MAX, "292278994-08-17T07:12:55.807+00:00");
	assert_formats("Pacific/Chatham", 253402300800000, "10000-01-01T13:45:00.000+13:45");
	assert_formats("UTC", -62167219200001, "-0001-12-31T23:59:59.999+00:00");
	assert_formats("UTC", -1, "1969-12-31T23:59:59.999+00:00");
	assert_formats("XYZ+24:59:59", 0, "1969-12-30T23:01:00.000-24:59");
}

static void test_age(void **unused)
{
	static const struct {
		int64_t age_ms;
		const char *text;
	} cases[] = {
		{0, "just now"},
		{59999, "just now"},
		{-59999, "just now"},
		{60000, "1 minute ago"},
		{-60000, "in 1 minute"},
		{5 * 60000 + 59999, "5 minutes ago"},
		{3599999, "59 minutes ago"},
		{3600000, "1 hour ago"},
		{-2 * 3600000, "in 2 hours"},
		{MS_PER_DAY - 1, "23 hours ago"},
		{MS_PER_DAY, "1 day ago"},
		{3 * MS_PER_DAY, "3 days ago"},
		{30 * MS_PER_DAY - 1, "29 days ago"},
		{30 * MS_PER_DAY, "1 month ago"},
		{365 * MS_PER_DAY - 1, "12 months ago"},
		{365 * MS_PER_DAY, "1 year ago"},
		{800 * MS_PER_DAY, "2 years ago"},
		{-800 * MS_PER_DAY, "in 2 years"},
	};
	const int64_t now = 1735787040000;
	char text[TIMESTAMP_SIZE];

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		timestamp_age(now - cases[i].age_ms, now, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_age_extreme(void **unused)
{
	char text[TIMESTAMP_SIZE];

	(void)unused;
	timestamp_age(TIME_NONE, 0, text);
	assert_string_equal(text, "never");
	timestamp_age(INT64_MIN + 1, INT64_MAX, text);
	assert_string_equal(text, "584942417 years ago");
	timestamp_age(INT64_MAX, INT64_MIN + 1, text);
	assert_string_equal(text, "in 584942417 years");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_zones),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_fractions_are_cut),
		cmocka_unit_test(test_leap),
		cmocka_unit_test(test_first_and_last_year),
		cmocka_unit_test(test_what_is_no_time),
		cmocka_unit_test(test_does_not_read_on),
		cmocka_unit_test(test_offset_required),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_local_at_a_change_of_clocks),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_every_day),
		cmocka_unit_test(test_extreme),
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_age_extreme),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
