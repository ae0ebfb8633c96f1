#include "store/log/shared_use.h"

#include "base/time.h"
#include "store/files/dir_lock.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#define DAY MS_PER_DAY
#define NOW (INT64_C(20000) * DAY)

static void check_judges(bool shared, bool synced, int64_t synced_ms, bool expected)
{
	const struct shared_use use = {.synced_ms = synced_ms};
	const struct origin origin = {.shared = shared, .synced = synced};

	assert_int_equal(shared_use_may_judge(&use, &origin, NOW), expected);
}

static void a_rule_needs_to_know_of_the_others(void **state)
{
	(void)state;
	check_judges(false, false, TIME_NONE, true);
	check_judges(false, true, TIME_NONE, false);
	check_judges(false, true, NOW - 7 * DAY, true);
	check_judges(false, true, NOW - 7 * DAY - 1, false);
	check_judges(false, true, NOW + DAY, true);
	/* This clock was set back. */
	check_judges(false, true, NOW + DAY + 1, false);
	/* What a repository shares is merged when somebody pulls. */
	check_judges(true, true, NOW, false);
	check_judges(true, false, NOW, false);
}

static int64_t day_of(const char *text)
{
	int64_t ms = TIME_NONE;

	assert_true(timestamp_parse(slice_of(text), false, &ms));
	return ms;
}

static void check_read(struct tmpdir *dir, const char *text, int64_t expected)
{
	struct shared_use use = {0};
	struct disk disk;
	struct err err;

	if (text)
		tmpdir_write(dir, SHARED_USE_NAME, text);
	assert_int_equal(disk_open(&disk, sys_real(), dir->path, &err), 0);
	assert_true(disk.origin.synced);
	shared_use_refresh(&use, &disk);
	assert_int_equal(shared_use_ms(&use, slice_of("state:a")), expected);
	assert_int_equal(use.synced_ms, day_of("2026-11-20T00:00:00Z"));
	shared_use_release(&use, disk.sys);
	disk_close(&disk);
}

static void what_is_no_day_says_nothing(void **state)
{
	struct tmpdir dir;

	(void)state;
	tmpdir_make(&dir);
	tmpdir_write(&dir, SYNCED_NAME,
		     "for people\nhost: a-1\n" SYNCED_AT_PREFIX "2026-11-20T00:00:00.000+00:00\n");
	check_read(&dir, NULL, TIME_NONE);
	check_read(&dir, "{\"state:a\": \"2026-11-20\"}", day_of("2026-11-20"));
	check_read(&dir, "{\"state:a\": 20, \"state:b\": \"2026-11-20\"}", TIME_NONE);
	check_read(&dir, "{\"state:a\": \"soon\"}", TIME_NONE);
	check_read(&dir, "{\"state:a\": \"0001-01-01\"}", TIME_NONE);
	check_read(&dir, "{\"state:a\": \"2026-11-20\"", TIME_NONE);
	tmpdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_needs_to_know_of_the_others),
		cmocka_unit_test(what_is_no_day_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
