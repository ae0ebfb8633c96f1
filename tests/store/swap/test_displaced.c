#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/swap/displaced.h"

#include "support/fake_sys.h"
#include "support/opstore.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A person saves: by rename, as most editors do. */
struct save {
	const struct opstore *store;
	const char *name;
	const char *text;
};

static void save_by_rename(void *arg)
{
	const struct save *save = arg;

	tmpdir_write(&save->store->dir, "editor.tmp", save->text);
	assert_int_equal(
		renameat(save->store->dir.fd, "editor.tmp", save->store->dir.fd, save->name), 0);
	tmpdir_write(&save->store->dir, "editor.saved", "");
}

static void test_edit_that_races(void **state)
{
	static const enum fake_call moments[] = {FAKE_FSYNC, FAKE_RENAMEAT2};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct opstore store;
		struct save save = {&store, "preferences.json",
				    "{\n\t\"editor\": \"vim\",\n\t\"theme\": \"light\", "
				    "\"mine\": 1.0\n}"};

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_single);
		fake_sys_before(moments[i], 1, save_by_rename, &save);
		opstore_run(&store, opstore_single);
		opstore_check(&store, "preferences.json",
			      "{\n\t\"editor\": {\n\t\t\"value\": \"emacs\"\n\t},\n"
			      "\t\"theme\": \"light\", \"mine\": 1.0\n}");
		opstore_check_tidy(&store);
		tmpdir_remove(&store.dir);
	}
}

/* Dies at each call while an edit races: the edit and, when acknowledged, the change are there. */
static void test_edit_that_races_dying(void **state)
{
	(void)state;
	for (unsigned n = 1;; n++) {
		struct opstore store;
		struct save save = {&store, "preferences.json",
				    "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n"};
		char *now;
		int status;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_single);
		fake_sys_before(FAKE_RENAMEAT2, 1, save_by_rename, &save);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(opstore_change_in_child, &store);
		fake_sys_reset(OPSTORE_NOW);
		opstore_run(&store, NULL);
		opstore_check_tidy(&store);
		now = tmpdir_read(&store.dir, "preferences.json");
		if (!strstr(now, "mine") && tmpdir_has(&store.dir, "editor.saved"))
			fail_msg("died at call %u: the edit is lost from %s", n, now);
		if (status == 0 && !strstr(now, "emacs"))
			fail_msg("the change is lost from %s", now);
		free(now);
		tmpdir_remove(&store.dir);
		if (status == 0)
			break;
	}
}

/* Two saves in a row, the second in the instant in which the exchange is taken back. */
static void test_two_edits_that_race(void **state)
{
	struct opstore store;
	struct save first = {&store, "preferences.json", "{\n  \"one\": 1,\n  \"theme\": 2\n}\n"};
	struct save second = {&store, "preferences.json",
			      "{\n  \"editor\": \"vim\",\n  \"two\": 2\n}\n"};

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	fake_sys_before(FAKE_RENAMEAT2, 1, save_by_rename, &first);
	fake_sys_before(FAKE_RENAMEAT2, 2, save_by_rename, &second);
	opstore_run(&store, opstore_single);
	opstore_check_tidy(&store);
	opstore_check(&store, "preferences.json",
		      "{\n  \"one\": 1,\n  \"theme\": 2,\n  \"two\": 2,\n"
		      "  \"editor\": {\n    \"value\": \"emacs\"\n  }\n}\n");
	tmpdir_remove(&store.dir);
}

