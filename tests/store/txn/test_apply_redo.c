#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/txn/apply.h"

#include "base/map.h"
#include "support/fake_sys.h"
#include "support/opstore.h"
#include "support/surroundings.h"

#include <errno.h>
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

/* How many calls a process makes that does this undisturbed. */
static unsigned count_calls(const struct opstore *store, opstore_ops ops)
{
	fake_sys_clear_trace();
	opstore_run(store, ops);
	return (unsigned)fake_sys_count(FAKE_ANY);
}

static void make_store(struct opstore *store, bool keyless)
{
	STR_AUTO key = STR_INIT;

	fake_sys_reset(OPSTORE_NOW);
	opstore_make(store, opstore_several);
	str_printf(&key, "%s/kota-memory/key", surroundings_state_home());
	if (keyless)
		unlink(key.ptr);
}

/* Killed between the journal and the first of the files, or behind that; `fails` as a call's number
 * or 0. */
static void kill_changing(struct opstore *store, unsigned fails)
{
	if (fails)
		fake_sys_fail(FAKE_ANY, fails, EIO, FAKE_ONCE);
	fake_sys_die(FAKE_RENAMEAT2, fails ? 3 : 2, 99);
	fake_sys_in_child(opstore_change_in_child, store);
	fake_sys_reset(OPSTORE_NOW);
}

static void check_whole(const struct opstore *store, unsigned n)
{
	opstore_run(store, NULL);
	if (opstore_state(store) == OPSTORE_NEITHER)
		fail_msg("half done after call %u failed", n);
	if (tmpdir_has(&store->dir, ".journal.aside-1"))
		fail_msg("set aside after call %u failed", n);
	opstore_check_tidy(store);
}

/*
 * Whatever call fails for a moment, those for the key among them: who comes after a killed process
 * finishes its change or finds nothing of it.
 */
static void test_failures_before_a_kill(void **state)
{
	struct opstore store;

	(void)state;
	for (int keyless = 0; keyless < 2; keyless++) {
		unsigned calls;

		make_store(&store, keyless);
		calls = count_calls(&store, opstore_several);
		tmpdir_remove(&store.dir);
		for (unsigned n = 1; n <= calls; n++) {
			make_store(&store, keyless);
			kill_changing(&store, n);
			check_whole(&store, n);
			tmpdir_remove(&store.dir);
		}
	}
}

/* Likewise when they fail for the process that comes first, and another one comes then. */
static void test_failures_of_the_next(void **state)
{
	struct opstore store;
	unsigned calls;

	(void)state;
	make_store(&store, false);
	kill_changing(&store, 0);
	calls = count_calls(&store, NULL);
	tmpdir_remove(&store.dir);
	for (unsigned n = 1; n <= calls; n++) {
		struct err ignored;

		make_store(&store, false);
		kill_changing(&store, 0);
		assert_true(tmpdir_has(&store.dir, ".journal"));
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		(void)!opstore_change(&store, NULL, &ignored);
		fake_sys_reset(OPSTORE_NOW);
		check_whole(&store, n);
		assert_int_equal(opstore_state(&store), OPSTORE_NEW);
		tmpdir_remove(&store.dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failures_before_a_kill),
		cmocka_unit_test(test_failures_of_the_next),
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
