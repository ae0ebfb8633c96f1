#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/txn/apply.h"

#include "base/map.h"
#include "support/fake_sys.h"
#include "support/opstore.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where nothing can be archived a change is refused before it is committed. */
static void test_bad_cold_archive(void **state)
{
	static const char *const links[] = {"nowhere", "other", ".kota"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct opstore store;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_several);
		assert_int_equal(mkdirat(store.dir.fd, "other", 0700), 0);
		assert_int_equal(symlinkat(links[i], store.dir.fd, "archive.cold"), 0);
		opstore_check_fails(&store, opstore_several, "/archive.cold must be a directory");
		assert_false(tmpdir_has(&store.dir, ".journal"));
		assert_int_equal(unlinkat(store.dir.fd, "archive.cold", 0), 0);
		assert_int_equal(opstore_state(&store), OPSTORE_OLD);
		opstore_run(&store, opstore_several);
		assert_int_equal(opstore_state(&store), OPSTORE_NEW);
		tmpdir_remove(&store.dir);
	}
}

static void link_cold(void *arg)
{
	const struct opstore *store = arg;

	assert_int_equal(symlinkat("nowhere", store->dir.fd, "archive.cold"), 0);
}

/* Behind the commit point the change waits, and the message says what to do. */
static void test_cold_archive_that_turns_bad(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	fake_sys_before(FAKE_RENAMEAT2, 1, link_cold, &store);
	opstore_check_fails(&store, opstore_several, "will be finished later");
	opstore_check_fails(
		&store, NULL,
		"/archive.cold must be a directory of your own, not a link or a file: move");
	assert_int_equal(unlinkat(store.dir.fd, "archive.cold", 0), 0);
	opstore_run(&store, NULL);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

static size_t set_mood(struct op ops[4])
{
	ops[0] = (struct op){
		.kind = OP_PUT,
		.category = CATEGORY_STATE,
		.key = slice_of("mood"),
		.text = slice_of("\"bad\""),
		.before = hash64(slice_of("\"good\"")),
	};
	return 1;
}

/* A broken file holds up its own part of an interrupted change and nothing else. */
static void test_redo_beside_a_broken_file(void **state)
{
	struct opstore store;
	int status;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	fake_sys_die(FAKE_MKDIRAT, 1, 99);
	status = fake_sys_in_child(opstore_change_in_child, &store);
	assert_int_equal(status, 99);
	fake_sys_reset(OPSTORE_NOW);
	tmpdir_write(&store.dir, "preferences.json", "{\"editor\":");
	opstore_run(&store, NULL);
	opstore_check(&store, "state.json", NEW_STATE);
	opstore_check(&store, "archive.json", NEW_ARCHIVE);
	opstore_check(&store, "preferences.json", "{\"editor\":");
	opstore_run(&store, set_mood);
	opstore_check_fails(&store, opstore_several, "/preferences.json can be read");
	/* What was archived is not archived again after somebody has taken it away. */
	tmpdir_write(&store.dir, "archive.json", "{}\n");
	opstore_run(&store, NULL);
	opstore_check(&store, "archive.json", "{}\n");
	tmpdir_write(&store.dir, "preferences.json", OLD_PREFERENCES);
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json", NEW_PREFERENCES);
	opstore_check(&store, "state.json", "{\n  \"mood\": \"bad\"\n}\n");
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

/* What is in the place of a twin stops changes of its own file, before they are committed. */
static void test_hostile_twins(void **state)
{
	static const char *const names[] = {".preferences.json.prev", ".preferences.json.tmp"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct opstore store;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_several);
		if (i < 2)
			assert_int_equal(mkdirat(store.dir.fd, names[i], 0700), 0);
		else
			assert_int_equal(symlinkat("state.json", store.dir.fd, names[0]), 0);
		opstore_check_fails(&store, opstore_single, i == 1 ? "directory" : "regular file");
		opstore_check_fails(&store, opstore_several, ": remove it");
		assert_false(tmpdir_has(&store.dir, ".journal"));
		assert_int_equal(opstore_state(&store), OPSTORE_OLD);
		opstore_run(&store, set_mood);
		opstore_check(&store, "state.json",
			      "{\n  \"task\": \"build\",\n  \"mood\": \"bad\"\n}\n");
		opstore_check(&store, "preferences.json", OLD_PREFERENCES);
		tmpdir_remove(&store.dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_cold_archive),
		cmocka_unit_test(test_cold_archive_that_turns_bad),
		cmocka_unit_test(test_redo_beside_a_broken_file),
		cmocka_unit_test(test_hostile_twins),
	};
	int result;

	setenv("TZ", "UTC0", 1);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	fake_sys_release();
	return result;
}
