#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/retention.h"

#define DAY MS_PER_DAY
#define NOW (INT64_C(20000) * DAY)
#define NONE TIME_NONE

static void test_active(void **state)
{
	static const struct {
		struct activity activity; /* updated, accessed, seen */
		struct usage_epoch epoch;
		int64_t expected;
	} cases[] = {
		/* The latest of the three counts. */
		{{NOW - 9, NOW - 5, NOW - 7}, {NONE, false}, NOW - 5},
		{{NOW - 2, NOW - 5, NOW - 7}, {NONE, false}, NOW - 2},
		{{NOW - 9, NOW - 5, NOW - 1}, {NONE, false}, NOW - 1},
		{{NONE, NOW - 5, NONE}, {NOW - 1, false}, NOW - 5},
		/* Never accessed: active when recording began, unless it changed later. */
		{{NOW - 9, NONE, NONE}, {NOW - 3, false}, NOW - 3},
		{{NOW - 1, NONE, NONE}, {NOW - 3, false}, NOW - 1},
		{{NOW - 9, NONE, NOW - 2}, {NOW - 3, false}, NOW - 2},
		{{NONE, NONE, NONE}, {NOW - 3, false}, NOW - 3},
		/* Recording has not begun: active now. */
		{{NOW - 9, NONE, NONE}, {NONE, false}, NOW},
		{{NONE, NONE, NONE}, {NONE, false}, NOW},
		{{NOW - 9, NOW - 5, NONE}, {NONE, true}, NOW - 5},
		/* The clock guard's epoch outranks what is older, and nothing else. */
		{{NOW - 9, NOW - 5, NOW - 7}, {NOW - 3, true}, NOW - 3},
		{{NOW - 9, NOW - 1, NOW - 7}, {NOW - 3, true}, NOW - 1},
		/* Times to come count as now. */
		{{NOW + 9, NOW - 5, NONE}, {NONE, false}, NOW},
		{{NONE, INT64_MAX, NONE}, {NONE, false}, NOW},
		{{NOW - 9, NONE, NONE}, {NOW + 3, false}, NOW},
		{{NOW - 9, NOW - 5, NONE}, {NOW + 3, true}, NOW},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(retention_active_ms(&cases[i].activity, &cases[i].epoch, NOW),
				 cases[i].expected);
}

static void test_expired(void **state)
{
	static const struct {
		int64_t active_ms;
		bool pinned;
		int64_t expiry_days;
		bool expected;
	} cases[] = {
		{NOW, false, 90, false},
		{NOW - 89 * DAY, false, 90, false},
		{NOW - 90 * DAY + 1, false, 90, false},
		{NOW - 90 * DAY, false, 90, false},
		{NOW - 90 * DAY - 1, false, 90, true},
		{NOW - 91 * DAY, false, 90, true},
		{NOW - 91 * DAY, true, 90, false},
		{NOW - 1 * DAY - 1, false, 1, true},
		{NOW + 400 * DAY, false, 90, false},
		{INT64_MIN, false, 90, true},
		{INT64_MIN, false, 0, false},
		{INT64_MIN, false, -1, false},
		{INT64_MIN, false, INT64_MAX, false},
		{NOW - 36499 * DAY, false, 36500, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct settings settings;

		settings_init(&settings);
		settings.expiry_days = cases[i].expiry_days;
		assert_int_equal(
			retention_expired(cases[i].active_ms, cases[i].pinned, &settings, NOW),
			cases[i].expected);
	}
}

/* The moment at which it is due is the first one at which it has expired. */
static void test_due(void **state)
{
	const struct settings settings = {.expiry_days = 90};
	const struct settings never = {.expiry_days = 0};
	const struct settings endless = {.expiry_days = INT64_MAX / DAY + 1};
	int64_t due_ms = retention_due_ms(NOW, false, &settings);

	(void)state;
	assert_int_equal(due_ms, NOW + 90 * DAY + 1);
	assert_false(retention_expired(NOW, false, &settings, due_ms - 1));
	assert_true(retention_expired(NOW, false, &settings, due_ms));
	assert_int_equal(retention_due_ms(NOW, true, &settings), INT64_MAX);
	assert_int_equal(retention_due_ms(NOW, false, &never), INT64_MAX);
	assert_int_equal(retention_due_ms(NOW, false, &endless), INT64_MAX);
	assert_int_equal(retention_due_ms(INT64_MAX - 1, false, &settings), INT64_MAX);
}

static void test_clock(void **state)
{
	static const struct {
		int64_t newest_ms;
		bool trusted;
	} cases[] = {
		{NONE, true},
		{NOW, true},
		{NOW - 1, true},
		{NOW - 180 * DAY, true},
		{NOW - 180 * DAY - 1, false},
		{NOW - 181 * DAY, false},
		{NOW - 50 * 365 * DAY, false},
		{INT64_MIN + 1, false},
		{NOW + 60000, true},
		{NOW + 60001, false},
		{NOW + 365 * DAY, false},
		{INT64_MAX, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(retention_clock_trusted(cases[i].newest_ms, NOW),
				 cases[i].trusted);
}

/* What the store does at one moment: asks the guard, and expires by what it knows. */
static bool expires(const struct activity *activity, struct usage_epoch *epoch, int64_t *newest_ms,
		    int64_t now_ms)
{
	struct settings settings;

	settings_init(&settings);
	if (!retention_clock_trusted(*newest_ms, now_ms))
		*epoch = (struct usage_epoch){now_ms, true};
	*newest_ms = now_ms;
	return retention_expired(retention_active_ms(activity, epoch, now_ms), false, &settings,
				 now_ms);
}

static void test_clock_jumps_expire_nothing(void **state)
{
	static const struct {
		const char *about;
		int64_t steps_days[8]; /* the clock at each step, from the first use; ended by 0 */
		bool last_expires;
	} cases[] = {
		{"a year back", {-365, 0}, false},
		{"a year back and home again", {-365, 1, 0}, false},
		{"fifty years forward", {50 * 365, 0}, false},
		{"fifty years forward and back", {50 * 365, 1, 2, 0}, false},
		{"half a year and a day away", {181, 0}, false},
		{"half a year away, then three months more", {181, 271, 0}, false},
		{"half a year away, then unused for its time", {181, 271, 272, 0}, true},
		{"half a year away less a day", {179, 0}, true},
		{"always there, not used", {80, 91, 0}, true},
		{"always there, not yet", {80, 90, 0}, false},
		{"a year back, unused for its time from there", {-365, -280, -275, 0}, false},
	};
	const struct activity activity = {NOW, NOW, NONE};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct usage_epoch epoch = {NOW, false};
		int64_t newest_ms = NOW;
		bool expired = false;

		for (size_t step = 0; cases[i].steps_days[step]; step++) {
			if (expired)
				fail_msg("%s: expired before the end", cases[i].about);
			expired = expires(&activity, &epoch, &newest_ms,
					  NOW + cases[i].steps_days[step] * DAY);
		}
		if (expired != cases[i].last_expires)
			fail_msg("%s: wrong at the end", cases[i].about);
	}
}

static void test_evictions(void **state)
{
	struct eviction list[] = {
		{1, 0, true, false},   {30, 1, false, false}, {10, 5, false, false},
		{10, 2, false, false}, {10, 7, false, false}, {0, 4, true, false},
		{20, 3, false, false}, {0, 6, true, false},
	};
	static const size_t expected[] = {2, 5, 7, 3, 1, 4, 6, 0};

	(void)state;
	retention_sort_evictions(list, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(list[i].position, expected[i]);
	/* What is over goes first, unless it is pinned. */
	list[0] = (struct eviction){.active_ms = 50, .position = 8, .report = true};
	list[1] = (struct eviction){.active_ms = 60, .position = 9};
	retention_sort_evictions(list, 2);
	assert_int_equal(list[0].position, 8);
	list[0] = (struct eviction){.active_ms = 60, .position = 9};
	list[1] = (struct eviction){.active_ms = 70, .position = 8, .report = true};
	retention_sort_evictions(list, 2);
	assert_int_equal(list[0].position, 8);
	retention_sort_evictions(NULL, 0);
}

static void test_pin_limit(void **state)
{
	(void)state;
	assert_int_equal(retention_pin_limit(100), 50);
	assert_int_equal(retention_pin_limit(51200), 25600);
	assert_int_equal(retention_pin_limit(3), 1);
	assert_int_equal(retention_pin_limit(1), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_active),
		cmocka_unit_test(test_expired),
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_clock_jumps_expire_nothing),
		cmocka_unit_test(test_evictions),
		cmocka_unit_test(test_pin_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
