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
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct tmpdir dir;
static struct str text;
static struct file_id id;
static struct err err;

static int set_up(void **unused)
{
	(void)unused;
	tmpdir_make(&dir);
	fake_sys_reset(1000);
	fake_sys_root(dir.path);
	str_init(&text);
	str_adds(&text, "left from before");
	id = (struct file_id){.ino = 4711};
	err_clear(&err);
	return 0;
}

static int tear_down(void **unused)
{
	(void)unused;
	str_release(&text);
	fake_sys_release();
	tmpdir_remove(&dir);
	return 0;
}

static int read_file(const char *name, size_t max)
{
	return file_read(fake_sys(), dir.fd, name, max, &text, &id, &err);
}

/* As many descriptors are closed as were opened. */
static void assert_nothing_open(void)
{
	size_t opened = 0;
	size_t count;
	const struct fake_event *trace = fake_sys_trace(&count);

	for (size_t i = 0; i < count; i++)
		opened += trace[i].call == FAKE_OPENAT && trace[i].result >= 0;
	assert_int_equal(fake_sys_count(FAKE_CLOSE), opened);
}

/* Reading fails with this code and sentence, *id stays and *out is empty. */
static void assert_refused(const char *name, size_t max, enum err_code code, const char *sentence)
{
	assert_int_equal(read_file(name, max), -1);
	assert_string_equal(err.text, sentence);
	assert_int_equal(err.code, code);
	assert_int_equal(id.ino, 4711);
	assert_int_equal(text.len, 0);
	assert_string_equal(text.ptr, "");
	assert_nothing_open();
}

static void test_read(void **unused)
{
	struct file_id same;

	(void)unused;
	tmpdir_write_slice(&dir, "a", slice_make("one\0two", 7));
	assert_int_equal(read_file("a", 7), 0);
	assert_int_equal(text.len, 7);
	assert_memory_equal(text.ptr, "one\0two", 8);
	assert_true(id.present);
	assert_int_equal(id.size, 7);
	assert_int_equal(id.nlink, 1);
	assert_int_equal(id.mode & 0777, 0600);
	assert_int_equal(id.uid, geteuid());
	assert_int_equal(file_identify(fake_sys(), dir.fd, "a", &same, &err), 0);
	assert_true(file_id_equal(&id, &same));
	assert_nothing_open();
}

static void test_pread(void **unused)
{
	int fd;

	(void)unused;
	tmpdir_write(&dir, "a", "abcdefgh");
	fd = file_open(fake_sys(), dir.fd, "a", O_RDONLY, 0);
	fake_sys_fail(FAKE_PREAD, 1, EINTR, FAKE_ONCE);
	fake_sys_short(FAKE_PREAD, 2, 2, FAKE_ALWAYS);
	assert_int_equal(file_pread(fake_sys(), fd, 3, 4, 4, &text), 0);
	assert_string_equal(text.ptr, "defg");
	assert_int_equal(fake_sys_count(FAKE_PREAD), 3);
	/* Enough is enough: no call to see whether more is to be had. */
	assert_int_equal(file_pread(fake_sys(), fd, 3, 3, 8, &text), 0);
	assert_string_equal(text.ptr, "defg");
	assert_int_equal(fake_sys_count(FAKE_PREAD), 5);
	assert_int_equal(file_pread(fake_sys(), fd, 3, 8, 8, &text), 0);
	assert_string_equal(text.ptr, "defgh");
	assert_int_equal(file_pread(fake_sys(), fd, 0, 0, 0, &text), 0);
	assert_string_equal(text.ptr, "");
	fake_sys_fail(FAKE_PREAD, 2, EIO, FAKE_ONCE);
	assert_int_equal(file_pread(fake_sys(), fd, 0, 8, 8, &text), -1);
	assert_int_equal(errno, EIO);
	assert_string_equal(text.ptr, "ab");
	file_close(fake_sys(), &fd);
}

static void test_read_empty(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "");
	assert_int_equal(read_file("a", 0), 0);
	assert_true(id.present);
	assert_int_equal(text.len, 0);
	assert_string_equal(text.ptr, "");
}

static void test_read_through_a_link(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "x");
	assert_int_equal(symlinkat("a", dir.fd, "link"), 0);
	assert_int_equal(read_file("link", 10), 0);
	assert_string_equal(text.ptr, "x");
}

