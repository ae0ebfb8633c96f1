#include "store/files/dir_lock.h"
#include "store/open/store.h"
#include "support/teststore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void pass_days(int days)
{
	fake_sys_set_now(fake_sys_now() + days * MS_PER_DAY);
}

static void assert_active(struct teststore *t, const char *key, bool active)
{
	char *value = teststore_value(t, CATEGORY_STATE, key);

	if (active != (value != NULL))
		fail_msg("%s should be %s", key, active ? "active" : "gone");
	free(value);
}

static void ninety_days_without_activity_archive_an_entry(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "old", "1", NULL);
	pass_days(89);
	assert_active(&t, "old", true);
	teststore_set(&t, CATEGORY_STATE, "new", "1", NULL);
	pass_days(1);
	assert_active(&t, "old", true);
	pass_days(1);
	assert_active(&t, "old", false);
	assert_active(&t, "new", true);
	assert_int_equal(teststore_archived(&t, "old", false), 1);
	teststore_close(&t);
}

/* What matters stays, however long nobody asks for it. */
static void what_is_important_does_not_expire(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json",
		     "{\"a\": {\"value\": 1, \"importance\": 0.8}, \"b\": {\"value\": 1, "
		     "\"importance\": 0.79}}\n");
	assert_active(&t, "b", true);
	pass_days(91);
	assert_active(&t, "a", true);
	assert_active(&t, "b", false);
	teststore_close(&t);
}

/* Who knows what was looked up meanwhile, while usage.jsonl cannot be read? */
static void nothing_expires_while_usage_cannot_be_read(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json",
		     "{\"a\": {\"value\": 1, \"last_updated\": \"2026-11-20T00:00:00Z\","
		     " \"accessed_at\": \"2026-11-20T00:00:00Z\"}}\n");
	pass_days(80);
	teststore_refresh(&t);
	store_hit(t.store, slice_of("state:a"));
	pass_days(20);
	teststore_reopen(&t);
	/* Something else is in its place. */
	assert_int_equal(unlinkat(t.dir.fd, "usage.jsonl", 0), 0);
	assert_int_equal(mkdirat(t.dir.fd, "usage.jsonl", 0700), 0);
	assert_int_equal(teststore_archived(&t, "a", false), 0);
	teststore_close(&t);
}

static void a_pinned_entry_stays(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_pin(&t, CATEGORY_STATE, "pinned", "1");
	for (int i = 0; i < 10; i++) {
		pass_days(50);
		teststore_set(&t, CATEGORY_STATE, "tick", "1", NULL);
	}
	assert_active(&t, "pinned", true);
	teststore_close(&t);
}

static void a_hit_counts_as_activity(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "used", "1", NULL);
	for (int i = 0; i < 12; i++) {
		pass_days(80);
		teststore_refresh(&t);
		store_hit(t.store, slice_of("state:used"));
	}
	assert_active(&t, "used", true);
	teststore_close(&t);
}

static void a_change_by_hand_counts_as_activity(void **state)
{
	struct teststore t;
	char text[200];

	(void)state;
	teststore_open(&t);
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof text,
			 "{\"a\": {\"value\": %d, \"created_at\": \"2026-11-01T00:00:00Z\","
			 " \"last_updated\": \"2026-11-01T00:00:00Z\"}}\n",
			 i);
		tmpdir_write(&t.dir, "state.json", text);
		assert_active(&t, "a", true);
		pass_days(80);
	}
	assert_active(&t, "a", true);
	teststore_close(&t);
}

/* Every form that a person may write an entry in, read through a thousand days. */
static void entries_written_by_hand_survive_a_thousand_days_of_reads(void **state)
{
	static const char text[] =
		"{\n  \"bare\": \"vim\",\n  \"number\": 1.0,\n  \"list\": [1],\n"
		"  \"other\": {\"no\": \"value here\"},\n  \"minimal\": {\"value\": \"x\"},\n"
		"  \"bad time\": {\"value\": 1, \"created_at\": \"yesterday\", \"last_updated\": "
		"7e99}\n"
		"}\n";
	static const char *const refs[] = {"state:bare",  "state:number",  "state:list",
					   "state:other", "state:minimal", "state:bad time"};
	struct teststore t;
	char *after;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", text);
	for (int day = 0; day < 1000; day += 10) {
		size_t count;

		teststore_refresh(&t);
		store_items(t.store, &count);
		assert_int_equal(count, 6);
		for (size_t i = 0; day % 80 == 0 && i < 6; i++)
			store_hit(t.store, slice_of(refs[i]));
		if (day % 200 == 0)
			teststore_reopen(&t);
		pass_days(10);
	}
	after = tmpdir_read(&t.dir, "state.json");
	assert_string_equal(after, text);
	free(after);
	teststore_close(&t);
}

static void an_entry_without_times_counts_from_when_it_was_first_seen(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 1}\n");
	assert_active(&t, "a", true);
	pass_days(60);
	teststore_reopen(&t);
	assert_active(&t, "a", true);
	pass_days(30);
	assert_active(&t, "a", true);
	pass_days(1);
	assert_active(&t, "a", false);
	teststore_close(&t);
}

static void a_clone_without_usage_expires_nothing(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	pass_days(89);
	unlinkat(t.dir.fd, "usage.jsonl", 0);
	pass_days(60);
	assert_active(&t, "a", true);
	pass_days(90);
	assert_active(&t, "a", true);
	pass_days(1);
	assert_active(&t, "a", false);
	teststore_close(&t);
}

