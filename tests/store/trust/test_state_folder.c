#include "store/trust/state_folder.h"

#include "base/file.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 8
#define RECORDS 10

static struct tmpdir dir;
static char home[PATH_MAX + 64];
static char xdg[PATH_MAX + 64];
static struct err err;

/* An environment of these two variables; an empty one is unset. */
static const char *env(const char *name)
{
	if (strcmp(name, "HOME") == 0)
		return home[0] ? home : NULL;
	if (strcmp(name, "XDG_STATE_HOME") == 0)
		return xdg[0] ? xdg : NULL;
	return NULL;
}

static const char *at(const char *name)
{
	static char path[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/%s", dir.path, name);
	return path;
}

static int set_up(void **unused)
{
	(void)unused;
	tmpdir_make(&dir);
	fake_sys_reset(1000);
	fake_sys_root(dir.path);
	assert_int_equal(mkdirat(dir.fd, "home", 0700), 0);
	snprintf(home, sizeof home, "%s/home", dir.path);
	xdg[0] = '\0';
	err_clear(&err);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	fake_sys_release();
	tmpdir_remove(&dir);
	return 0;
}

static void make_folder(const char *name, mode_t mode)
{
	assert_int_equal(mkdirat(dir.fd, name, 0700), 0);
	assert_int_equal(fchmodat(dir.fd, name, mode, 0), 0);
}

static int open_with(const char *work_tree, bool make, int *fd)
{
	*fd = -7;
	return state_folder_open(fake_sys(), env, work_tree, make, fd, &err);
}

/* Opens, makes it, and says whether it is the folder of this name. */
static void assert_opens(const char *work_tree, const char *name)
{
	struct stat opened;
	struct stat named;
	int fd;

	assert_int_equal(open_with(work_tree, true, &fd), 0);
	assert_int_equal(fstat(fd, &opened), 0);
	assert_int_equal(fstatat(dir.fd, name, &named, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(opened.st_ino, named.st_ino);
	assert_int_equal(opened.st_mode & 07777, 0700);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void assert_none(const char *work_tree, const char *why)
{
	int fd;

	assert_int_equal(open_with(work_tree, true, &fd), -1);
	assert_int_equal(fd, -7);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
	assert_memory_equal(err.text, "there is no folder for kota's state: ", 37);
}

static void test_path(void **unused)
{
	char *path;

	(void)unused;
	snprintf(home, sizeof home, "/h/");
	path = state_folder_path(env);
	assert_string_equal(path, "/h/.local/state/kota-memory");
	free(path);
	snprintf(xdg, sizeof xdg, "/x");
	path = state_folder_path(env);
	assert_string_equal(path, "/x/kota-memory");
	free(path);
	snprintf(xdg, sizeof xdg, "relative");
	path = state_folder_path(env);
	assert_string_equal(path, "/h/.local/state/kota-memory");
	free(path);
	xdg[0] = '\0';
	home[0] = '\0';
	assert_null(state_folder_path(env));
}

static void test_reading_makes_nothing(void **unused)
{
	int fd;

	(void)unused;
	assert_int_equal(open_with(NULL, false, &fd), 0);
	assert_int_equal(fd, -1);
	assert_false(tmpdir_has(&dir, "home/.local"));
	make_folder("home/.local", 0755);
	make_folder("home/.local/state", 0755);
	assert_int_equal(open_with(NULL, false, &fd), 0);
	assert_int_equal(fd, -1);
	assert_opens(NULL, "home/.local/state/kota-memory");
	assert_int_equal(open_with(NULL, false, &fd), 0);
	assert_true(fd >= 0);
	close(fd);
}

/* Each folder on the way is durable before the next is made, whatever the umask. */
static void test_makes_all_of_it(void **unused)
{
	mode_t before = umask(0277);

	(void)unused;
	assert_opens(NULL, "home/.local/state/kota-memory");
	umask(before);
	assert_true(fake_sys_at(FAKE_FSYNC, "home/.local/state", 0) != SIZE_MAX);
	assert_true(fake_sys_at(FAKE_FSYNC, "home/.local", 0) <
		    fake_sys_at(FAKE_MKDIRAT, "home/.local/state/kota-memory", 0));
	assert_true(fake_sys_at(FAKE_FSYNC, "home", 0) <
		    fake_sys_at(FAKE_MKDIRAT, "home/.local/state", 0));
}

static void test_xdg_comes_first(void **unused)
{
	(void)unused;
	make_folder("x", 0700);
	snprintf(xdg, sizeof xdg, "%s/x//", dir.path);
	assert_opens(NULL, "x/kota-memory");
	assert_false(tmpdir_has(&dir, "home/.local"));
	snprintf(xdg, sizeof xdg, "%s/x/a/b", dir.path);
	assert_opens(NULL, "x/a/b/kota-memory");
}

/* By itself, or as the nearest folder that exists. */
static void test_xdg_of_others_is_passed_over(void **unused)
{
	const char *const places[] = {"x", "x/not/there"};

	(void)unused;
	make_folder("x", 0770);
	for (int i = 0; i < 4; i++) {
		snprintf(xdg, sizeof xdg, "%s/%s", dir.path, places[i % 2]);
		assert_int_equal(fchmodat(dir.fd, "x", i < 2 ? 0770 : 0707, 0), 0);
		assert_opens(NULL, "home/.local/state/kota-memory");
	}
	snprintf(xdg, sizeof xdg, "x");
	assert_opens(NULL, "home/.local/state/kota-memory");
	assert_int_equal(fchmodat(dir.fd, "x", 0700, 0), 0);
	if (geteuid() == 0) {
		assert_int_equal(fchownat(dir.fd, "x", 12345, 0, 0), 0);
		snprintf(xdg, sizeof xdg, "%s/x", dir.path);
		assert_opens(NULL, "home/.local/state/kota-memory");
		home[0] = '\0';
		assert_none(NULL, "x belongs to another user (12345)");
	}
	assert_false(tmpdir_has(&dir, "x/kota-memory"));
}

/* Also by a link from elsewhere, and where nothing is made yet. */
static void test_xdg_in_the_work_tree_is_passed_over(void **unused)
{
	char tree[PATH_MAX + 64];

	(void)unused;
	make_folder("tree", 0700);
	make_folder("tree/state", 0700);
	snprintf(tree, sizeof tree, "%s", at("tree"));
	assert_int_equal(symlinkat("tree/state", dir.fd, "way_in"), 0);
	snprintf(xdg, sizeof xdg, "%s/way_in", dir.path);
	assert_opens(tree, "home/.local/state/kota-memory");
	snprintf(xdg, sizeof xdg, "%s/tree/state", dir.path);
	assert_opens(tree, "home/.local/state/kota-memory");
	snprintf(xdg, sizeof xdg, "%s/tree/not/there", dir.path);
	assert_opens(tree, "home/.local/state/kota-memory");
	snprintf(xdg, sizeof xdg, "%s/tree", dir.path);
	assert_opens(tree, "home/.local/state/kota-memory");
	assert_false(tmpdir_has(&dir, "tree/kota-memory"));
	assert_false(tmpdir_has(&dir, "tree/state/kota-memory"));
	assert_false(tmpdir_has(&dir, "tree/not"));
	home[0] = '\0';
	assert_none(tree, "lies in the work tree");
	/* Beside the tree it counts, also by a link that is in the tree. */
	make_folder("beside", 0700);
	assert_int_equal(symlinkat("../beside", dir.fd, "tree/way_out"), 0);
	snprintf(xdg, sizeof xdg, "%s/tree/way_out", dir.path);
	assert_opens(tree, "beside/kota-memory");
}

/* A home that is a work tree itself, as many keep theirs, is a home all the same. */
static void test_home_under_version_control(void **unused)
{
	(void)unused;
	assert_opens(home, "home/.local/state/kota-memory");
	snprintf(xdg, sizeof xdg, "%s/home/.local/state", dir.path);
	assert_opens(home, "home/.local/state/kota-memory");
}

static void test_no_folder_at_all(void **unused)
{
	(void)unused;
	home[0] = '\0';
	assert_none(NULL, "HOME is not set");
	snprintf(home, sizeof home, "home");
	assert_none(NULL, "HOME is not set");
	snprintf(home, sizeof home, "%s/home", dir.path);
	assert_int_equal(fchmodat(dir.fd, "home", 0777, 0), 0);
	assert_none(NULL, "can be written by others: chmod go-w");
}

static void test_ours_must_be_ours(void **unused)
{
	(void)unused;
	make_folder("x", 0700);
	make_folder("elsewhere", 0700);
	snprintf(xdg, sizeof xdg, "%s/x", dir.path);
	home[0] = '\0';
	assert_int_equal(symlinkat("../elsewhere", dir.fd, "x/kota-memory"), 0);
	assert_none(NULL, "kota-memory is not a folder");
	assert_int_equal(unlinkat(dir.fd, "x/kota-memory", 0), 0);
	tmpdir_write(&dir, "x/kota-memory", "");
	assert_none(NULL, "kota-memory is not a folder");
	assert_int_equal(unlinkat(dir.fd, "x/kota-memory", 0), 0);
	make_folder("x/kota-memory", 0720);
	assert_none(NULL, "x/kota-memory can be written by others");
	/* A mode of the person's own is left alone. */
	assert_int_equal(fchmodat(dir.fd, "x/kota-memory", 0700, 0), 0);
	assert_opens(NULL, "x/kota-memory");
	assert_int_equal(fchmodat(dir.fd, "x/kota-memory", 0750, 0), 0);
	int fd;
	assert_int_equal(open_with(NULL, true, &fd), 0);
	close(fd);
}

static void assert_reads(int fd, const char *name, const char *expected)
{
	STR_AUTO text = STR_INIT;
	bool found;

	assert_int_equal(state_file_read(fake_sys(), fd, name, 100, &text, &found, &err), 0);
	assert_int_equal(found, expected != NULL);
	assert_string_equal(text.ptr ? text.ptr : "", expected ? expected : "");
}

static int replace(const struct sys *sys, int fd, const char *name, const char *text,
		   struct err *why)
{
	return file_replace(sys, fd, name, slice_of(text), 0600, FILE_DURABLE, NULL, why);
}

static void test_files(void **unused)
{
	STR_AUTO text = STR_INIT;
	bool found;
	int lock = -1;
	int fd;

	(void)unused;
	assert_int_equal(open_with(NULL, true, &fd), 0);
	assert_int_equal(state_folder_lock(fake_sys(), fd, &lock, &err), 0);
	assert_reads(fd, "a", NULL);
	/* What a killed process left is in nobody's way. */
	tmpdir_write(&dir, "home/.local/state/kota-memory/.a.tmp", "half");
	assert_int_equal(replace(fake_sys(), fd, "a", "one", &err), 0);
	assert_reads(fd, "a", "one");
	fake_sys_clear_trace();
	assert_int_equal(replace(fake_sys(), fd, "a", "two", &err), 0);
	assert_reads(fd, "a", "two");
	assert_true(fake_sys_at(FAKE_FSYNC, "home/.local/state/kota-memory/.a.tmp", 0) <
		    fake_sys_at(FAKE_RENAMEAT2, NULL, 0));
	assert_true(fake_sys_at(FAKE_RENAMEAT2, NULL, 0) <
		    fake_sys_at(FAKE_FSYNC, "home/.local/state/kota-memory", 0));
	assert_int_equal(state_file_read(fake_sys(), fd, "a", 2, &text, &found, &err), -1);
	assert_int_equal(fchmodat(fd, "a", 0660, 0), 0);
	assert_int_equal(state_file_read(fake_sys(), fd, "a", 9, &text, &found, &err), -1);
	assert_non_null(strstr(err.text, "a can be written by others"));
	assert_int_equal(text.len, 0);
	assert_int_equal(symlinkat("a", fd, "link"), 0);
	assert_int_equal(state_file_read(fake_sys(), fd, "link", 9, &text, &found, &err), -1);
	state_folder_unlock(fake_sys(), &lock);
	assert_int_equal(lock, -1);
	close(fd);
}

/* Whatever call fails, the file is the old one or the new one. */
static void test_replacing_fails_whole(void **unused)
{
	int fd;
	unsigned n;

	(void)unused;
	assert_int_equal(open_with(NULL, true, &fd), 0);
	for (n = 1;; n++) {
		int result;
		char *text;

		fake_sys_reset(1000);
		tmpdir_write(&dir, "home/.local/state/kota-memory/a", "old");
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = replace(fake_sys(), fd, "a", "new", &err);
		if (fake_sys_hits() == 0)
			break;
		text = tmpdir_read(&dir, "home/.local/state/kota-memory/a");
		assert_true(strcmp(text, "new") == 0 || (result != 0 && strcmp(text, "old") == 0));
		free(text);
	}
	assert_true(n > 7);
	close(fd);
}

static void test_lock_waits_and_gives_up(void **unused)
{
	int first = -1;
	int second = -1;
	int fd;

	(void)unused;
	assert_int_equal(open_with(NULL, true, &fd), 0);
	assert_int_equal(state_folder_lock(fake_sys(), fd, &first, &err), 0);
	assert_int_equal(state_folder_lock(fake_sys(), fd, &second, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(second, -1);
	assert_in_range(fake_sys_now(), 6000, 6100);
	/* The lock of a file that is gone is none. */
	assert_int_equal(unlinkat(fd, ".lock", 0), 0);
	assert_int_equal(state_folder_lock(fake_sys(), fd, &second, &err), 0);
	state_folder_unlock(fake_sys(), &first);
	state_folder_unlock(fake_sys(), &second);
	close(fd);
}

static void remove_lock(void *fd)
{
	assert_int_equal(unlinkat(*(int *)fd, ".lock", 0), 0);
}

/* Somebody removes the file between our opening and our locking it. */
static void test_lock_is_the_one_of_that_name(void **unused)
{
	int first = -1;
	int second = -1;
	int fd;

	(void)unused;
	assert_int_equal(open_with(NULL, true, &fd), 0);
	fake_sys_before(FAKE_FLOCK, 1, remove_lock, &fd);
	assert_int_equal(state_folder_lock(fake_sys(), fd, &first, &err), 0);
	assert_int_equal(state_folder_lock(fake_sys(), fd, &second, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	state_folder_unlock(fake_sys(), &first);
	close(fd);
}

/* Adds records of its own to what is there, each under the lock. */
static int add_records(void *id)
{
	for (int i = 0; i < RECORDS; i++) {
		STR_AUTO text = STR_INIT;
		bool found;
		int lock;
		int fd;

		if (state_folder_open(sys_real(), env, NULL, true, &fd, &err) != 0 ||
		    state_folder_lock(sys_real(), fd, &lock, &err) != 0 ||
		    state_file_read(sys_real(), fd, "list", 1 << 20, &text, &found, &err) != 0)
			return 1;
		str_printf(&text, "%d.%d\n", *(int *)id, i);
		if (replace(sys_real(), fd, "list", text.ptr, &err) != 0)
			return 1;
		state_folder_unlock(sys_real(), &lock);
		close(fd);
	}
	return 0;
}

static void test_processes_lose_nothing(void **unused)
{
	pid_t children[PROCESSES];
	size_t lines = 0;
	char *text;

	(void)unused;
	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(add_records(&i));
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	text = tmpdir_read(&dir, "home/.local/state/kota-memory/list");
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, PROCESSES * RECORDS);
	free(text);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_path),
		UNIT(test_reading_makes_nothing),
		UNIT(test_makes_all_of_it),
		UNIT(test_xdg_comes_first),
		UNIT(test_xdg_of_others_is_passed_over),
		UNIT(test_xdg_in_the_work_tree_is_passed_over),
		UNIT(test_home_under_version_control),
		UNIT(test_no_folder_at_all),
		UNIT(test_ours_must_be_ours),
		UNIT(test_files),
		UNIT(test_replacing_fails_whole),
		UNIT(test_lock_waits_and_gives_up),
		UNIT(test_lock_is_the_one_of_that_name),
		UNIT(test_processes_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
