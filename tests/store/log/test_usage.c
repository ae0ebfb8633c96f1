#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/usagefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- recording */

static void begins_with_a_since_line(void **state)
{
	struct fixture *f = *state;

	refresh(f);
	assert_true(usage_epoch(f->usage).since_ms == TIME_NONE);
	assert_true(usage_newest_ms(f->usage) == TIME_NONE);
	assert_null(find(f, "state:a"));
	hit(f, "state:a");
	hit(f, "state:a");
	assert_file(f, SINCE_LINE HIT_LINE("state:a") HIT_LINE("state:a"));
	assert_int_equal(usage_epoch(f->usage).since_ms, NOW);
	assert_false(usage_epoch(f->usage).outranks);
	assert_int_equal(hits(f, "state:a"), 2);
	assert_int_equal(find(f, "state:a")->last_ms, NOW);
	assert_true(find(f, "state:a")->seen_ms == TIME_NONE);
	assert_int_equal(usage_newest_ms(f->usage), NOW);
}

static void writes_each_batch_at_once_and_without_fsync(void **state)
{
	struct fixture *f = *state;

	usage_flush_seen(f->usage, NOW);
	assert_false(tmpdir_has(&f->dir, "usage.jsonl"));
	usage_note_seen(f->usage, slice_of("state:a"), 0xabc, TIME_NONE);
	usage_note_seen(f->usage, slice_of("state:b"), UINT64_MAX, NOW + 1000);
	usage_flush_seen(f->usage, NOW);
	assert_int_equal(fake_sys_count(FAKE_WRITE), 1);
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 0);
	assert_file(f, SINCE_LINE "{\"seen\":\"state:a\",\"digest\":\"0000000000000abc\"}\n"
				  "{\"seen\":\"state:b\",\"digest\":\"ffffffffffffffff\",\"at\":"
				  "\"" NEXT_TEXT "\"}\n");
	assert_true(find(f, "state:a")->digest == 0xabc);
	assert_true(find(f, "state:a")->seen_ms == TIME_NONE);
	assert_true(find(f, "state:b")->digest == UINT64_MAX);
	assert_int_equal(find(f, "state:b")->seen_ms, NOW + 1000);
	assert_int_equal(usage_newest_ms(f->usage), NOW + 1000);
	usage_flush_seen(f->usage, NOW);
	assert_int_equal(fake_sys_count(FAKE_WRITE), 1);
}

