#include "support/teststore.h"

#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void set_numbered(struct teststore *t, enum category category, int n, size_t value_len,
			 size_t *evicted)
{
	char key[32];
	char *value = malloc(value_len + 3);

	assert_non_null(value);
	snprintf(key, sizeof key, "key%03d", n);
	memset(value, 'v', value_len + 2);
	value[0] = value[value_len + 1] = '"';
	value[value_len + 2] = '\0';
	assert_int_equal(teststore_set(t, category, key, value, evicted), ERR_NONE);
	free(value);
}

static size_t total_bytes(struct teststore *t)
{
	static const char *const names[] = {"preferences.json", "connections.json", "patterns.json",
					    "shortcuts.json",   "state.json",       "archive.json"};
	size_t total = 0;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *text = tmpdir_read(&t->dir, names[i]);

		total += text ? strlen(text) : 0;
		free(text);
	}
	return total;
}

static void the_101st_entry_sends_the_least_recently_active_away(void **state)
{
	struct teststore t;
	size_t evicted = 9;
	size_t count;

	(void)state;
	teststore_open(&t);
	for (int i = 0; i < 100; i++) {
		fake_sys_set_now(TESTSTORE_NOW + i * 1000);
		set_numbered(&t, CATEGORY_STATE, i, 1, &evicted);
		assert_int_equal(evicted, 0);
	}
	fake_sys_set_now(TESTSTORE_NOW + 200000);
	teststore_refresh(&t);
	store_hit(t.store, slice_of("state:key000"));
	fake_sys_set_now(TESTSTORE_NOW + 300000);
	set_numbered(&t, CATEGORY_STATE, 100, 1, &evicted);
	assert_int_equal(evicted, 1);
	teststore_refresh(&t);
	store_items(t.store, &count);
	assert_int_equal(count, 100);
	assert_int_equal(teststore_archived(&t, "key000", true), 0);
	assert_int_equal(teststore_archived(&t, "key001", true), 1);
	teststore_close(&t);
}

static void a_person_over_the_number_loses_nothing_but_one_for_one(void **state)
{
	struct str text = STR_INIT;
	struct teststore t;
	size_t evicted;
	size_t count;

	(void)state;
	teststore_open(&t);
	str_adds(&text, "{");
	for (int i = 0; i < 110; i++)
		str_printf(&text, "%s\"hand%d\": %d", i ? ", " : "", i, i);
	str_adds(&text, "}\n");
	tmpdir_write(&t.dir, "state.json", text.ptr);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "mine", "1", &evicted), ERR_NONE);
	assert_int_equal(evicted, 1);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "mine", "2", &evicted), ERR_NONE);
	assert_int_equal(evicted, 0);
	teststore_refresh(&t);
	store_items(t.store, &count);
	assert_int_equal(count, 110);
	str_release(&text);
	teststore_close(&t);
}

static void over_the_total_old_records_go_cold_first(void **state)
{
	struct teststore t;
	size_t evicted;

	(void)state;
	teststore_open(&t);
	for (int i = 0; i < 6; i++) {
		fake_sys_set_now(TESTSTORE_NOW + i * 1000);
		set_numbered(&t, CATEGORY_STATE, i, 3000, NULL);
		teststore_archive(&t, CATEGORY_STATE,
				  (char[7]){'k', 'e', 'y', '0', '0', (char)('0' + i), 0},
				  REASON_DELETED);
	}
	for (int i = 10; i < 22; i++) {
		set_numbered(&t, CATEGORY_PATTERNS, i, 3500, &evicted);
		assert_int_equal(evicted, 0);
		assert_true(total_bytes(&t) <= 51200);
	}
	assert_int_equal(teststore_archived(&t, "key000", false), 0);
	assert_int_equal(teststore_archived(&t, "key000", true), 1);
	assert_int_equal(teststore_archived(&t, "key005", true), 1);
	teststore_close(&t);
}

static void then_least_recently_active_entries_are_archived_too(void **state)
{
	struct teststore t;
	size_t evicted = 0;
	size_t seen = 0;

	(void)state;
	teststore_open(&t);
	for (int i = 0; i < 20; i++) {
		fake_sys_set_now(TESTSTORE_NOW + i * 1000);
		set_numbered(&t, (enum category)(i % CATEGORY_COUNT), i, 3500, &evicted);
		seen += evicted;
		assert_true(total_bytes(&t) <= 51200);
	}
	assert_true(seen >= 4);
	assert_int_equal(teststore_archived(&t, "key000", true), 1);
	assert_int_equal(teststore_archived(&t, "key019", true), 0);
	teststore_close(&t);
}

