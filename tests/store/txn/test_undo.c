#include "store/txn/undo.h"

#include "store/log/cold.h"
#include "store/view/snapshot.h"
#include "support/opstore.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <stdlib.h>

#define ENTRY "{\"value\":1}"

static const struct change_meta meta = {.tool = "test"};

/* A store with an archived entry in archive.json, one in the cold archive, and an active one. */
static void make(struct teststore *t)
{
	struct err err;

	setenv("TZ", "UTC0", 1);
	teststore_open(t);
	assert_int_equal(teststore_set(t, CATEGORY_STATE, "a", "1", NULL), ERR_NONE);
	assert_int_equal(teststore_set(t, CATEGORY_STATE, "b", "2", NULL), ERR_NONE);
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "a", REASON_DELETED), ERR_NONE);
	assert_int_equal(
		cold_append(store_disk(t->store), TESTSTORE_NOW, slice_of(COLD_LINE), &err), 0);
	teststore_reopen(t);
}

static const struct archived *record_of(struct store *store, const char *key)
{
	const struct archived *all;
	struct err err;
	size_t count;

	if (store_archive_whole(store, &all, &count, &err) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (slice_is(all[i].record.original_key, key))
			return &all[i];
	}
	return NULL;
}

/* Both come back, the active one goes, and another record comes. */
static int take_back(struct change *change, struct store *store, const char *entry, struct err *err)
{
	static const char *const keys[] = {"a", "old"};

	for (size_t i = 0; i < 2; i++) {
		const struct archived *archived = record_of(store, keys[i]);

		if (!archived)
			return err_set(err, ERR_IO, "the archive cannot be read");
		if (change_put(change, CATEGORY_STATE, slice_of(keys[i]), slice_of(entry), err) !=
			    0 ||
		    undo_remove_record(change, archived, err) != 0)
			return -1;
	}
	if (undo_remove(change, store_find(store, CATEGORY_STATE, slice_of("b")), err) != 0 ||
	    undo_add_record(change, CATEGORY_STATE, slice_of("task@2026-11-21T10:00:00.000Z"),
			    slice_of(RECORD), err) != 0)
		return -1;
	return change_commit(change, NULL, err);
}

static int run_with(struct teststore *t, const char *entry, struct err *err)
{
	struct change *change;
	int result;

	if (change_begin(&change, t->store, &meta, fake_sys_now(), err) != 0)
		return -1;
	undo_begin(change);
	result = take_back(change, t->store, entry, err);
	change_end(change);
	return result;
}

static int run(struct teststore *t, struct err *err)
{
	return run_with(t, ENTRY, err);
}

static void check(struct teststore *t, bool done)
{
	char *a = teststore_value(t, CATEGORY_STATE, "a");
	char *b = teststore_value(t, CATEGORY_STATE, "b");
	char *old = teststore_value(t, CATEGORY_STATE, "old");

	assert_int_equal(a != NULL, done);
	assert_int_equal(b != NULL, !done);
	assert_int_equal(old != NULL, done);
	assert_int_equal(teststore_archived(t, "a", true), !done);
	assert_int_equal(teststore_archived(t, "old", true), !done);
	assert_int_equal(teststore_archived(t, "task", true), done);
	free(a);
	free(b);
	free(old);
}

static void all_parts_at_once(void **state)
{
	struct teststore t;
	struct err err;

	(void)state;
	make(&t);
	check(&t, false);
	assert_int_equal(run(&t, &err), 0);
	check(&t, true);
	/* What was taken out can be had back: the line is no archived entry. */
	assert_int_equal(teststore_archived(&t, "b", true), 0);
	assert_true(record_of(t.store, "b")->record.undo);
	teststore_close(&t);
}

/* Is it done, or not? Another process finishes what was written down. */
static void settle(struct teststore *t)
{
	fake_sys_reset(TESTSTORE_NOW);
	teststore_reopen(t);
	assert_int_equal(teststore_set(t, CATEGORY_PATTERNS, "next", "1", NULL), ERR_NONE);
}

/* Whatever fails, it is done or it is not. */
static void each_call_fails(void **state)
{
	(void)state;
	for (unsigned int n = 1;; n++) {
		struct teststore t;
		struct err err;
		int result;
		char *a;

		make(&t);
		fake_sys_quiet(true);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = run(&t, &err);
		if (fake_sys_hits() == 0) {
			assert_int_equal(result, 0);
			teststore_close(&t);
			break;
		}
		settle(&t);
		a = teststore_value(&t, CATEGORY_STATE, "a");
		check(&t, a != NULL);
		assert_true(result != 0 || a);
		free(a);
		teststore_close(&t);
	}
}

/* While the archive has no room: the record must not go to the cold archive and stay known. */
static void a_record_that_goes_is_not_moved_aside(void **state)
{
	STR_AUTO large = STR_INIT;
	struct teststore t;
	struct err err;

	(void)state;
	make(&t);
	str_printf(&large, "{\"value\":\"%0500d\"}", 0);
	tmpdir_write(&t.dir, "config.json", "{\"limits\":{\"total_bytes\":1200}}");
	assert_int_equal(run_with(&t, large.ptr, &err), 0);
	check(&t, true);
	assert_int_equal(teststore_archived(&t, "task", false), 0);
	teststore_close(&t);
}

/* Long idle by its times, and yet it does not expire. */
static void what_is_put_back_counts_as_active(void **state)
{
	static const char *const ancient =
		"{\"value\":1,\"created_at\":\"2020-01-01T00:00:00.000Z\","
		"\"last_updated\":\"2020-01-01T00:00:00.000Z\"}";
	struct teststore t;
	struct change *change;
	struct err err;
	char *value;

	(void)state;
	make(&t);
	assert_int_equal(change_begin(&change, t.store, &meta, fake_sys_now(), &err), 0);
	undo_begin(change);
	assert_int_equal(change_put(change, CATEGORY_STATE, slice_of("c"), slice_of(ancient), &err),
			 0);
	assert_int_equal(change_commit(change, NULL, &err), 0);
	change_end(change);
	teststore_reopen(&t);
	value = teststore_value(&t, CATEGORY_STATE, "c");
	assert_non_null(value);
	free(value);
	teststore_close(&t);
}

static void a_broken_archive_stops_it(void **state)
{
	struct teststore t;
	struct err err;

	(void)state;
	make(&t);
	tmpdir_write(&t.dir, "archive.json", "{");
	assert_int_equal(run(&t, &err), -1);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_parts_at_once),
		cmocka_unit_test(each_call_fails),
		cmocka_unit_test(a_record_that_goes_is_not_moved_aside),
		cmocka_unit_test(what_is_put_back_counts_as_active),
		cmocka_unit_test(a_broken_archive_stops_it),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("takeback", tests, NULL, NULL);
}