static void test_absent(void **unused)
{
	(void)unused;
	assert_int_equal(read_file("none", 10), 0);
	assert_false(id.present);
	assert_int_equal(text.len, 0);
	assert_string_equal(text.ptr, "");
	id.present = true;
	assert_int_equal(file_identify(fake_sys(), dir.fd, "none", &id, &err), 0);
	assert_false(id.present);
	assert_int_equal(read_file("nowhere/none", 10), 0);
	assert_false(id.present);
}

static void test_only_enoent_is_absent(void **unused)
{
	static const int errors[] = {EACCES, ENOTDIR, ELOOP, EMFILE, ENXIO, EIO};
	STR_AUTO sentence = STR_INIT;

	(void)unused;
	tmpdir_write(&dir, "a", "x");
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		fake_sys_reset(0);
		fake_sys_fail(FAKE_OPENAT, 1, errors[i], FAKE_ONCE);
		str_clear(&sentence);
		str_printf(&sentence, "cannot open a: %s", strerror(errors[i]));
		assert_refused("a", 10, ERR_IO, sentence.ptr);
		fake_sys_fail(FAKE_FSTATAT, 1, errors[i], FAKE_ONCE);
		assert_int_equal(file_identify(fake_sys(), dir.fd, "a", &id, &err), -1);
		assert_int_equal(id.ino, 4711);
	}
	assert_refused("a/b", 10, ERR_IO, "cannot open a/b: Not a directory");
}