static void only_when_nothing_can_move_does_the_write_fail(void **state)
{
	struct teststore t;
	char *value;
	size_t before;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "config.json", "{\"limits\": {\"total_bytes\": 4096}}\n");
	value = malloc(3003);
	assert_non_null(value);
	memset(value, 'v', 3002);
	value[0] = value[3001] = '"';
	value[3002] = '\0';
	assert_int_equal(teststore_pin(&t, CATEGORY_STATE, "pinned", value), ERR_NONE);
	before = total_bytes(&t);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "more", value, NULL), ERR_STORE_FULL);
	assert_int_equal(total_bytes(&t), before);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "small", "1", NULL), ERR_NONE);
	free(value);
	teststore_close(&t);
}

/* Within what is left to them, other entries still make room for each other. */
static void a_huge_value_counts_as_one_that_fits(void **state)
{
	struct teststore t;
	size_t evicted = 0;
	size_t seen = 0;
	char *value;

	(void)state;
	teststore_open(&t);
	value = malloc(60100);
	assert_non_null(value);
	memset(value, 'h', 60099);
	memcpy(value, "{\"huge\":\"", 9);
	memcpy(value + 60096, "\"}\n", 4);
	tmpdir_write(&t.dir, "connections.json", value);
	free(value);
	for (int i = 0; i < 20; i++) {
		fake_sys_set_now(TESTSTORE_NOW + i * 1000);
		set_numbered(&t, i % 2 ? CATEGORY_STATE : CATEGORY_PATTERNS, i, 3500, &evicted);
		seen += evicted;
		if (i == 11)
			assert_int_equal(seen, 0);
		teststore_refresh(&t);
		store_hit(t.store, slice_of("connections:huge"));
	}
	assert_true(seen >= 4);
	assert_true(total_bytes(&t) <= 60000 + 51200);
	assert_int_equal(teststore_archived(&t, "huge", true), 0);
	teststore_close(&t);
}

static void a_deletion_works_however_full_the_store_is(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	set_numbered(&t, CATEGORY_STATE, 1, 3000, NULL);
	tmpdir_write(&t.dir, "config.json", "{\"limits\": {\"total_bytes\": 1000}}\n");
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "key001", REASON_DELETED), ERR_NONE);
	assert_int_equal(teststore_archived(&t, "key001", true), 1);
	teststore_close(&t);
}

static void a_category_of_pinned_entries_takes_no_more(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "config.json", "{\"limits\": {\"entries_per_category\": 2}}\n");
	tmpdir_write(&t.dir, "state.json",
		     "{\"a\": {\"value\": 1, \"pinned\": true}, "
		     "\"b\": {\"value\": 2, \"pinned\": true}}\n");
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "c", "3", NULL), ERR_STORE_FULL);
	assert_int_equal(teststore_set(&t, CATEGORY_PATTERNS, "c", "3", NULL), ERR_NONE);
	assert_int_equal(teststore_archived(&t, "a", true), 0);
	assert_int_equal(teststore_archived(&t, "b", true), 0);
	teststore_close(&t);
}

/* Records of one time go in the order of their refs, wherever they stand. */
static void records_of_one_time_go_cold_in_the_order_of_their_refs(void **state)
{
	struct str text = STR_INIT;
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "config.json", "{\"limits\": {\"total_bytes\": 4096}}\n");
	str_adds(&text, "{\"state\": [");
	for (const char *key = "bac"; *key; key++)
		str_printf(&text,
			   "%s{\"key\": \"%c@2026-11-20T00:00:00Z\", \"originalKey\": \"%c\", "
			   "\"archivedAt\": \"2026-11-20T00:00:00Z\", \"reason\": \"deleted\", "
			   "\"entry\": {\"value\": \"%0800d\"}}",
			   *key == 'b' ? "" : ", ", *key, *key, 0);
	str_adds(&text, "]}\n");
	tmpdir_write(&t.dir, "archive.json", text.ptr);
	str_release(&text);
	set_numbered(&t, CATEGORY_STATE, 1, 1500, NULL);
	assert_int_equal(teststore_archived(&t, "a", false), 0);
	assert_int_equal(teststore_archived(&t, "a", true), 1);
	assert_int_equal(teststore_archived(&t, "b", false), 1);
	assert_int_equal(teststore_archived(&t, "c", false), 1);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_101st_entry_sends_the_least_recently_active_away),
		cmocka_unit_test(a_person_over_the_number_loses_nothing_but_one_for_one),
		cmocka_unit_test(over_the_total_old_records_go_cold_first),
		cmocka_unit_test(then_least_recently_active_entries_are_archived_too),
		cmocka_unit_test(only_when_nothing_can_move_does_the_write_fail),
		cmocka_unit_test(a_category_of_pinned_entries_takes_no_more),
		cmocka_unit_test(records_of_one_time_go_cold_in_the_order_of_their_refs),
		cmocka_unit_test(a_huge_value_counts_as_one_that_fits),
		cmocka_unit_test(a_deletion_works_however_full_the_store_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
