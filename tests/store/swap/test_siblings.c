#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/swap/siblings.h"

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

static void write_in_place(int fd, const char *text)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* An editor that has had the file open for long saves in place. */
struct slow {
	int fd;
	const char *text;
};

/* An editor keeps the file open over many changes, is half-way at one of them, and saves at last.
 */
static void test_edit_in_place_over_many_changes(void **state)
{
	static const char edited[] = "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n";
	struct opstore store;
	int fd;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	fd = openat(store.dir.fd, "preferences.json", O_WRONLY);
	for (int i = 0; i < 5; i++) {
		opstore_run(&store, opstore_single);
		if (i == 2) {
			assert_int_equal(ftruncate(fd, 0), 0);
			assert_int_equal(write(fd, edited, 10), 10);
		}
		tmpdir_write(&store.dir, "preferences.json", OLD_PREFERENCES);
	}
	assert_true(tmpdir_has(&store.dir, ".preferences.json.held-1"));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	write_in_place(fd, edited);
	opstore_run(&store, opstore_single);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": {\n    \"value\": \"emacs\"\n  },\n  \"mine\": 1\n}\n");
	assert_false(tmpdir_has(&store.dir, ".preferences.json.held-1"));
	opstore_check_tidy(&store);
	tmpdir_remove(&store.dir);
}

/* The new text is taken back, and an editor has opened it in the instant in which it was there. */
static void open_new(void *arg)
{
	struct slow *slow = arg;

	slow->fd = open(slow->text, O_WRONLY);
	assert_true(slow->fd >= 0);
}

static void test_edit_of_what_was_taken_back(void **state)
{
	struct opstore store;
	struct save save = {&store, "preferences.json",
			    "{\n  \"editor\": \"vim\",\n  \"theirs\": 1\n}\n"};
	char path[PATH_MAX + 32];
	struct slow slow = {-1, path};

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	snprintf(path, sizeof path, "%s/preferences.json", store.dir.path);
	fake_sys_before(FAKE_RENAMEAT2, 1, save_by_rename, &save);
	fake_sys_before(FAKE_RENAMEAT2, 2, open_new, &slow);
	opstore_run(&store, opstore_single);
	write_in_place(slow.fd, "{\n  \"editor\": {\"value\": \"emacs\"},\n  \"theme\": "
				"{\"value\": \"dark\"},\n  \"mine\": 1\n}\n");
	opstore_run(&store, NULL);
	opstore_check_tidy(&store);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": {\n    \"value\": \"emacs\"\n  },\n  \"mine\": 1,\n  "
		      "\"theirs\": 1\n}\n");
	tmpdir_remove(&store.dir);
}

/* More editors at once than there are slots: no text is lost, the rest are kept for the person. */
static void test_more_editors_than_slots(void **state)
{
	static const char edited[] = "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n";
	struct opstore store;
	int fds[20];

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	for (int i = 0; i < 20; i++) {
		fds[i] = openat(store.dir.fd, "preferences.json", O_WRONLY);
		opstore_run(&store, opstore_single);
		tmpdir_write(&store.dir, "preferences.json", OLD_PREFERENCES);
	}
	assert_true(tmpdir_has(&store.dir, ".preferences.json.held-16"));
	assert_false(tmpdir_has(&store.dir, ".preferences.json.held-17"));
	assert_true(tmpdir_has(&store.dir, ".preferences.json.orphan"));
	write_in_place(fds[0], edited);
	for (int i = 1; i < 20; i++)
		close(fds[i]);
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json", "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n");
	assert_false(tmpdir_has(&store.dir, ".preferences.json.held-1"));
	assert_false(tmpdir_has(&store.dir, ".preferences.json.held-16"));
	tmpdir_remove(&store.dir);
}

/* Each power cut may leave the same text; it is kept once, and what the notes speak of not at all.
 */
static void test_what_power_cuts_leave_is_kept_once(void **state)
{
	static const char edited[] = "{\n  \"editor\": \"vim\",\n  \"mine\": 1\n}\n";
	struct opstore store;
	char *ours;

	(void)state;
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(&store, opstore_single);
	opstore_run(&store, opstore_single);
	ours = tmpdir_read(&store.dir, "preferences.json");
	fake_sys_short(FAKE_READ, 1, 0, FAKE_ALWAYS);
	for (int cut = 0; cut < 3; cut++) {
		tmpdir_write(&store.dir, ".preferences.json.tmp", edited);
		opstore_run(&store, NULL);
		tmpdir_write(&store.dir, ".preferences.json.prev", edited);
		opstore_run(&store, NULL);
		tmpdir_write(&store.dir, ".preferences.json.prev", "{");
		opstore_run(&store, NULL);
	}
	opstore_check(&store, ".preferences.json.orphan", edited);
	opstore_check(&store, ".preferences.json.prev-broken", "{");
	assert_false(tmpdir_has(&store.dir, ".preferences.json.orphan-2"));
	assert_false(tmpdir_has(&store.dir, ".preferences.json.prev-broken-2"));
	tmpdir_write(&store.dir, "preferences.json", edited);
	tmpdir_write(&store.dir, ".preferences.json.tmp", ours);
	opstore_run(&store, NULL);
	assert_false(tmpdir_has(&store.dir, ".preferences.json.tmp"));
	assert_false(tmpdir_has(&store.dir, ".preferences.json.orphan-2"));
	free(ours);
	tmpdir_remove(&store.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit_in_place_over_many_changes),
		cmocka_unit_test(test_edit_of_what_was_taken_back),
		cmocka_unit_test(test_more_editors_than_slots),
		cmocka_unit_test(test_what_power_cuts_leave_is_kept_once),
	};
	int result;

	setenv("TZ", "UTC0", 1);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	fake_sys_release();
	return result;
}
