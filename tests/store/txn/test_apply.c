#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/txn/apply.h"

#include "base/map.h"
#include "model/archive_record.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/opstore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void test_single_change(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	opstore_run(&store, opstore_single);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	opstore_check(&store, ".preferences.json.prev", OLD_PREFERENCES);
	assert_int_equal(fake_sys_at(FAKE_RENAMEAT2, ".journal", 0), SIZE_MAX);
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

/* The file is durable under its temporary name before it is exchanged, the directory after. */
static void test_order_of_a_single_change(void **state)
{
	struct opstore store;
	size_t write;
	size_t sync;
	size_t exchange;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	opstore_run(&store, opstore_single);
	write = fake_sys_at(FAKE_WRITE, ".preferences.json.tmp", 0);
	sync = fake_sys_at(FAKE_FSYNC, ".preferences.json.tmp", write);
	exchange = fake_sys_at(FAKE_RENAMEAT2, "preferences.json", 0);
	assert_true(write < sync && sync < exchange && exchange != SIZE_MAX);
	assert_true(fake_sys_at(FAKE_PWRITE, ".lock", 0) < exchange);
	assert_true(fake_sys_at(FAKE_FSYNC, ".", exchange) != SIZE_MAX);
	tmpdir_remove(&store.dir);
}

static void test_order_of_several_files(void **state)
{
	struct opstore store;
	size_t named;
	size_t committed;
	size_t gone;
	size_t first;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	opstore_run(&store, opstore_several);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	opstore_check_tidy(&store);
	named = fake_sys_at(FAKE_RENAMEAT2, ".journal", 0);
	assert_true(fake_sys_at(FAKE_FSYNC, ".journal.tmp", 0) < named);
	committed = fake_sys_at(FAKE_FSYNC, ".", named);
	first = fake_sys_at(FAKE_MKDIRAT, "archive.cold", 0);
	assert_true(named < committed && committed < first && first != SIZE_MAX);
	assert_true(first < fake_sys_at(FAKE_RENAMEAT2, "archive.json", 0));
	assert_true(fake_sys_at(FAKE_RENAMEAT2, "archive.json", 0) <
		    fake_sys_at(FAKE_RENAMEAT2, "preferences.json", 0));
	gone = fake_sys_at(FAKE_UNLINKAT, ".journal", 0);
	assert_true(fake_sys_at(FAKE_RENAMEAT2, "state.json", 0) < gone && gone != SIZE_MAX);
	assert_true(fake_sys_at(FAKE_FSYNC, ".", gone) != SIZE_MAX);
	tmpdir_remove(&store.dir);
}

/* Each call fails once, or from then on: afterwards old or new, and new when it was acknowledged.
 */
static void fail_each(opstore_ops ops, int error, enum fake_times times)
{
	for (unsigned n = 1;; n++) {
		struct opstore store;
		struct err err;
		size_t hits;
		int result;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, ops);
		fake_sys_fail(FAKE_ANY, n, error, times);
		result = opstore_change(&store, ops, &err);
		hits = fake_sys_hits();
		fake_sys_reset(OPSTORE_NOW);
		if (result != 0 && !*err.text)
			fail_msg("call %u: no sentence", n);
		opstore_run(&store, NULL);
		opstore_check_tidy(&store);
		if (opstore_state(&store) != OPSTORE_NEW &&
		    (result == 0 || opstore_state(&store) == OPSTORE_NEITHER)) {
			char *cold = opstore_cold(&store);
			fail_msg("call %u errno %d result %d: %s; cold %s", n, error, result,
				 result ? err.text : "acknowledged", cold);
		}
		/* And the store goes on working. */
		opstore_run(&store, ops);
		if (opstore_state(&store) != OPSTORE_NEW)
			fail_msg("call %u errno %d: the next change", n, error);
		tmpdir_remove(&store.dir);
		if (hits == 0)
			break;
	}
}