static void is_private_whatever_the_umask(void **state)
{
	struct fixture *f = *state;
	mode_t before = umask(0777);
	struct stat st;

	hit(f, "state:a");
	umask(before);
	assert_int_equal(fstatat(f->dir.fd, "usage.jsonl", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(hits(f, "state:a"), 1);
}

static void begins_a_new_line_after_a_torn_one(void **state)
{
	struct fixture *f = *state;

	put_file(f, SINCE_LINE "{\"hit\":\"sta");
	hit(f, "state:a");
	assert_file(f, SINCE_LINE "{\"hit\":\"sta\n" HIT_LINE("state:a"));
	assert_int_equal(hits(f, "state:a"), 1);
}

static void begins_again_where_the_since_line_is_lost(void **state)
{
	struct fixture *f = *state;

	put_file(f, "garbage\n");
	hit(f, "state:a");
	assert_file(f, "garbage\n" SINCE_LINE HIT_LINE("state:a"));
	assert_int_equal(usage_epoch(f->usage).since_ms, NOW);
}

static void the_last_since_line_counts(void **state)
{
	struct fixture *f = *state;

	put_file(f, "{\"since\":\"2040-01-01T00:00:00.000Z\"}\n");
	usage_begin_again(f->usage, NOW);
	assert_int_equal(usage_epoch(f->usage).since_ms, NOW);
	assert_true(usage_epoch(f->usage).outranks);
	assert_int_equal(usage_newest_ms(f->usage), NOW);
	append_text(f, "{\"since\":\"" NEXT_TEXT "\"}\n{\"since\":5}\n");
	refresh(f);
	assert_int_equal(usage_epoch(f->usage).since_ms, NOW + 1000);
	assert_false(usage_epoch(f->usage).outranks);
}

static void a_store_that_does_not_exist_is_not_created(void **state)
{
	struct fixture *f = *state;

	f->disk.dirfd = -1;
	refresh(f);
	hit(f, "state:a");
	usage_begin_again(f->usage, NOW);
	assert_null(find(f, "state:a"));
	assert_int_equal(fake_sys_count(FAKE_OPENAT), 0);
	f->disk.dirfd = f->dir.fd;
	assert_int_equal(tmpdir_count(&f->dir), 0);
}

static void a_hit_that_cannot_be_written_is_none(void **state)
{
	struct fixture *f = *state;

	for (unsigned n = 1;; n++) {
		fake_sys_reset(NOW);
		fake_sys_fail(FAKE_ANY, n, ENOSPC, FAKE_ONCE);
		hit(f, "state:a");
		if (fake_sys_hits() == 0)
			break;
	}
	fake_sys_reset(NOW);
	fake_sys_fail(FAKE_WRITE, 1, EINTR, FAKE_ONCE);
	hit(f, "state:b");
	assert_int_equal(hits(f, "state:b"), 1);
	fake_sys_short(FAKE_WRITE, 1, 5, FAKE_ONCE);
	hit(f, "state:c");
	assert_int_equal(hits(f, "state:c"), 0);
	hit(f, "state:c");
	assert_int_equal(hits(f, "state:c"), 1);
}

/* ---- what is in the way */

static void check_refused(struct fixture *f)
{
	struct err err;

	assert_int_equal(usage_refresh(f->usage, &err), -1);
	assert_non_null(strstr(err.text, "usage.jsonl"));
	assert_null(find(f, "state:a"));
	assert_true(usage_epoch(f->usage).since_ms == TIME_NONE);
	hit(f, "state:a");
	usage_begin_again(f->usage, NOW);
	assert_null(find(f, "state:a"));
	assert_int_equal(usage_compact(f->usage, NULL, NULL, &err), -1);
}

static void what_is_no_file_counts_as_no_usage(void **state)
{
	struct fixture *f = *state;
	char *text;

	put_file(f, SINCE_LINE HIT_LINE("state:a"));
	assert_int_equal(unlinkat(f->dir.fd, "usage.jsonl", 0), 0);
	assert_int_equal(mkfifoat(f->dir.fd, "usage.jsonl", 0600), 0);
	check_refused(f);
	assert_int_equal(unlinkat(f->dir.fd, "usage.jsonl", 0), 0);
	assert_int_equal(mkdirat(f->dir.fd, "usage.jsonl", 0700), 0);
	check_refused(f);
	assert_int_equal(unlinkat(f->dir.fd, "usage.jsonl", AT_REMOVEDIR), 0);
	tmpdir_write(&f->dir, "other", SINCE_LINE HIT_LINE("state:a"));
	assert_int_equal(symlinkat("other", f->dir.fd, "usage.jsonl"), 0);
	check_refused(f);
	text = tmpdir_read(&f->dir, "other");
	assert_string_equal(text, SINCE_LINE HIT_LINE("state:a"));
	free(text);
	assert_int_equal(unlinkat(f->dir.fd, "usage.jsonl", 0), 0);
	assert_int_equal(symlinkat("/dev/full", f->dir.fd, "usage.jsonl"), 0);
	check_refused(f);
}

/* What is there but cannot be read at the moment is not begun anew. */
static void what_cannot_be_read_is_not_begun_again(void **state)
{
	struct fixture *f = *state;
	struct err err;
	char *text;

	put_file(f, SINCE_LINE HIT_LINE("state:a"));
	fake_sys_fail(FAKE_FSTATAT, 1, EIO, FAKE_ONCE);
	assert_int_equal(usage_refresh(f->usage, &err), -1);
	assert_false(usage_is_known(f->usage));
	fake_sys_fail(FAKE_FSTATAT, 1, EIO, FAKE_ONCE);
	hit(f, "state:a");
	text = tmpdir_read(&f->dir, "usage.jsonl");
	assert_string_equal(text, SINCE_LINE HIT_LINE("state:a"));
	free(text);
	hit(f, "state:a");
	assert_true(usage_is_known(f->usage));
	assert_int_equal(hits(f, "state:a"), 2);
	text = tmpdir_read(&f->dir, "usage.jsonl");
	assert_null(strstr(text + strlen(SINCE_LINE), "since"));
	free(text);
}

/* ---- reading */

static void reads_on_where_it_stopped(void **state)
{
	struct fixture *f = *state;

	put_file(f, SINCE_LINE HIT_LINE("state:a") "{\"hit\":\"state:a\",");
	assert_int_equal(hits(f, "state:a"), 1);
	fake_sys_clear_trace();
	refresh(f);
	assert_int_equal(fake_sys_count(FAKE_ANY), 1);
	assert_int_equal(fake_sys_count(FAKE_FSTATAT), 1);
	append_text(f, "\"at\":\"" NEXT_TEXT "\"}\n" HIT_LINE("state:b"));
	refresh(f);
	assert_int_equal(hits(f, "state:a"), 2);
	assert_int_equal(hits(f, "state:b"), 1);
	assert_int_equal(find(f, "state:a")->last_ms, NOW + 1000);
}

static void reads_another_file_anew(void **state)
{
	struct fixture *f = *state;

	put_file(f, SINCE_LINE HIT_LINE("state:a"));
	tmpdir_write(&f->dir, "new", SINCE_LINE HIT_LINE("state:b") HIT_LINE("state:b"));
	assert_int_equal(renameat(f->dir.fd, "new", f->dir.fd, "usage.jsonl"), 0);
	refresh(f);
	assert_null(find(f, "state:a"));
	assert_int_equal(hits(f, "state:b"), 2);
	put_file(f, SINCE_LINE);
	assert_null(find(f, "state:b"));
	put_file(f, HIT_LINE("state:c"));
	assert_true(usage_epoch(f->usage).since_ms == TIME_NONE);
	assert_int_equal(unlinkat(f->dir.fd, "usage.jsonl", 0), 0);
	refresh(f);
	assert_null(find(f, "state:c"));
}

/* The number of an inode comes back: the same file by its numbers, and longer, but another one. */
static void notices_a_file_that_only_looks_grown(void **state)
{
	struct fixture *f = *state;

	put_file(f, HIT_LINE("state:a"));
	put_file(f, HIT_LINE("state:b") HIT_LINE("state:b"));
	assert_null(find(f, "state:a"));
	assert_int_equal(hits(f, "state:b"), 2);
}

static void skips_what_has_no_meaning(void **state)
{
	struct fixture *f = *state;
	static const char zeros[] = "\0\0\0\n" HIT_LINE("state:a");

	put_file(f, "\n\n[]\n5\nnull\n\"x\"\n{}\n{\"hit\":5}\n{\"hit\":\"state:a\"}\n"
		    "{\"hit\":\"state:a\",\"at\":\"soon\"}\n{\"hit\":\"\",\"at\":\"" NOW_TEXT
		    "\"}\n{\"seen\":\"state:a\"}\n{\"seen\":\"state:a\",\"digest\":\"xyz\"}\n"
		    "{\"seen\":\"state:a\",\"digest\":\"000000000000000G\"}\n"
		    "{\"ref\":7}\n{\"future\":\"state:a\"}\n{\"hit\":\"state:a\",\"hit\":\"b\"}\n");
	assert_null(find(f, "state:a"));
	assert_null(find(f, ""));
	tmpdir_write_slice(&f->dir, "usage.jsonl", slice_make(zeros, sizeof zeros - 1));
	refresh(f);
	assert_int_equal(hits(f, "state:a"), 1);
}

static void bounds_absurd_numbers(void **state)
{
	struct fixture *f = *state;
	static const char *const most[] = {"9223372036854775807", "1000000000000", "1e300"};
	static const char *const none[] = {
		"-1", "-9223372036854775808", "-1e300", "\"7\"", "null", "1e400"};
	char line[128];

	for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
		snprintf(line, sizeof line, "{\"ref\":\"state:a\",\"hits\":%s}\n%s", most[i],
			 HIT_LINE("state:a"));
		put_file(f, line);
		assert_int_equal(hits(f, "state:a"), INT64_C(1000000000000));
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		snprintf(line, sizeof line, "{\"ref\":\"state:a\",\"hits\":%s}\n%s", none[i],
			 HIT_LINE("state:a"));
		put_file(f, line);
		assert_int_equal(hits(f, "state:a"), 1);
	}
}

static void times_need_no_order(void **state)
{
	struct fixture *f = *state;

	put_file(f, "{\"hit\":\"state:a\",\"at\":\"2040-01-01T00:00:00Z\"}\n" HIT_LINE("state:a"));
	assert_int_equal(find(f, "state:a")->last_ms, INT64_C(2208988800000));
	assert_int_equal(usage_newest_ms(f->usage), INT64_C(2208988800000));
}

static void a_compacted_line_says_all(void **state)
{
	struct fixture *f = *state;
	const struct usage_fact *fact;

	put_file(f,
		 HIT_LINE("state:a") "{\"ref\":\"state:a\",\"hits\":7,\"last\":\"" NOW_TEXT
				     "\",\"seen\":\"" NEXT_TEXT
				     "\",\"digest\":\"00000000000000ff\"}\n" HIT_LINE("state:a"));
	fact = find(f, "state:a");
	assert_int_equal(fact->hits, 8);
	assert_int_equal(fact->last_ms, NOW);
	assert_int_equal(fact->seen_ms, NOW + 1000);
	assert_int_equal(fact->digest, 255);
}

static void keys_may_hold_anything(void **state)
{
	struct fixture *f = *state;
	static const char odd[] = "state:a\0\"\\\n\xE5\x81\x8F";
	struct slice ref = slice_make(odd, sizeof odd - 1);

	usage_count(f->usage, USAGE_HIT, &ref, 1, NOW);
	assert_file(f, SINCE_LINE HIT_LINE("state:a\\u0000\\\"\\\\\\n\xE5\x81\x8F"));
	assert_int_equal(usage_find(f->usage, ref)->hits, 1);
	assert_null(find(f, "state:a"));
}

static void counts_uses_beside_hits(void **state)
{
	struct fixture *f = *state;
	const struct usage_use uses[] = {{slice_of("state:a"), true}, {slice_of("state:b"), false}};

	put_file(f, SINCE_LINE "{\"use\":\"state:a\",\"at\":\"" NEXT_TEXT "\"}\n"
			       "{\"use\":\"state:a\",\"at\":\"never\"}\n");
	usage_used(f->usage, uses, 2, NOW);
	usage_used(f->usage, uses, 0, NOW);
	assert_file(f, SINCE_LINE "{\"use\":\"state:a\",\"at\":\"" NEXT_TEXT "\"}\n"
				  "{\"use\":\"state:a\",\"at\":\"never\"}\n"
				  "{\"use\":\"state:a\",\"at\":\"" NOW_TEXT
				  "\",\"crossed\":true}\n{\"use\":\"state:b\",\"at\":\"" NOW_TEXT
				  "\"}\n");
	assert_int_equal(find(f, "state:a")->uses, 2);
	assert_int_equal(find(f, "state:a")->crossed, 1);
	assert_int_equal(find(f, "state:a")->used_ms, NOW + 1000);
	assert_int_equal(hits(f, "state:a"), 0);
	assert_int_equal(find(f, "state:b")->crossed, 0);
	assert_int_equal(usage_newest_ms(f->usage), NOW + 1000);
	hit(f, "state:b");
	usage_rename(f->usage, slice_of("state:a"), slice_of("state:b"), NOW);
	assert_null(find(f, "state:a"));
	assert_int_equal(find(f, "state:b")->uses, 3);
	assert_int_equal(find(f, "state:b")->crossed, 1);
	assert_int_equal(find(f, "state:b")->used_ms, NOW + 1000);
	assert_int_equal(hits(f, "state:b"), 1);
}

static void counts_of_uses_are_read_back(void **state)
{
	struct fixture *f = *state;

	put_file(f, SINCE_LINE "{\"ref\":\"state:a\",\"uses\":3,\"crossed\":1,\"used\":\"" NEXT_TEXT
			       "\"}\n{\"ref\":\"state:b\",\"uses\":1.5,\"crossed\":-1}\n"
			       "{\"ref\":\"state:c\",\"uses\":1e300}\n");
	assert_int_equal(find(f, "state:a")->uses, 3);
	assert_int_equal(find(f, "state:a")->crossed, 1);
	assert_int_equal(find(f, "state:a")->used_ms, NOW + 1000);
	assert_int_equal(find(f, "state:b")->uses, 1);
	assert_int_equal(find(f, "state:b")->crossed, 0);
	assert_true(find(f, "state:c")->uses == INT64_C(1000000000000));
}

static void several_hits_are_one_write(void **state)
{
	struct fixture *f = *state;
	const struct slice refs[] = {slice_of("state:a"), slice_of("state:b"), slice_of("state:a")};
	size_t writes;

	usage_count(f->usage, USAGE_HIT, refs, 1, NOW);
	writes = fake_sys_count(FAKE_WRITE);
	usage_count(f->usage, USAGE_HIT, refs, 0, NOW);
	assert_int_equal(fake_sys_count(FAKE_WRITE), writes);
	usage_count(f->usage, USAGE_HIT, refs, 3, NOW);
	assert_int_equal(fake_sys_count(FAKE_WRITE), writes + 1);
	assert_file(f, SINCE_LINE HIT_LINE("state:a") HIT_LINE("state:a") HIT_LINE("state:b")
			       HIT_LINE("state:a"));
	assert_int_equal(hits(f, "state:a"), 3);
	assert_int_equal(hits(f, "state:b"), 1);
}

static void moves_what_is_known_to_another_ref(void **state)
{
	struct fixture *f = *state;

	put_file(f, SINCE_LINE
		 "{\"ref\":\"state:a\",\"hits\":2,\"digest\":\"0000000000000001\",\"mine\":3}\n"
		 "{\"ref\":\"state:b\",\"hits\":5,\"last\":\"" NOW_TEXT "\"}\n");
	usage_rename(f->usage, slice_of("state:none"), slice_of("state:b"), NOW);
	usage_rename(f->usage, slice_of("state:a"), slice_of("state:a"), NOW);
	usage_rename(f->usage, slice_of("state:a"), slice_of("state:b"), NOW);
	assert_null(find(f, "state:a"));
	assert_int_equal(hits(f, "state:b"), 7);
	assert_int_equal(find(f, "state:b")->last_ms, NOW);
	assert_int_equal(find(f, "state:b")->digest, 1);
	assert_file(f, SINCE_LINE
		    "{\"ref\":\"state:a\",\"hits\":2,\"digest\":\"0000000000000001\",\"mine\":3}\n"
		    "{\"ref\":\"state:b\",\"hits\":5,\"last\":\"" NOW_TEXT "\"}\n"
		    "{\"ref\":\"state:b\",\"hits\":7,\"last\":\"" NOW_TEXT
		    "\",\"digest\":\"0000000000000001\",\"mine\":3}\n{\"ref\":\"state:a\"}\n");
	hit(f, "state:a");
	assert_int_equal(hits(f, "state:a"), 1);
}

static void hits_of_a_merged_entry_are_of_what_remains(void **state)
{
	struct fixture *f = *state;

	put_file(f,
		 SINCE_LINE "{\"ref\":\"state:a\",\"hits\":2,\"last\":\"" NOW_TEXT
			    "\",\"digest\":\"0000000000000001\"}\n"
			    "{\"ref\":\"state:b\",\"hits\":5,\"digest\":\"0000000000000002\"}\n");
	usage_join(f->usage, slice_of("state:none"), slice_of("state:b"), NOW);
	usage_join(f->usage, slice_of("state:a"), slice_of("state:a"), NOW);
	usage_join(f->usage, slice_of("state:a"), slice_of("state:b"), NOW);
	assert_int_equal(hits(f, "state:a"), 0);
	assert_int_equal(hits(f, "state:b"), 7);
	assert_int_equal(find(f, "state:a")->digest, 1);
	assert_int_equal(find(f, "state:b")->digest, 2);
	assert_int_equal(find(f, "state:b")->last_ms, NOW);
	usage_join(f->usage, slice_of("state:b"), slice_of("state:c"), NOW);
	assert_int_equal(hits(f, "state:c"), 7);
	assert_int_equal(find(f, "state:c")->digest, 0);
}

/* No line of ours: it is not read into memory, and says what to do. */
static void a_line_of_absurd_length_counts_as_no_usage(void **state)
{
	struct fixture *f = *state;
	struct err err;
	int fd;

	put_file(f, SINCE_LINE HIT_LINE("state:a"));
	fd = openat(f->dir.fd, "usage.jsonl", O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, (off_t)65 << 20), 0);
	close(fd);
	assert_int_equal(usage_refresh(f->usage, &err), -1);
	assert_int_equal(err.code, ERR_TOO_LARGE);
	assert_non_null(
		strstr(err.text, "usage.jsonl has a line of more than 67108864 bytes: remove it"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, usagefile_setup, usagefile_teardown)
	const struct CMUnitTest tests[] = {
		TEST(begins_with_a_since_line),
		TEST(writes_each_batch_at_once_and_without_fsync),
		TEST(is_private_whatever_the_umask),
		TEST(begins_a_new_line_after_a_torn_one),
		TEST(begins_again_where_the_since_line_is_lost),
		TEST(the_last_since_line_counts),
		TEST(a_store_that_does_not_exist_is_not_created),
		TEST(a_hit_that_cannot_be_written_is_none),
		TEST(what_is_no_file_counts_as_no_usage),
		TEST(what_cannot_be_read_is_not_begun_again),
		TEST(hits_of_a_merged_entry_are_of_what_remains),
		TEST(a_line_of_absurd_length_counts_as_no_usage),
		TEST(reads_on_where_it_stopped),
		TEST(reads_another_file_anew),
		TEST(notices_a_file_that_only_looks_grown),
		TEST(skips_what_has_no_meaning),
		TEST(bounds_absurd_numbers),
		TEST(times_need_no_order),
		TEST(a_compacted_line_says_all),
		TEST(keys_may_hold_anything),
		TEST(counts_uses_beside_hits),
		TEST(counts_of_uses_are_read_back),
		TEST(several_hits_are_one_write),
		TEST(moves_what_is_known_to_another_ref),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