/* A program that never stops saving: nothing is changed, and the message says so. */
static void test_edits_that_do_not_stop(void **state)
{
	struct opstore store;
	struct save saves[12];
	char texts[12][32];
	struct err err;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	for (unsigned i = 0; i < 12; i++) {
		snprintf(texts[i], sizeof texts[i], "{\"n\": %u}", i);
		saves[i] = (struct save){&store, "preferences.json", texts[i]};
		fake_sys_before(FAKE_FSYNC, i + 1, save_by_rename, &saves[i]);
	}
	assert_int_equal(opstore_change(&store, opstore_single, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	fake_sys_reset(OPSTORE_NOW);
	opstore_run(&store, NULL);
	opstore_check_tidy(&store);
	opstore_check(&store, "preferences.json", "{\"n\": 11}");
	tmpdir_remove(&store.dir);
}

static void test_edit_of_the_same_key_that_races(void **state)
{
	struct opstore store;
	struct save save = {&store, "preferences.json", "{\n  \"editor\": \"nano\"\n}\n"};

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	fake_sys_before(FAKE_FSYNC, 1, save_by_rename, &save);
	opstore_run(&store, opstore_single);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": {\n    \"value\": \"emacs\"\n  }\n}\n");
	opstore_check_cold(&store, "\"entry\":{\"value\":\"nano\"}");
	opstore_check_cold(&store, "\"reason\":\"replaced\"");
	tmpdir_remove(&store.dir);
}

/* An edit between reading and writing: the operation was made for another text. */
static void test_edit_before(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	tmpdir_write(&store.dir, "preferences.json", "{\"editor\":\"nano\"}");
	tmpdir_write(&store.dir, "state.json", "{\"task\":\"other\"}");
	opstore_run(&store, opstore_several);
	opstore_check(&store, "preferences.json", "{\"editor\":{\"value\":\"emacs\"}}");
	opstore_check(&store, "state.json", "{}");
	opstore_check_cold(&store, "\"entry\":{\"value\":\"nano\"}");
	opstore_check_cold(&store, "\"entry\":{\"value\":\"other\"}");
	tmpdir_remove(&store.dir);
}

static void test_broken_edit_that_races_is_put_back(void **state)
{
	struct opstore store;
	struct save save = {&store, "preferences.json", "{\n  \"editor\": \"nano\",\n}\n"};
	struct err err;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	fake_sys_before(FAKE_FSYNC, 1, save_by_rename, &save);
	assert_int_equal(opstore_change(&store, opstore_single, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_non_null(strstr(err.text, "/preferences.json:2:"));
	opstore_check(&store, "preferences.json", save.text);
	fake_sys_reset(OPSTORE_NOW);
	tmpdir_write(&store.dir, "preferences.json", "{\n  \"editor\": \"nano\"\n}\n");
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json", "{\n  \"editor\": \"nano\"\n}\n");
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

static void test_broken_file_is_not_touched(void **state)
{
	struct opstore store;
	struct err err;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	tmpdir_write(&store.dir, "state.json", "{\"task\": }");
	assert_int_equal(opstore_change(&store, opstore_several, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_non_null(strstr(err.text, "/state.json:1:10"));
	opstore_check(&store, "state.json", "{\"task\": }");
	opstore_check(&store, "preferences.json", OLD_PREFERENCES);
	opstore_check_tidy(&store);
	fake_sys_reset(OPSTORE_NOW);
	opstore_run(&store, opstore_single); /* the others go on working */
	opstore_check(&store, "preferences.json", NEW_PREFERENCES);
	tmpdir_write(&store.dir, "archive.json", "{\"state\":{}}");
	tmpdir_write(&store.dir, "state.json", OLD_STATE);
	assert_int_equal(opstore_change(&store, opstore_several, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	opstore_check(&store, "archive.json", "{\"state\":{}}");
	tmpdir_remove(&store.dir);
}

static void write_in_place(int fd, const char *text)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* An editor that had the file open writes to it in place after we have displaced it. */
static void edit_in_place(const struct opstore *store, const char *text)
{
	int fd = openat(store->dir.fd, "preferences.json", O_WRONLY);

	opstore_run(store, opstore_single);
	write_in_place(fd, text);
}

/* Two people at once: what one saved keeps its spacing when the other's text takes it in. */
static void test_merged_edits_keep_their_spacing(void **state)
{
	struct opstore store;
	struct save save = {&store, "preferences.json",
			    "{\"editor\" :  {\"value\":\"emacs\"}, \"b\" :  [1,  2,3.0,  9], "
			    "\"c\"  : {\"d\" :  1}}\n"};
	int fd;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	tmpdir_write(&store.dir, "preferences.json",
		     "{\"a\" :  { \"value\":1 }, \"editor\": \"vim\", \"b\":[1,  2,3.0]}\n");
	fd = openat(store.dir.fd, "preferences.json", O_WRONLY);
	opstore_run(&store, opstore_single);
	save_by_rename(&save);
	write_in_place(
		fd,
		"{\"a\" :  { \"value\":1 }, \"editor\": \"vim\", \"b\":[1,  2,3.0], \"e\": 5}\n");
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json",
		      "{\"editor\" :  {\"value\":\"emacs\"}, \"b\" :  [1,  2,3.0,  9], \"e\": 5, "
		      "\"c\"  : {\"d\" :  1}}\n");
	tmpdir_remove(&store.dir);
}

static void test_edit_in_place_of_the_displaced_file(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	edit_in_place(&store, "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n");
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": {\"value\": \"emacs\"},\n  \"mine\": 1\n}\n");
	opstore_check_tidy(&store);
	opstore_run(&store, NULL);
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

static void test_edit_in_place_of_the_same_key(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	edit_in_place(&store,
		      "{\n  \"editor\": \"nano\",\n  \"theme\": {\"value\": \"dark\"}\n}\n");
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": \"nano\",\n  \"theme\": {\"value\": \"dark\"}\n}\n");
	opstore_check_cold(&store, "emacs");
	tmpdir_remove(&store.dir);
}

static void test_edit_in_place_dying(void **state)
{
	(void)state;
	for (unsigned n = 1;; n++) {
		struct opstore store;
		int status;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_single);
		edit_in_place(&store, "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n");
		fake_sys_reset(OPSTORE_NOW);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(opstore_change_in_child, &store);
		fake_sys_reset(OPSTORE_NOW);
		opstore_run(&store, NULL);
		opstore_check(&store, "preferences.json",
			      "{\n  \"editor\": {\"value\": \"emacs\"},\n  \"mine\": 1\n}\n");
		tmpdir_remove(&store.dir);
		if (status == 0)
			break;
	}
}

static void test_broken_edit_in_place_is_kept(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	edit_in_place(&store, "{\"editor\": ");
	opstore_run(&store, NULL);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	opstore_check(&store, ".preferences.json.prev-broken", "{\"editor\": ");
	tmpdir_remove(&store.dir);
}

/* An editor that has had the file open for long saves in place. */
struct slow {
	int fd;
	const char *text;
};

static void save_in_place(void *arg)
{
	const struct slow *slow = arg;

	write_in_place(slow->fd, slow->text);
}

/* The displaced file of the change before is written to while the next change is under way. */
static void test_edit_in_place_in_the_last_instant(void **state)
{
	struct opstore store;
	struct slow save = {.text = "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n"};

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	save.fd = openat(store.dir.fd, "preferences.json", O_WRONLY);
	opstore_run(&store, opstore_single);
	tmpdir_write(&store.dir, "preferences.json", OLD_PREFERENCES);
	fake_sys_before(FAKE_RENAMEAT2, 1, save_in_place, &save);
	opstore_run(&store, opstore_single);
	opstore_run(&store, NULL);
	opstore_check_tidy(&store);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": {\"value\": \"emacs\"},\n  \"mine\": 1\n}\n");
	tmpdir_remove(&store.dir);
}

/* An editor has cut the displaced file and writes it much later. */
static void test_cut_displaced_file(void **state)
{
	struct opstore store;
	int fd;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	fd = openat(store.dir.fd, "preferences.json", O_WRONLY);
	opstore_run(&store, opstore_single);
	assert_int_equal(ftruncate(fd, 0), 0);
	opstore_run(&store, NULL);
	assert_int_equal(opstore_state(&store), OPSTORE_NEW);
	assert_int_equal(write(fd, "{\"mine\":1}", 10), 10);
	close(fd);
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json",
		      "{\"mine\":1,\"editor\": {\"value\": \"emacs\"}}");
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

/*
 * In another boot the displaced file is known by its inode and the time at which that was made;
 * where nobody says that time, what differs is kept, not merged.
 */
static void test_edit_before_a_power_cut(void **state)
{
	static const char edited[] = "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n";
	struct opstore store;

	(void)state;
	for (int born = 0; born < 2; born++) {
		fake_sys_reset(OPSTORE_NOW);
		if (!born)
			fake_sys_fail(FAKE_STATX, 1, ENOSYS, FAKE_ALWAYS);
		opstore_make(&store, opstore_single);
		edit_in_place(&store, edited);
		/* The kernel does not say which boot this is. */
		fake_sys_short(FAKE_READ, 1, 0, FAKE_ALWAYS);
		opstore_run(&store, NULL);
		assert_int_equal(tmpdir_has(&store.dir, ".preferences.json.orphan"), !born);
		if (born) {
			opstore_check(&store, "preferences.json",
				      "{\n  \"editor\": {\"value\": \"emacs\"},\n"
				      "  \"mine\": 1\n}\n");
		} else {
			assert_int_equal(opstore_state(&store), OPSTORE_NEW);
			opstore_check(&store, ".preferences.json.orphan", edited);
		}
		tmpdir_remove(&store.dir);
	}
}

/*
 * What was put in the place of the displaced file by whoever copies or restores files, as another
 * file or into the same one.
 */
static void test_restored_displaced_file(void **state)
{
	static const char older[] = "{\n  \"editor\": \"ed\"\n}\n";
	static const struct timespec times[2] = {{.tv_sec = 1700000000}, {.tv_sec = 1700000000}};
	static const char prev[] = ".preferences.json.prev";

	(void)state;
	for (int in_place = 0; in_place < 2; in_place++) {
		struct opstore store;

		fake_sys_reset(OPSTORE_NOW);
		opstore_make(&store, opstore_single);
		opstore_run(&store, opstore_single);
		if (in_place) {
			int fd = openat(store.dir.fd, prev, O_WRONLY | O_TRUNC);

			assert_int_equal(write(fd, older, strlen(older)), (ssize_t)strlen(older));
			assert_int_equal(futimens(fd, times), 0);
			close(fd);
		} else {
			tmpdir_write(&store.dir, "restored", older);
			assert_int_equal(renameat(store.dir.fd, "restored", store.dir.fd, prev), 0);
		}
		opstore_run(&store, NULL);
		assert_int_equal(opstore_state(&store), OPSTORE_NEW);
		opstore_check(&store, ".preferences.json.orphan", older);
		tmpdir_remove(&store.dir);
	}
}

/* A failure of the moment does not turn files of this boot into strangers. */
static void test_boot_that_cannot_be_read_at_the_moment(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	opstore_run(&store, opstore_single);
	fake_sys_fail(FAKE_READ, 1, EIO, FAKE_ONCE);
	opstore_check_fails(&store, NULL, "boot_id: Input/output error");
	fake_sys_reset(OPSTORE_NOW);
	fake_sys_short(FAKE_READ, 1, 7, FAKE_ALWAYS);
	opstore_run(&store, NULL);
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

/* Without a note of this boot nothing is merged, and nothing that is complete is destroyed. */
static void test_twins_of_unknown_origin(void **state)
{
	struct opstore store;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	tmpdir_write(&store.dir, ".preferences.json.tmp", "{\"half\":");
	tmpdir_write(&store.dir, ".preferences.json.prev", "{\"editor\":\"ed\"}");
	tmpdir_write(&store.dir, ".state.json.tmp", "{\"task\":\"x\"}");
	tmpdir_write(&store.dir, ".archive.json.prev", "{");
	opstore_run(&store, NULL);
	opstore_check(&store, ".preferences.json.orphan", "{\"editor\":\"ed\"}");
	opstore_check(&store, ".state.json.orphan", "{\"task\":\"x\"}");
	opstore_check(&store, ".archive.json.prev-broken", "{");
	assert_false(tmpdir_has(&store.dir, ".preferences.json.tmp"));
	assert_int_equal(opstore_state(&store), OPSTORE_OLD);
	tmpdir_remove(&store.dir);
}

static void test_edit_after_a_crash_stays(void **state)
{
	struct opstore store;
	int status;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_several);
	/* The journal is there, no file is changed yet. */
	fake_sys_die(FAKE_MKDIRAT, 1, 99);
	status = fake_sys_in_child(opstore_change_in_child, &store);
	assert_int_equal(status, 99);
	assert_true(tmpdir_has(&store.dir, ".journal"));
	tmpdir_write(&store.dir, "preferences.json", "{\n  \"editor\": \"nano\"\n}\n");
	fake_sys_reset(OPSTORE_NOW);
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json", "{\n  \"editor\": \"nano\"\n}\n");
	opstore_check(&store, "state.json", NEW_STATE);
	opstore_check(&store, "archive.json", NEW_ARCHIVE);
	opstore_check_cold(&store, "emacs");
	tmpdir_remove(&store.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit_that_races),
		cmocka_unit_test(test_edit_that_races_dying),
		cmocka_unit_test(test_two_edits_that_race),
		cmocka_unit_test(test_edits_that_do_not_stop),
		cmocka_unit_test(test_edit_in_place_in_the_last_instant),
		cmocka_unit_test(test_cut_displaced_file),
		cmocka_unit_test(test_edit_of_the_same_key_that_races),
		cmocka_unit_test(test_edit_before),
		cmocka_unit_test(test_broken_edit_that_races_is_put_back),
		cmocka_unit_test(test_broken_file_is_not_touched),
		cmocka_unit_test(test_edit_in_place_of_the_displaced_file),
		cmocka_unit_test(test_edit_in_place_of_the_same_key),
		cmocka_unit_test(test_merged_edits_keep_their_spacing),
		cmocka_unit_test(test_edit_in_place_dying),
		cmocka_unit_test(test_broken_edit_in_place_is_kept),
		cmocka_unit_test(test_edit_before_a_power_cut),
		cmocka_unit_test(test_restored_displaced_file),
		cmocka_unit_test(test_boot_that_cannot_be_read_at_the_moment),
		cmocka_unit_test(test_twins_of_unknown_origin),
		cmocka_unit_test(test_edit_after_a_crash_stays),
	};
	int result;

	setenv("TZ", "UTC0", 1);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	fake_sys_release();
	return result;
}