static void test_failing_calls(void **state)
{
	(void)state;
	fail_each(opstore_single, EIO, FAKE_ONCE);
	fail_each(opstore_single, ENOSPC, FAKE_ALWAYS);
	fail_each(opstore_several, EIO, FAKE_ONCE);
	fail_each(opstore_several, ENOSPC, FAKE_ALWAYS);
}

static void test_interrupted_and_short_calls_are_not_seen(void **state)
{
	static const enum fake_call calls[] = {FAKE_WRITE, FAKE_PWRITE, FAKE_PREAD, FAKE_READ};

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct opstore store;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_several);
		fake_sys_short(calls[i], 1, 3, FAKE_ALWAYS);
		fake_sys_fail(calls[i], 2, EINTR, FAKE_ONCE);
		opstore_run(&store, opstore_several);
		assert_true(fake_sys_hits() > 0);
		fake_sys_reset(OPSTORE_NOW);
		assert_int_equal(opstore_state(&store), OPSTORE_NEW);
		tmpdir_remove(&store.dir);
	}
}

/* Dies at each call in turn; then recovers, dying at each of its calls in turn as well. */
static void die_each(opstore_ops ops)
{
	for (unsigned n = 1;; n++) {
		struct opstore store;
		int status;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, ops);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(opstore_change_in_child, &store);
		fake_sys_reset(OPSTORE_NOW);
		opstore_run(&store, NULL);
		opstore_check_tidy(&store);
		if (opstore_state(&store) == OPSTORE_NEITHER ||
		    (status == 0 && opstore_state(&store) == OPSTORE_OLD))
			fail_msg("died at call %u", n);
		opstore_run(&store, ops);
		if (opstore_state(&store) != OPSTORE_NEW)
			fail_msg("died at call %u: the next change", n);
		opstore_check_tidy(&store);
		tmpdir_remove(&store.dir);
		if (status == 0)
			break;
		assert_int_equal(status, 99);
	}
}

static void test_dying(void **state)
{
	(void)state;
	die_each(opstore_single);
	die_each(opstore_several);
}

static void test_dying_again_and_again(void **state)
{
	struct opstore store;
	unsigned n = 1;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	/* Every run comes one call further than the one before it. */
	for (;; n++) {
		int status;

		fake_sys_reset(OPSTORE_NOW);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(opstore_change_in_child, &store);
		if (status == 0)
			break;
		assert_int_equal(status, 99);
	}
	fake_sys_reset(OPSTORE_NOW);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

static void test_file_systems_without_exchange(void **state)
{
	static const int errors[] = {EINVAL, ENOSYS};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct opstore store;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_several);
		fake_sys_no_rename_flags(errors[i]);
		opstore_run(&store, opstore_several);
		assert_int_equal(opstore_state(&store), OPSTORE_NEW);
		opstore_check_tidy(&store);
		opstore_run(&store, NULL);
		assert_int_equal(opstore_state(&store), OPSTORE_NEW);
		opstore_check_tidy(&store);
		tmpdir_remove(&store.dir);
	}
}

