#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/log/cold.h"

#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOVEMBER INT64_C(1795000000000) /* 2026-11-18 */
#define DECEMBER INT64_C(1797000000000) /* 2026-12-11 */
#define NOVEMBER_FILE "archive.cold/2026-11.jsonl"

static struct tmpdir dir;
static struct disk disk;

static int setup(void **state)
{
	struct err err;

	(void)state;
	fake_sys_reset(NOVEMBER);
	tmpdir_make(&dir);
	fake_sys_root(dir.path);
	return disk_open(&disk, fake_sys(), dir.path, &err);
}

static int teardown(void **state)
{
	(void)state;
	fake_sys_reset(NOVEMBER);
	disk_close(&disk);
	tmpdir_remove(&dir);
	return 0;
}

static void append(int64_t at_ms, const char *line)
{
	struct err err;

	if (cold_append(&disk, at_ms, slice_of(line), &err) != 0)
		fail_msg("%s", err.text);
}

static void check_text(const char *name, const char *expected)
{
	char *text = tmpdir_read(&dir, name);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_append(void **state)
{
	struct stat st;

	(void)state;
	append(NOVEMBER, "{\"a\":1}");
	append(NOVEMBER, "{\"b\":1}\n{\"a\":1}\n{\"c\":1}\n{\"c\":1}");
	append(DECEMBER, "{\"a\":1}");
	check_text(NOVEMBER_FILE, "{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n");
	check_text("archive.cold/2026-12.jsonl", "{\"a\":1}\n");
	assert_int_equal(fstatat(dir.fd, "archive.cold", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(fstatat(dir.fd, NOVEMBER_FILE, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(cold_same_month(NOVEMBER, NOVEMBER + 1));
	assert_false(cold_same_month(NOVEMBER, DECEMBER));
}

static void test_durable(void **state)
{
	(void)state;
	append(NOVEMBER, "{\"a\":1}");
	assert_int_not_equal(fake_sys_at(FAKE_FSYNC, ".", 0), SIZE_MAX);
	assert_true(fake_sys_at(FAKE_WRITE, NOVEMBER_FILE, 0) <
		    fake_sys_at(FAKE_FSYNC, NOVEMBER_FILE, 0));
	assert_true(fake_sys_at(FAKE_FSYNC, "archive.cold", 0) != SIZE_MAX);
	fake_sys_clear_trace();
	append(NOVEMBER, "{\"a\":1}"); /* perhaps written by somebody who died before his fsync */
	assert_int_not_equal(fake_sys_at(FAKE_FSYNC, NOVEMBER_FILE, 0), SIZE_MAX);
	/* The names of the file and of the folder may not be on the disk either. */
	assert_int_not_equal(fake_sys_at(FAKE_FSYNC, "archive.cold", 0), SIZE_MAX);
	assert_int_not_equal(fake_sys_at(FAKE_FSYNC, ".", 0), SIZE_MAX);
	fake_sys_clear_trace();
	append(NOVEMBER, "{\"b\":1}");
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 1);
}

static void test_torn_last_line(void **state)
{
	(void)state;
	append(NOVEMBER, "{\"a\":1}");
	tmpdir_write(&dir, NOVEMBER_FILE, "{\"a\":1}\n{\"b\":");
	append(NOVEMBER, "{\"c\":1}");
	check_text(NOVEMBER_FILE, "{\"a\":1}\n{\"c\":1}\n");
	/* A person's editor left the newline out. */
	tmpdir_write(&dir, NOVEMBER_FILE, "{\"a\":1}");
	append(NOVEMBER, "{\"c\":1}");
	check_text(NOVEMBER_FILE, "{\"a\":1}\n{\"c\":1}\n");
	tmpdir_write(&dir, NOVEMBER_FILE, "{\"a\":");
	append(NOVEMBER, "{\"c\":1}");
	check_text(NOVEMBER_FILE, "{\"c\":1}\n");
}

/* A last line longer than what is looked at first. */
static void test_long_torn_line(void **state)
{
	struct str text = STR_INIT;
	struct err err;
	struct stat st;

	(void)state;
	append(NOVEMBER, "{\"a\":1}");
	str_adds(&text, "{\"a\":1}\n{\"b\":\"");
	while (text.len < (size_t)3 << 19)
		str_adds(&text, "0123456789abcdef");
	tmpdir_write(&dir, NOVEMBER_FILE, text.ptr);
	fake_sys_fail(FAKE_FTRUNCATE, 1, EIO, FAKE_ONCE);
	assert_int_equal(cold_append(&disk, NOVEMBER, slice_of("{\"c\":1}"), &err), -1);
	assert_non_null(strstr(err.text, "cut the torn last line of "));
	assert_int_equal(fstatat(dir.fd, NOVEMBER_FILE, &st, 0), 0);
	assert_int_equal(st.st_size, text.len);
	append(NOVEMBER, "{\"c\":1}");
	check_text(NOVEMBER_FILE, "{\"a\":1}\n{\"c\":1}\n");
	str_release(&text);
}

/* A file that others can read is closed to them; a tighter mode stays. */
static void test_mode(void **state)
{
	struct err err;
	struct stat st;

	(void)state;
	append(NOVEMBER, "{\"a\":1}");
	assert_int_equal(fchmodat(dir.fd, NOVEMBER_FILE, 0644, 0), 0);
	fake_sys_fail(FAKE_FCHMOD, 1, EPERM, FAKE_ONCE);
	assert_int_equal(cold_append(&disk, NOVEMBER, slice_of("{\"b\":1}"), &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	assert_non_null(strstr(err.text, "set the mode of "));
	append(NOVEMBER, "{\"b\":1}");
	assert_int_equal(fstatat(dir.fd, NOVEMBER_FILE, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void test_full_disk(void **state)
{
	struct err err;

	(void)state;
	append(NOVEMBER, "{\"a\":1}");
	fake_sys_short(FAKE_WRITE, 1, 3, FAKE_ONCE);
	fake_sys_fail(FAKE_WRITE, 2, ENOSPC, FAKE_ALWAYS);
	assert_int_equal(cold_append(&disk, NOVEMBER, slice_of("{\"b\":1}"), &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	assert_non_null(strstr(err.text, "2026-11.jsonl"));
	fake_sys_reset(NOVEMBER);
	check_text(NOVEMBER_FILE, "{\"a\":1}\n");
}

static void test_each_call_fails(void **state)
{
	(void)state;
	for (unsigned n = 1;; n++) {
		struct err err;
		size_t hits;

		fake_sys_reset(NOVEMBER);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		cold_append(&disk, NOVEMBER, slice_of("{\"a\":1}"), &err);
		hits = fake_sys_hits();
		fake_sys_reset(NOVEMBER);
		append(NOVEMBER, "{\"a\":1}");
		check_text(NOVEMBER_FILE, "{\"a\":1}\n");
		if (hits == 0)
			break;
	}
}

static void test_hostile(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(mkdirat(dir.fd, "archive.cold", 0700), 0);
	assert_int_equal(mkfifoat(dir.fd, NOVEMBER_FILE, 0600), 0);
	assert_int_equal(cold_append(&disk, NOVEMBER, slice_of("{}"), &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
}

static int collect(void *context, const struct json *doc)
{
	struct str *seen = context;

	str_add(seen, doc->text);
	return seen->len > 40;
}

static void check_both_refuse(const char *says)
{
	struct err err;

	assert_int_equal(cold_check(&disk, NOVEMBER, &err), -1);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
	assert_int_equal(cold_append(&disk, NOVEMBER, slice_of("{}"), &err), -1);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
}

/* A folder that is another person's, or that its owner has closed. */
static void test_folder_that_may_not_be_changed(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(dir.fd, "archive.cold", 0700), 0);
	if (geteuid() == 0) {
		assert_int_equal(fchownat(dir.fd, "archive.cold", 12345, 12345, 0), 0);
		check_both_refuse("/archive.cold belongs to somebody else");
	} else {
		assert_int_equal(fchmodat(dir.fd, "archive.cold", 0500, 0), 0);
		check_both_refuse("/archive.cold is read-only");
	}
}

/* Nothing is followed out of the store, cut there, or made where a look would do. */
static void test_links_are_refused(void **state)
{
	struct str seen = STR_INIT;
	struct err err;

	(void)state;
	assert_int_equal(mkdirat(dir.fd, "other", 0700), 0);
	tmpdir_write(&dir, "other/2026-11.jsonl", "torn");
	assert_int_equal(symlinkat("other", dir.fd, "archive.cold"), 0);
	check_both_refuse("/archive.cold must be a directory of your own");
	assert_int_equal(cold_walk(&disk, collect, &seen, NULL, NULL, &err), -1);
	assert_int_equal(unlinkat(dir.fd, "archive.cold", 0), 0);
	tmpdir_write(&dir, "archive.cold", "");
	check_both_refuse("/archive.cold must be a directory of your own");
	assert_int_equal(unlinkat(dir.fd, "archive.cold", 0), 0);
	assert_int_equal(cold_check(&disk, NOVEMBER, &err), 0);
	assert_false(tmpdir_has(&dir, "archive.cold"));
	assert_int_equal(mkdirat(dir.fd, "archive.cold", 0700), 0);
	assert_int_equal(cold_check(&disk, NOVEMBER, &err), 0);
	assert_false(tmpdir_has(&dir, NOVEMBER_FILE));
	assert_int_equal(symlinkat("../other/2026-11.jsonl", dir.fd, NOVEMBER_FILE), 0);
	check_both_refuse("/archive.cold/2026-11.jsonl must be a regular file of your own");
	assert_int_equal(cold_walk(&disk, collect, &seen, NULL, NULL, &err), -1);
	assert_non_null(strstr(err.text, "/archive.cold/2026-11.jsonl must be"));
	assert_int_equal(unlinkat(dir.fd, NOVEMBER_FILE, 0), 0);
	assert_int_equal(mkdirat(dir.fd, NOVEMBER_FILE, 0700), 0);
	check_both_refuse("/archive.cold/2026-11.jsonl must be a regular file of your own");
	check_text("other/2026-11.jsonl", "torn");
	str_release(&seen);
}

static void test_walk(void **state)
{
	struct str first_bad = STR_INIT;
	struct str seen = STR_INIT;
	struct err err;
	size_t bad = 7;

	(void)state;
	assert_int_equal(cold_walk(&disk, collect, &seen, &bad, &first_bad, &err), 0);
	assert_int_equal(bad, 0);
	append(DECEMBER, "{\"d\":4}");
	tmpdir_write(&dir, NOVEMBER_FILE, "{\"a\":1}\r\n\n[1]\n{\"b\":2}\n{\"c\":");
	tmpdir_write(&dir, "archive.cold/notes.txt", "{\"x\":1}\n");
	tmpdir_write(&dir, "archive.cold/.hidden.jsonl", "{\"x\":1}\n");
	assert_int_equal(cold_walk(&disk, collect, &seen, &bad, &first_bad, &err), 0);
	assert_string_equal(seen.ptr, "{\"a\":1}{\"b\":2}{\"d\":4}");
	assert_int_equal(bad, 2);
	assert_string_equal(first_bad.ptr, NOVEMBER_FILE ":3");
	/* The visitor ends the walk. */
	assert_int_equal(cold_walk(&disk, collect, &seen, NULL, NULL, &err), 0);
	assert_string_equal(seen.ptr, "{\"a\":1}{\"b\":2}{\"d\":4}{\"a\":1}{\"b\":2}{\"d\":4}");
	assert_int_equal(cold_walk(&disk, collect, &seen, NULL, NULL, &err), 0);
	assert_int_equal(seen.len, 49);
	fake_sys_fail(FAKE_READDIR, 2, EIO, FAKE_ONCE);
	assert_int_equal(cold_walk(&disk, collect, &seen, NULL, NULL, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	str_release(&seen);
	str_release(&first_bad);
}

static int gather(void *context, const struct json *doc)
{
	str_add(context, doc->text);
	return 0;
}

static void check_standing(const char *expected)
{
	STR_AUTO seen = STR_INIT;
	struct err err;

	assert_int_equal(cold_walk(&disk, gather, &seen, NULL, NULL, &err), 0);
	assert_string_equal(seen.len ? seen.ptr : "", expected);
}

/* Each is written once more when the other has come in between, and only then. */
static void test_lines_are_taken_back(void **state)
{
	(void)state;
	append(NOVEMBER, "{\"a\":1}\n{\"b\":2}");
	append(NOVEMBER, "{\"void\":{\"a\":1}}");
	append(NOVEMBER, "{\"void\":{\"a\":1}}");
	check_standing("{\"b\":2}");
	append(NOVEMBER, "{\"a\":1}");
	append(NOVEMBER, "{\"a\":1}");
	check_standing("{\"b\":2}{\"a\":1}");
	append(NOVEMBER, "{\"void\":{\"a\":1}}\n{\"a\":1}\n{\"void\":{\"a\":1}}");
	check_standing("{\"b\":2}");
	check_text(NOVEMBER_FILE, "{\"a\":1}\n{\"b\":2}\n{\"void\":{\"a\":1}}\n{\"a\":1}\n"
				  "{\"void\":{\"a\":1}}\n{\"a\":1}\n{\"void\":{\"a\":1}}\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_append),
		TEST(test_durable),
		TEST(test_torn_last_line),
		TEST(test_long_torn_line),
		TEST(test_mode),
		TEST(test_full_disk),
		TEST(test_each_call_fails),
		TEST(test_hostile),
		TEST(test_folder_that_may_not_be_changed),
		TEST(test_walk),
		TEST(test_lines_are_taken_back),
		TEST(test_links_are_refused),
	};
	int result;

	setenv("TZ", "UTC0", 1);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	fake_sys_release();
	return result;
}
