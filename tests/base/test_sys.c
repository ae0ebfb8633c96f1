#include "base/sys.h"

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
#include <sys/file.h>
#include <unistd.h>

static struct tmpdir dir;

static int set_up(void **unused)
{
	(void)unused;
	tmpdir_make(&dir);
	fake_sys_reset(1000);
	fake_sys_root(dir.path);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	fake_sys_release();
	tmpdir_remove(&dir);
	return 0;
}

static void assert_file(const char *name, const char *expected)
{
	char *text = tmpdir_read(&dir, name);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_table_is_full(void **unused)
{
	void *entries[sizeof(struct sys) / sizeof(void *)];

	(void)unused;
	memcpy(entries, sys_real(), sizeof entries);
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		assert_non_null(entries[i]);
	memcpy(entries, fake_sys(), sizeof entries);
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		assert_non_null(entries[i]);
}

static void test_real_clock(void **unused)
{
	const struct sys *sys = sys_real();
	int64_t start = sys->now_ms();

	(void)unused;
	/* After 2020 and before 2200: milliseconds, neither seconds nor microseconds. */
	assert_true(start > INT64_C(1577836800000) && start < INT64_C(7258118400000));
	sys->sleep_ms(0);
	sys->sleep_ms(-5);
	sys->sleep_ms(1);
}

/* A way that leads out of the folder, or over a link, is refused where the caller says so. */
static void walk_narrowly(const struct sys *sys)
{
	struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC};
	int fd;

	assert_int_equal(sys->symlinkat("d", dir.fd, "to_d"), 0);
	fd = sys->openat2(dir.fd, "to_d", &how);
	assert_true(fd >= 0);
	assert_int_equal(sys->close(fd), 0);
	how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
	assert_int_equal(sys->openat2(dir.fd, "to_d", &how), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(sys->openat2(dir.fd, "d/../..", &how), -1);
	assert_int_equal(errno, EXDEV);
	fd = sys->openat2(dir.fd, "d", &how);
	assert_true(fd >= 0);
	assert_int_equal(sys->close(fd), 0);
	assert_int_equal(sys->unlinkat(dir.fd, "to_d", 0), 0);
}

/* Who the folder is, by both ways of asking; and bytes that are not all the same. */
static void walk_beside(const struct sys *sys)
{
	unsigned char noise[32] = {0};
	struct statx born;
	struct stat st;
	size_t zeros = 0;

	assert_int_equal(sys->fstat(dir.fd, &st), 0);
	assert_int_equal(sys->statx(dir.fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &born), 0);
	assert_int_equal(born.stx_ino, st.st_ino);
	assert_int_equal(sys->getrandom(noise, sizeof noise, 0), sizeof noise);
	for (size_t i = 0; i < sizeof noise; i++)
		zeros += noise[i] == 0;
	assert_true(zeros < sizeof noise / 2);
}

/* The folder by its own name; what is not there has none. */
static void walk_by_name(const struct sys *sys)
{
	char *real = sys->realpath(dir.path);

	assert_string_equal(real, dir.path);
	free(real);
	assert_null(sys->realpath("no/such/thing"));
	assert_int_equal(errno, ENOENT);
}

/* One walk through every call of a table, which must do the real thing. */
static void walk(const struct sys *sys)
{
	struct statvfs fs;
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct stat st;
	char buf[8] = "";
	DIR *stream;
	int names = 0;
	int fd = sys->openat(dir.fd, "a", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(sys->flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(sys->write(fd, "abcdef", 6), 6);
	assert_int_equal(sys->pwrite(fd, "X", 1, 1), 1);
	assert_int_equal(sys->pread(fd, buf, 3, 0), 3);
	assert_string_equal(buf, "aXc");
	assert_int_equal(sys->read(fd, buf, 3), 0);
	assert_int_equal(sys->ftruncate(fd, 2), 0);
	assert_int_equal(sys->fchmod(fd, 0640), 0);
	assert_int_equal(sys->fsync(fd), 0);
	assert_int_equal(sys->fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 2);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(sys->close(fd), 0);
	assert_int_equal(sys->mkdirat(dir.fd, "d", 0700), 0);
	walk_narrowly(sys);
	walk_beside(sys);
	walk_by_name(sys);
	assert_int_equal(sys->symlinkat("to", dir.fd, "link"), 0);
	assert_int_equal(sys->readlinkat(dir.fd, "link", buf, sizeof buf), 2);
	assert_int_equal(sys->fstatat(dir.fd, "link", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(sys->renameat2(dir.fd, "a", dir.fd, "b", 0), 0);
	fd = sys->openat(dir.fd, "b", O_RDONLY | O_CLOEXEC, 0);
	assert_int_equal(sys->lock_bytes(fd, F_OFD_GETLK, &lock), 0);
	assert_int_equal(lock.l_type, F_UNLCK);
	assert_int_equal(sys->lease(fd, F_RDLCK), 0);
	assert_int_equal(sys->lease(fd, F_UNLCK), 0);
	assert_int_equal(sys->close(fd), 0);
	stream = sys->fdopendir(sys->openat(dir.fd, ".", O_RDONLY | O_DIRECTORY, 0));
	assert_non_null(stream);
	while (sys->readdir(stream))
		names++;
	assert_int_equal(names, 5);
	assert_int_equal(sys->closedir(stream), 0);
	assert_int_equal(sys->fstatvfs(dir.fd, &fs), 0);
	/* A version, or -1 where there is none. */
	assert_int_not_equal(sys->landlock_version(), 0);
	assert_int_equal(sys->unlinkat(dir.fd, "b", 0), 0);
	assert_int_equal(sys->unlinkat(dir.fd, "d", AT_REMOVEDIR), 0);
	assert_int_equal(sys->unlinkat(dir.fd, "link", 0), 0);
	assert_int_equal(tmpdir_count(&dir), 0);
}

static void test_calls_do_the_real_thing(void **unused)
{
	(void)unused;
	walk(sys_real());
	walk(fake_sys());
	for (int call = 0; call < FAKE_SLEEP_MS; call++)
		assert_true(fake_sys_count((enum fake_call)call) > 0);
}

static enum file_use use_of(const char *name)
{
	STR_AUTO text = STR_INIT;
	enum file_use use = FILE_USE_UNKNOWN;
	struct file_id id;
	struct err err;

	assert_int_equal(file_read_use(fake_sys(), dir.fd, name, 9, &text, NULL, &id, &use, &err),
			 0);
	return use;
}

/* A descriptor that is open for writing is seen, also by the process that has it. */
static void test_lease(void **unused)
{
	int fd = openat(dir.fd, "a", O_WRONLY | O_CREAT, 0600);

	(void)unused;
	assert_int_equal(use_of("a"), FILE_USE_WRITTEN);
	close(fd);
	assert_int_equal(use_of("a"), FILE_USE_IDLE);
	/* The lease is given back: nobody who opens the file has to wait. */
	fd = openat(dir.fd, "a", O_WRONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	close(fd);
	fake_sys_fail(FAKE_LEASE, 1, EINVAL, FAKE_ONCE);
	assert_int_equal(use_of("a"), FILE_USE_UNKNOWN);
}

static void test_rename_flags(void **unused)
{
	const struct sys *sys = fake_sys();

	(void)unused;
	tmpdir_write(&dir, "a", "1");
	tmpdir_write(&dir, "b", "2");
	assert_int_equal(sys->renameat2(dir.fd, "a", dir.fd, "b", RENAME_EXCHANGE), 0);
	assert_file("a", "2");
	assert_int_equal(sys->renameat2(dir.fd, "a", dir.fd, "b", RENAME_NOREPLACE), -1);
	assert_int_equal(errno, EEXIST);
	fake_sys_no_rename_flags(EINVAL);
	assert_int_equal(sys->renameat2(dir.fd, "a", dir.fd, "b", RENAME_EXCHANGE), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(sys->renameat2(dir.fd, "a", dir.fd, "b", 0), 0);
	assert_file("b", "2");
}

static void test_clock_of_the_fake(void **unused)
{
	const struct sys *sys = fake_sys();

	(void)unused;
	assert_int_equal(sys->now_ms(), 1000);
	sys->sleep_ms(50);
	assert_int_equal(sys->now_ms(), 1050);
	fake_sys_set_now(7);
	assert_int_equal(sys->now_ms(), 7);
	assert_int_equal(fake_sys_trace(&(size_t){0})[0].flags, 50);
}

static void test_nth_call_fails(void **unused)
{
	const struct sys *sys = fake_sys();
	struct stat st;

	(void)unused;
	fake_sys_fail(FAKE_FSTAT, 2, EIO, FAKE_ONCE);
	fake_sys_fail(FAKE_FSYNC, 2, ENOSPC, FAKE_ALWAYS);
	assert_int_equal(sys->fstat(dir.fd, &st), 0);
	assert_int_equal(sys->fstat(dir.fd, &st), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(sys->fstat(dir.fd, &st), 0);
	assert_int_equal(sys->fsync(dir.fd), 0);
	for (int i = 0; i < 3; i++) {
		errno = 0;
		assert_int_equal(sys->fsync(dir.fd), -1);
		assert_int_equal(errno, ENOSPC);
	}
	assert_int_equal(fake_sys_hits(), 4);
}

static void test_any_counts_all_but_the_clock(void **unused)
{
	const struct sys *sys = fake_sys();
	struct stat st;

	(void)unused;
	fake_sys_fail(FAKE_ANY, 3, EIO, FAKE_ONCE);
	assert_int_equal(sys->fstat(dir.fd, &st), 0);
	sys->sleep_ms(1);
	sys->now_ms();
	assert_int_equal(sys->fsync(dir.fd), 0);
	assert_int_equal(sys->mkdirat(dir.fd, "d", 0700), -1);
	assert_false(tmpdir_has(&dir, "d"));
}

static void test_failed_close_closes(void **unused)
{
	const struct sys *sys = fake_sys();
	int fd = sys->openat(dir.fd, ".", O_RDONLY, 0);

	(void)unused;
	fake_sys_fail(FAKE_CLOSE, 1, EIO, FAKE_ONCE);
	assert_int_equal(sys->close(fd), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void test_readdir_tells_end_from_failure(void **unused)
{
	const struct sys *sys = fake_sys();
	DIR *stream = sys->fdopendir(sys->openat(dir.fd, ".", O_RDONLY | O_DIRECTORY, 0));

	(void)unused;
	fake_sys_fail(FAKE_READDIR, 2, EIO, FAKE_ONCE);
	assert_non_null(sys->readdir(stream));
	errno = 0;
	assert_null(sys->readdir(stream));
	assert_int_equal(errno, EIO);
	errno = 0;
	assert_non_null(sys->readdir(stream));
	assert_null(sys->readdir(stream));
	assert_int_equal(errno, 0);
	sys->closedir(stream);
}

static void test_short_transfers(void **unused)
{
	const struct sys *sys = fake_sys();
	int fd = sys->openat(dir.fd, "a", O_RDWR | O_CREAT, 0600);
	char buf[8];

	(void)unused;
	fake_sys_short(FAKE_WRITE, 1, 2, FAKE_ONCE);
	fake_sys_short(FAKE_PREAD, 2, 1, FAKE_ALWAYS);
	assert_int_equal(sys->write(fd, "abcd", 4), 2);
	assert_int_equal(sys->write(fd, "cd", 2), 2);
	assert_int_equal(sys->pread(fd, buf, 8, 0), 4);
	assert_int_equal(sys->pread(fd, buf, 8, 0), 1);
	assert_int_equal(sys->pread(fd, buf, 8, 0), 1);
	assert_int_equal(fake_sys_hits(), 3);
	sys->close(fd);
	assert_file("a", "abcd");
}

static void edit(void *name)
{
	tmpdir_write(&dir, name, "edited");
	/* Neither counted nor shown. */
	assert_int_equal(fake_sys()->mkdirat(dir.fd, "d", 0700), 0);
}

static void test_hook(void **unused)
{
	const struct sys *sys = fake_sys();
	char name[] = "a";
	struct stat st;

	(void)unused;
	fake_sys_before(FAKE_FSTATAT, 2, edit, name);
	fake_sys_fail(FAKE_MKDIRAT, 1, EIO, FAKE_ALWAYS);
	assert_int_equal(sys->fstatat(dir.fd, "a", &st, 0), -1);
	assert_int_equal(sys->fstatat(dir.fd, "a", &st, 0), 0);
	assert_int_equal(st.st_size, 6);
	assert_int_equal(fake_sys_count(FAKE_ANY), 2);
	assert_int_equal(fake_sys_hits(), 0);
	assert_true(tmpdir_has(&dir, "d"));
}

static void test_trace(void **unused)
{
	const struct sys *sys = fake_sys();
	int fd = sys->openat(dir.fd, "a.tmp", O_RDWR | O_CREAT, 0600);
	struct str text = STR_INIT;

	(void)unused;
	sys->write(fd, "x", 1);
	sys->fsync(fd);
	sys->close(fd);
	sys->renameat2(dir.fd, "a.tmp", dir.fd, "a", 0);
	sys->fsync(dir.fd);
	sys->unlinkat(dir.fd, "none", 0);
	fake_sys_print(&text);
	assert_string_equal(text.ptr, "openat a.tmp\nwrite a.tmp\nfsync a.tmp\nclose a.tmp\n"
				      "renameat2 a.tmp a\nfsync .\n"
				      "unlinkat none: No such file or directory\n");
	str_release(&text);
	assert_int_equal(fake_sys_at(FAKE_FSYNC, NULL, 0), 2);
	assert_int_equal(fake_sys_at(FAKE_FSYNC, ".", 0), 5);
	assert_int_equal(fake_sys_at(FAKE_ANY, "a", 0), 4);
	assert_int_equal(fake_sys_at(FAKE_FSYNC, NULL, 3), 5);
	assert_true(fake_sys_at(FAKE_FSYNC, "a", 0) == SIZE_MAX);
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 2);
	fake_sys_clear_trace();
	assert_int_equal(fake_sys_count(FAKE_ANY), 0);
}

static int write_two(void *unused)
{
	const struct sys *sys = fake_sys();

	(void)unused;
	sys->mkdirat(dir.fd, "first", 0700);
	sys->mkdirat(dir.fd, "second", 0700);
	return 3;
}

static void test_die(void **unused)
{
	(void)unused;
	fake_sys_die(FAKE_ANY, 2, 99);
	assert_int_equal(fake_sys_in_child(write_two, NULL), 99);
	assert_true(tmpdir_has(&dir, "first"));
	assert_false(tmpdir_has(&dir, "second"));
	fake_sys_reset(0);
	assert_int_equal(fake_sys_in_child(write_two, NULL), 3);
	assert_true(tmpdir_has(&dir, "second"));
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_table_is_full),
		UNIT(test_real_clock),
		UNIT(test_calls_do_the_real_thing),
		UNIT(test_lease),
		UNIT(test_rename_flags),
		UNIT(test_clock_of_the_fake),
		UNIT(test_nth_call_fails),
		UNIT(test_any_counts_all_but_the_clock),
		UNIT(test_failed_close_closes),
		UNIT(test_readdir_tells_end_from_failure),
		UNIT(test_short_transfers),
		UNIT(test_hook),
		UNIT(test_trace),
		UNIT(test_die),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