static void test_preview(void **state)
{
	const struct json *docs[STORE_FILE_COUNT] = {NULL};
	size_t sizes[STORE_FILE_COUNT];
	struct json_fault fault;
	struct json preferences;
	struct json old_state;
	struct op ops[4];
	struct err err;

	(void)state;
	assert_int_equal(
		json_parse(&preferences, slice_of(OLD_PREFERENCES), &json_file_bounds, &fault), 0);
	assert_int_equal(json_parse(&old_state, slice_of(OLD_STATE), &json_file_bounds, &fault), 0);
	docs[CATEGORY_PREFERENCES] = &preferences;
	docs[CATEGORY_STATE] = &old_state;
	assert_int_equal(apply_preview(docs, ops, opstore_several(ops), sizes, &err), 0);
	assert_int_equal(sizes[CATEGORY_PREFERENCES], strlen(NEW_PREFERENCES));
	assert_int_equal(sizes[CATEGORY_STATE], strlen(NEW_STATE));
	assert_int_equal(sizes[STORE_FILE_ARCHIVE], strlen(NEW_ARCHIVE));
	assert_int_equal(sizes[CATEGORY_PATTERNS], APPLY_UNTOUCHED);
	json_release(&old_state);
	/* Lists that are none are left to apply_ops(), which says where they are. */
	assert_int_equal(
		json_parse(&old_state, slice_of("{\"state\":1}"), &json_file_bounds, &fault), 0);
	docs[STORE_FILE_ARCHIVE] = &old_state;
	docs[CATEGORY_STATE] = NULL;
	assert_int_equal(apply_preview(docs, ops, opstore_several(ops), sizes, &err), 0);
	assert_int_equal(sizes[STORE_FILE_ARCHIVE], APPLY_UNTOUCHED);
	json_release(&preferences);
	json_release(&old_state);
}

static void test_messages_name_the_file(void **state)
{
	struct opstore store;
	STR_AUTO path = STR_INIT;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	str_printf(&path, "%s/.preferences.json.prev is a FIFO", store.dir.path);
	assert_int_equal(mkfifoat(store.dir.fd, ".preferences.json.prev", 0600), 0);
	opstore_check_fails(&store, opstore_single, path.ptr);
	tmpdir_remove(&store.dir);
}

/* The deepest entry that can be read can be archived as well, also in the cold archive. */
static void test_deep_entries_can_be_archived(void **state)
{
	STR_AUTO value = STR_INIT;
	STR_AUTO file = STR_INIT;
	STR_AUTO record = STR_INIT;
	STR_AUTO line = STR_INIT;
	struct opstore store;
	struct disk disk;
	struct err err;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	for (int i = 0; i < 31; i++)
		str_addc(&value, '[');
	for (int i = 0; i < 31; i++)
		str_addc(&value, ']');
	str_printf(&file, "{\"deep\":%s}", value.ptr);
	tmpdir_write(&store.dir, "state.json", file.ptr);
	str_printf(&record,
		   "{\"key\":\"deep@1\",\"originalKey\":\"deep\",\"reason\":\"expiry\","
		   "\"entry\":{\"value\":%s}}",
		   value.ptr);
	record_compose_cold(&line, CATEGORY_STATE, str_slice(&record));
	{
		const struct change_meta meta = {.tool = NULL};
		const struct op ops[] = {
			{.kind = OP_REMOVE,
			 .category = CATEGORY_STATE,
			 .key = slice_of("deep"),
			 .before = hash64(str_slice(&value))},
			{.kind = OP_RECORD_ADD,
			 .category = CATEGORY_STATE,
			 .key = slice_of("deep@1"),
			 .text = str_slice(&record)},
			{.kind = OP_COLD_ADD,
			 .category = CATEGORY_STATE,
			 .key = slice_of("deep"),
			 .text = str_slice(&line),
			 .at_ms = OPSTORE_NOW},
		};

		assert_int_equal(disk_open(&disk, fake_sys(), store.dir.path, &err), 0);
		assert_int_equal(disk_lock(&disk, 0, &err), 0);
		if (apply_ops(&disk, ops, 3, &meta, OPSTORE_NOW, &err) != 0)
			fail_msg("%s", err.text);
	}
	opstore_check(&store, "state.json", "{}");
	opstore_check_cold(&store, value.ptr);
	disk_close(&disk);
	tmpdir_remove(&store.dir);
}

static void test_archive_of_another_shape(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	tmpdir_write(&store.dir, "archive.json", "{\n \"state\": {}}\n");
	opstore_check_fails(&store, opstore_several,
			    "/archive.json:2:11: \"state\" must be a list, in [ and ]");
	assert_false(tmpdir_has(&store.dir, ".journal"));
	assert_int_equal(unlinkat(store.dir.fd, "archive.json", 0), 0);
	assert_int_equal(opstore_state(&store), OPSTORE_OLD);
	tmpdir_remove(&store.dir);
}