static void test_link_to_nothing(void **unused)
{
	(void)unused;
	assert_int_equal(symlinkat("gone", dir.fd, "link"), 0);
	assert_refused("link", 10, ERR_BAD_DATA, "link is a link to nothing");
	assert_int_equal(file_identify(fake_sys(), dir.fd, "link", &id, &err), -1);
	assert_string_equal(err.text, "link is a link to nothing");
	assert_int_equal(id.ino, 4711);
	fake_sys_fail(FAKE_FSTATAT, 1, EIO, FAKE_ONCE);
	assert_refused("link", 10, ERR_IO, "cannot look at link: Input/output error");
	assert_int_equal(symlinkat("ring", dir.fd, "ring"), 0);
	assert_refused("ring", 10, ERR_IO, "cannot open ring: Too many levels of symbolic links");
	assert_int_equal(file_identify(fake_sys(), dir.fd, "ring", &id, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_string_equal(err.text, "ring is a link that leads in a circle");
	tmpdir_write(&dir, "plain", "x");
	assert_int_equal(symlinkat("plain/x", dir.fd, "under"), 0);
	assert_int_equal(file_identify(fake_sys(), dir.fd, "under", &id, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_string_equal(err.text, "under is a link to nothing");
}

static void make_it(void *name)
{
	tmpdir_write(&dir, name, "x");
}

static void test_made_while_we_look(void **unused)
{
	char name[] = "a";

	(void)unused;
	fake_sys_before(FAKE_FSTATAT, 1, make_it, name);
	assert_int_equal(read_file("a", 10), 0);
	assert_false(id.present);
}

static void make_socket(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(fchdir(dir.fd), 0);
	memcpy(address.sun_path, name, strlen(name));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
	close(fd);
}

static void test_only_regular_files(void **unused)
{
	(void)unused;
	assert_int_equal(mkfifoat(dir.fd, "state.json", 0600), 0);
	assert_refused("state.json", 10, ERR_BAD_DATA, "state.json is a FIFO, not a regular file");
	assert_refused(".", 10, ERR_BAD_DATA, ". is a directory, not a regular file");
	make_socket("sock");
	assert_refused("sock", 10, ERR_BAD_DATA, "sock is a socket, not a regular file");
	assert_refused("/dev/null", 10, ERR_BAD_DATA,
		       "/dev/null is a character device, not a regular file");
}

static void test_opens_without_blocking(void **unused)
{
	const int wanted = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	size_t count;

	(void)unused;
	tmpdir_write(&dir, "a", "x");
	assert_int_equal(read_file("a", 10), 0);
	assert_int_equal(fake_sys_trace(&count)[0].flags & (wanted | O_ACCMODE), wanted | O_RDONLY);
}

static void test_too_large(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "12345678");
	assert_refused("a", 7, ERR_TOO_LARGE, "a has 8 bytes, at most 7 are allowed");
	assert_int_equal(fake_sys_count(FAKE_PREAD), 0);
	assert_int_equal(read_file("a", 8), 0);
}

static void test_interrupted_and_short(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "abcdefgh");
	fake_sys_fail(FAKE_OPENAT, 1, EINTR, FAKE_ONCE);
	fake_sys_fail(FAKE_PREAD, 1, EINTR, FAKE_ONCE);
	fake_sys_fail(FAKE_PREAD, 4, EINTR, FAKE_ONCE);
	fake_sys_short(FAKE_PREAD, 1, 3, FAKE_ALWAYS);
	assert_int_equal(read_file("a", 100), 0);
	assert_string_equal(text.ptr, "abcdefgh");
	assert_int_equal(text.len, 8);
	assert_int_equal(fake_sys_count(FAKE_SLEEP_MS), 0);
}

static void overwrite(void *what)
{
	tmpdir_write(&dir, "a", what);
}

static void test_grows_while_read(void **unused)
{
	char longer[] = "a longer text";

	(void)unused;
	tmpdir_write(&dir, "a", "short");
	fake_sys_before(FAKE_PREAD, 1, overwrite, longer);
	assert_int_equal(read_file("a", 100), 0);
	assert_string_equal(text.ptr, longer);
	assert_int_equal(id.size, text.len);
	assert_int_equal(fake_sys_count(FAKE_SLEEP_MS), 1);
}

static void test_shrinks_while_read(void **unused)
{
	char shorter[] = "ab";

	(void)unused;
	tmpdir_write(&dir, "a", "abcdefgh");
	fake_sys_short(FAKE_PREAD, 1, 4, FAKE_ONCE);
	fake_sys_before(FAKE_PREAD, 2, overwrite, shorter);
	assert_int_equal(read_file("a", 100), 0);
	assert_string_equal(text.ptr, "ab");
	assert_int_equal(text.len, 2);
}

static void test_ends_early(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "abcdefgh");
	fake_sys_short(FAKE_PREAD, 1, 4, FAKE_ONCE);
	fake_sys_short(FAKE_PREAD, 2, 0, FAKE_ONCE);
	assert_int_equal(read_file("a", 100), 0);
	assert_string_equal(text.ptr, "abcdefgh");
}

static void test_grows_too_large_while_read(void **unused)
{
	char longer[] = "a longer text";

	(void)unused;
	tmpdir_write(&dir, "a", "short");
	fake_sys_before(FAKE_PREAD, 1, overwrite, longer);
	assert_refused("a", 6, ERR_TOO_LARGE, "a has 13 bytes, at most 6 are allowed");
}

static void append(void *unused)
{
	int fd = openat(dir.fd, "a", O_WRONLY | O_APPEND | O_CLOEXEC);

	(void)unused;
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static void test_never_stops_changing(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "x");
	for (unsigned i = 1; i <= 5; i++)
		fake_sys_before(FAKE_PREAD, i, append, NULL);
	assert_refused("a", 100, ERR_BUSY, "a keeps changing while it is read: try again");
	assert_int_equal(fake_sys_count(FAKE_SLEEP_MS), 4);
}

static void test_each_call_that_reads_fails(void **unused)
{
	(void)unused;
	tmpdir_write(&dir, "a", "text");
	for (unsigned n = 1;; n++) {
		int result;

		fake_sys_reset(0);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		id.ino = 4711;
		result = read_file("a", 100);
		assert_nothing_open();
		if (fake_sys_hits() == 0 ||
		    fake_sys_trace(&(size_t){0})[n - 1].call == FAKE_CLOSE) {
			/* Closing what was read cannot lose anything. */
			assert_int_equal(result, 0);
			assert_string_equal(text.ptr, "text");
			if (fake_sys_hits() == 0)
				break;
			continue;
		}
		assert_int_equal(result, -1);
		assert_int_equal(err.code, ERR_IO);
		assert_non_null(strstr(err.text, " a: Input/output error"));
		assert_int_equal(text.len, 0);
		assert_int_equal(id.ino, 4711);
	}
}

static void test_identity(void **unused)
{
	struct file_id other;
	struct file_id absent = {.present = false, .ino = 1};
	struct file_id also_absent = {.present = false, .ino = 2};

	(void)unused;
	tmpdir_write(&dir, "a", "x");
	tmpdir_write(&dir, "b", "x");
	assert_int_equal(file_identify(fake_sys(), dir.fd, "a", &id, &err), 0);
	assert_int_equal(file_identify(fake_sys(), dir.fd, "b", &other, &err), 0);
	assert_false(file_id_equal(&id, &other));
	assert_false(file_id_equal(&id, &absent));
	assert_true(file_id_equal(&absent, &also_absent));
	other = id;
	assert_true(file_id_equal(&id, &other));
	other.mtime.tv_nsec++;
	assert_false(file_id_equal(&id, &other));
	other = id;
	other.ctime.tv_sec++;
	assert_false(file_id_equal(&id, &other));
	other = id;
	other.size++;
	assert_false(file_id_equal(&id, &other));
}

static void assert_written(const char *expected)
{
	char *found = tmpdir_read(&dir, "a");

	assert_string_equal(found, expected);
	free(found);
}

static int open_new(void)
{
	int fd = file_open(fake_sys(), dir.fd, "a", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void test_write_all(void **unused)
{
	int fd = open_new();

	(void)unused;
	fake_sys_fail(FAKE_WRITE, 1, EINTR, FAKE_ONCE);
	fake_sys_short(FAKE_WRITE, 2, 3, FAKE_ALWAYS);
	assert_int_equal(file_write_all(fake_sys(), fd, slice_of("abcdefgh"), &err), 0);
	assert_int_equal(fake_sys_count(FAKE_WRITE), 4);
	assert_int_equal(file_write_all(fake_sys(), fd, slice_of(NULL), &err), 0);
	assert_int_equal(fake_sys_count(FAKE_WRITE), 4);
	file_close(fake_sys(), &fd);
	assert_written("abcdefgh");
}

static void test_write_fails(void **unused)
{
	int fd = open_new();

	(void)unused;
	fake_sys_short(FAKE_WRITE, 1, 3, FAKE_ONCE);
	fake_sys_fail(FAKE_WRITE, 2, ENOSPC, FAKE_ONCE);
	assert_int_equal(file_write_all(fake_sys(), fd, slice_of("abcdefgh"), &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	assert_string_equal(err.text, "cannot write: No space left on device");
	assert_written("abc");
	fake_sys_short(FAKE_WRITE, 1, 0, FAKE_ALWAYS);
	assert_int_equal(file_write_all(fake_sys(), fd, slice_of("x"), &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	file_close(fake_sys(), &fd);
}

static void test_fsync(void **unused)
{
	(void)unused;
	fake_sys_fail(FAKE_FSYNC, 1, EINTR, FAKE_ONCE);
	assert_int_equal(file_fsync(fake_sys(), dir.fd), 0);
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 2);
	fake_sys_fail(FAKE_FSYNC, 1, EIO, FAKE_ONCE);
	assert_int_equal(file_fsync(fake_sys(), dir.fd), -1);
	assert_int_equal(errno, EIO);
	/* A failed fsync is not tried again: the kernel has dropped what it could not write. */
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 3);
}

static void test_close(void **unused)
{
	int fd = open_new();

	(void)unused;
	fake_sys_fail(FAKE_CLOSE, 1, EINTR, FAKE_ONCE);
	errno = ENOSPC;
	file_close(fake_sys(), &fd);
	assert_int_equal(fd, -1);
	assert_int_equal(errno, ENOSPC);
	file_close(fake_sys(), &fd);
	assert_int_equal(fake_sys_count(FAKE_CLOSE), 1);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_read),
		UNIT(test_pread),
		UNIT(test_read_empty),
		UNIT(test_read_through_a_link),
		UNIT(test_absent),
		UNIT(test_only_enoent_is_absent),
		UNIT(test_link_to_nothing),
		UNIT(test_made_while_we_look),
		UNIT(test_only_regular_files),
		UNIT(test_opens_without_blocking),
		UNIT(test_too_large),
		UNIT(test_interrupted_and_short),
		UNIT(test_grows_while_read),
		UNIT(test_shrinks_while_read),
		UNIT(test_ends_early),
		UNIT(test_grows_too_large_while_read),
		UNIT(test_never_stops_changing),
		UNIT(test_each_call_that_reads_fails),
		UNIT(test_identity),
		UNIT(test_write_all),
		UNIT(test_write_fails),
		UNIT(test_fsync),
		UNIT(test_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
