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

static bool keep_all_but_gone(void *context, struct slice ref)
{
	(void)context;
	return !slice_is(ref, "state:gone");
}

static void compact(struct fixture *f)
{
	struct err err;

	if (usage_compact(f->usage, keep_all_but_gone, NULL, &err) != 0)
		fail_msg("%s", err.text);
}

/* `count` hits of state:a behind a text. */
static void put_hits(struct fixture *f, const char *text, int count)
{
	struct str lines = STR_INIT;

	str_adds(&lines, text);
	for (int i = 0; i < count; i++)
		str_adds(&lines, HIT_LINE("state:a"));
	put_file(f, lines.ptr);
	str_release(&lines);
}

static void leaves_a_short_file_alone(void **state)
{
	struct fixture *f = *state;

	compact(f);
	assert_false(tmpdir_has(&f->dir, "usage.jsonl"));
	put_hits(f, SINCE_LINE, 203);
	compact(f);
	assert_int_equal(fake_sys_count(FAKE_RENAMEAT2), 0);
	hit(f, "state:a");
	compact(f);
	assert_int_equal(fake_sys_count(FAKE_RENAMEAT2), 1);
	compact(f);
	assert_int_equal(fake_sys_count(FAKE_RENAMEAT2), 1);
}

/* However long nobody has made a change: 66 MB, in lines of which some are longer than a piece. */
static void compacts_a_file_of_any_size(void **state)
{
	struct fixture *f = *state;
	STR_AUTO lines = STR_INIT;
	struct stat st;

	str_adds(&lines, SINCE_LINE);
	for (int i = 0; i < 1100; i++) {
		size_t len = i % 500 == 7 ? 3 << 20 : 55000;

		str_adds(&lines, "{\"junk\":\"");
		str_reserve(&lines, len);
		memset(lines.ptr + lines.len, 'x', len);
		lines.len += len;
		lines.ptr[lines.len] = '\0';
		str_adds(&lines, "\"}\n" HIT_LINE("state:a"));
	}
	assert_true(lines.len > (size_t)66 << 20);
	put_file(f, lines.ptr);
	assert_int_equal(hits(f, "state:a"), 1100);
	/* What is read piece by piece is not read again. */
	hit(f, "state:a");
	assert_int_equal(hits(f, "state:a"), 1101);
	compact(f);
	assert_int_equal(fstatat(f->dir.fd, "usage.jsonl", &st, 0), 0);
	assert_in_range(st.st_size, 1, 1000);
	assert_int_equal(hits(f, "state:a"), 1101);
}

static void keeps_one_line_a_ref(void **state)
{
	struct fixture *f = *state;

	put_hits(f,
		 "{\"since\":\"" NOW_TEXT "\",\"outranks\":true}\n"
		 "{\"ref\":\"state:b\",\"mine\": 1.50,\"hits\":3, \"cross_domain\":{\"x\":[1, 2]},"
		 "\"seen\":\"" NEXT_TEXT "\",\"digest\":\"00000000000000aa\"}\n"
		 "{\"ref\":\"state:empty\"}\n" HIT_LINE("state:gone") "junk\n" HIT_LINE("state:b"),
		 300);
	compact(f);
	assert_file(f, "{\"since\":\"" NOW_TEXT "\",\"outranks\":true}\n"
		       "{\"ref\":\"state:b\",\"hits\":4,\"last\":\"" NOW_TEXT
		       "\",\"seen\":\"" NEXT_TEXT
		       "\",\"digest\":\"00000000000000aa\",\"mine\": 1.50,\"cross_domain\":"
		       "{\"x\":[1, 2]}}\n"
		       "{\"ref\":\"state:a\",\"hits\":300,\"last\":\"" NOW_TEXT "\"}\n");
	assert_int_equal(hits(f, "state:a"), 300);
	assert_int_equal(hits(f, "state:b"), 4);
	assert_null(find(f, "state:gone"));
	assert_true(usage_epoch(f->usage).outranks);
	assert_false(tmpdir_has(&f->dir, ".usage.jsonl.tmp"));
}

static void append_while_it_is_replaced(void *arg)
{
	append_text(arg, HIT_LINE("state:b") "{\"hit\":\"st");
}

static void carries_over_what_is_appended_meanwhile(void **state)
{
	struct fixture *f = *state;

	put_hits(f, SINCE_LINE, 300);
	fake_sys_before(FAKE_RENAMEAT2, 1, append_while_it_is_replaced, f);
	compact(f);
	assert_file(f, SINCE_LINE "{\"ref\":\"state:a\",\"hits\":300,\"last\":\"" NOW_TEXT
				  "\"}\n" HIT_LINE("state:b"));
	assert_int_equal(hits(f, "state:a"), 300);
	assert_int_equal(hits(f, "state:b"), 1);
}

static void compact_elsewhere(void *arg)
{
	struct fixture *f = arg;

	tmpdir_write(&f->dir, "new", SINCE_LINE "{\"ref\":\"state:a\",\"hits\":300}\n");
	assert_int_equal(renameat(f->dir.fd, "new", f->dir.fd, "usage.jsonl"), 0);
}

static void writes_again_after_a_compaction(void **state)
{
	struct fixture *f = *state;

	put_hits(f, SINCE_LINE, 300);
	fake_sys_before(FAKE_WRITE, 1, compact_elsewhere, f);
	hit(f, "state:b");
	assert_file(f, SINCE_LINE "{\"ref\":\"state:a\",\"hits\":300}\n" HIT_LINE("state:b"));
	assert_int_equal(hits(f, "state:a"), 300);
	assert_int_equal(hits(f, "state:b"), 1);
}

static void remove_file(void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(unlinkat(f->dir.fd, "usage.jsonl", 0), 0);
}

static void begins_anew_when_the_file_is_removed_under_it(void **state)
{
	struct fixture *f = *state;

	put_hits(f, SINCE_LINE, 1);
	fake_sys_before(FAKE_WRITE, 1, remove_file, f);
	hit(f, "state:b");
	assert_file(f, SINCE_LINE HIT_LINE("state:b"));
}

/* Whatever call fails, all hits are there afterwards and nothing is left behind. */
static void a_compaction_that_fails_loses_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	for (n = 1;; n++) {
		struct err err;
		int result;

		put_hits(f, SINCE_LINE, 300);
		fake_sys_reset(NOW);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = usage_compact(f->usage, keep_all_but_gone, NULL, &err);
		if (fake_sys_hits() == 0)
			break;
		fake_sys_reset(NOW);
		if (result != 0)
			assert_non_null(strstr(err.text, "usage.jsonl"));
		refresh(f);
		assert_int_equal(hits(f, "state:a"), 300);
		assert_int_equal(tmpdir_count(&f->dir), 1);
	}
	assert_true(n > 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, usagefile_setup, usagefile_teardown)
	const struct CMUnitTest tests[] = {
		TEST(leaves_a_short_file_alone),
		TEST(compacts_a_file_of_any_size),
		TEST(keeps_one_line_a_ref),
		TEST(carries_over_what_is_appended_meanwhile),
		TEST(writes_again_after_a_compaction),
		TEST(begins_anew_when_the_file_is_removed_under_it),
		TEST(a_compaction_that_fails_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