static void stop(void *arg)
{
	(void)arg;
	raise(SIGTERM);
}

static int stopped_child(void *arg)
{
	struct opstore *store = arg;
	struct err err;
	sigset_t pending;

	/* Held back by the test as well, so that the child lives to tell. */
	sigemptyset(&pending);
	sigaddset(&pending, SIGTERM);
	fake_sys_before(FAKE_RENAMEAT2, 1, stop, NULL);
	signal(SIGTERM, _exit);
	opstore_change(store, store->ops, &err);
	return 3;
}

/* SIGTERM in the middle of a write is delivered when the change is done. */
static void test_signals_wait(void **state)
{
	struct opstore store;
	int status;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	status = fake_sys_in_child(stopped_child, &store);
	assert_int_equal(status, SIGTERM);
	fake_sys_reset(OPSTORE_NOW);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	assert_false(tmpdir_has(&store.dir, ".journal"));
	tmpdir_remove(&store.dir);
}

static size_t no_json(struct op ops[4])
{
	opstore_single(ops);
	ops[0].text = slice_of("{\"value\":");
	return 1;
}

static size_t no_json_in_several(struct op ops[4])
{
	size_t count = opstore_several(ops);

	ops[0].text = slice_of("{\"value\":");
	return count;
}

/* Deeper than a file may be, with what the file adds around it. */
static size_t too_deep(struct op ops[4])
{
	size_t count = opstore_several(ops);

	ops[0].text = slice_of(
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	return count;
}

static size_t record_alone(struct op ops[4])
{
	opstore_several(ops);
	ops[0] = ops[2];
	return 1;
}

/* A fault of the caller's reaches no file, whichever way the change goes. */
static void test_texts_that_are_not_to_be_stored(void **state)
{
	const struct json *docs[STORE_FILE_COUNT] = {NULL};
	size_t sizes[STORE_FILE_COUNT];
	struct opstore store;
	struct op ops[4];
	struct err err;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	opstore_check_fails(&store, no_json, "not valid JSON");
	opstore_check_fails(&store, no_json_in_several, "not valid JSON");
	opstore_check_fails(&store, too_deep, "the new text would not be readable: ");
	assert_int_equal(opstore_state(&store), OPSTORE_OLD);
	assert_false(tmpdir_has(&store.dir, ".journal"));
	assert_int_equal(apply_preview(docs, ops, no_json(ops), sizes, &err), -1);
	assert_int_equal(err.code, ERR_INTERNAL);
	/* The archive is the only file, and no list is where the record belongs. */
	tmpdir_write(&store.dir, "archive.json", "{\"state\":1}\n");
	opstore_check_fails(&store, record_alone, "/archive.json:1:10: \"state\" must be a list");
	opstore_check(&store, "archive.json", "{\"state\":1}\n");
	tmpdir_remove(&store.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_change),
		cmocka_unit_test(test_order_of_a_single_change),
		cmocka_unit_test(test_order_of_several_files),
		cmocka_unit_test(test_failing_calls),
		cmocka_unit_test(test_interrupted_and_short_calls_are_not_seen),
		cmocka_unit_test(test_dying),
		cmocka_unit_test(test_dying_again_and_again),
		cmocka_unit_test(test_file_systems_without_exchange),
		cmocka_unit_test(test_preview),
		cmocka_unit_test(test_messages_name_the_file),
		cmocka_unit_test(test_archive_of_another_shape),
		cmocka_unit_test(test_deep_entries_can_be_archived),
		cmocka_unit_test(test_texts_that_are_not_to_be_stored),
		cmocka_unit_test(test_signals_wait),
	};
	int result;

	setenv("TZ", "UTC0", 1);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	fake_sys_release();
	return result;
}