static void a_wrong_clock_expires_nothing_then_or_later(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	pass_days(50 * 365);
	assert_active(&t, "a", true);
	pass_days(-50 * 365);
	assert_active(&t, "a", true);
	pass_days(-365);
	assert_active(&t, "a", true);
	pass_days(365);
	assert_active(&t, "a", true);
	assert_int_equal(teststore_archived(&t, "a", true), 0);
	teststore_close(&t);
}

static void after_181_days_of_absence_the_ninety_days_start_anew(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	pass_days(181);
	assert_active(&t, "a", true);
	pass_days(90);
	assert_active(&t, "a", true);
	pass_days(1);
	assert_active(&t, "a", false);
	teststore_close(&t);
}

static void a_reader_that_finds_the_lock_busy_counts_the_entry_as_archived(void **state)
{
	struct teststore t;
	struct disk other;
	struct err err;
	struct store_answer answer;
	char *text;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	pass_days(91);
	assert_int_equal(disk_open(&other, fake_sys(), t.dir.path, &err), 0);
	assert_int_equal(disk_lock(&other, 0, &err), 0);
	assert_active(&t, "a", false);
	store_lookup(t.store, slice_of("a"), CATEGORY_ANY, &answer);
	assert_true(answer.lookup.found);
	assert_non_null(answer.archived);
	text = tmpdir_read(&t.dir, "state.json");
	assert_non_null(strstr(text, "\"a\""));
	free(text);
	disk_unlock(&other);
	disk_close(&other);
	assert_active(&t, "a", false);
	assert_int_equal(teststore_archived(&t, "a", false), 1);
	teststore_close(&t);
}

static void expiry_does_not_stand_in_the_way_of_a_set(void **state)
{
	static const char broken[] = "{\"state\": [,]}";
	struct teststore t;
	char *text;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "old", "1", NULL);
	tmpdir_write(&t.dir, "archive.json", broken);
	pass_days(91);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "new", "1", NULL), ERR_NONE);
	text = tmpdir_read(&t.dir, "state.json");
	assert_non_null(strstr(text, "\"old\""));
	free(text);
	text = tmpdir_read(&t.dir, "archive.json");
	assert_string_equal(text, broken);
	free(text);
	teststore_close(&t);
}

static void a_read_only_store_can_be_read(void **state)
{
	struct teststore t;
	char *before;
	char *after;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "old", "1", NULL);
	pass_days(60);
	teststore_set(&t, CATEGORY_STATE, "new", "1", NULL);
	before = tmpdir_read(&t.dir, "state.json");
	pass_days(31);
	fake_sys_fail(FAKE_FLOCK, 1, EROFS, FAKE_ALWAYS);
	assert_active(&t, "new", true);
	assert_active(&t, "old", false);
	assert_true(fake_sys_hits() > 0);
	after = tmpdir_read(&t.dir, "state.json");
	assert_string_equal(after, before);
	free(after);
	free(before);
	teststore_close(&t);
}

/* Neither the entry that is due, nor a lookup, nor a clock that is wrong leaves a trace. */
static void a_store_that_is_only_looked_at_stays_as_it_is(void **state)
{
	struct teststore t;
	char *before[2];
	char *after[2];

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "old", "1", NULL);
	pass_days(60);
	teststore_set(&t, CATEGORY_STATE, "new", "1", NULL);
	before[0] = tmpdir_read(&t.dir, "state.json");
	before[1] = tmpdir_read(&t.dir, "usage.jsonl");
	pass_days(31);
	teststore_reopen(&t);
	store_hands_off(t.store);
	assert_active(&t, "new", true);
	assert_active(&t, "old", false);
	store_hit(t.store, slice_of("state:new"));
	assert_true(store_trusts_clock(t.store));
	pass_days(400);
	teststore_refresh(&t);
	assert_false(store_trusts_clock(t.store));
	after[0] = tmpdir_read(&t.dir, "state.json");
	after[1] = tmpdir_read(&t.dir, "usage.jsonl");
	for (int i = 0; i < 2; i++) {
		assert_string_equal(after[i], before[i]);
		free(after[i]);
		free(before[i]);
	}
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ninety_days_without_activity_archive_an_entry),
		cmocka_unit_test(what_is_important_does_not_expire),
		cmocka_unit_test(nothing_expires_while_usage_cannot_be_read),
		cmocka_unit_test(a_pinned_entry_stays),
		cmocka_unit_test(a_hit_counts_as_activity),
		cmocka_unit_test(a_change_by_hand_counts_as_activity),
		cmocka_unit_test(entries_written_by_hand_survive_a_thousand_days_of_reads),
		cmocka_unit_test(an_entry_without_times_counts_from_when_it_was_first_seen),
		cmocka_unit_test(a_clone_without_usage_expires_nothing),
		cmocka_unit_test(a_wrong_clock_expires_nothing_then_or_later),
		cmocka_unit_test(after_181_days_of_absence_the_ninety_days_start_anew),
		cmocka_unit_test(a_reader_that_finds_the_lock_busy_counts_the_entry_as_archived),
		cmocka_unit_test(expiry_does_not_stand_in_the_way_of_a_set),
		cmocka_unit_test(a_read_only_store_can_be_read),
		cmocka_unit_test(a_store_that_is_only_looked_at_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
