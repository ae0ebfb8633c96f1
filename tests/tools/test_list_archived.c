#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <errno.h>
#include <time.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

static void lists_records_with_their_time(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'b','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_replies(t, "archived", "{}",
			 "{'refs':['state:a@" T0 "','state:a@" T1 "','state:b@" T0 "']}");
}

static void lists_cold_records_too(void **state)
{
	struct teststore *t = *state;

	assert_int_equal(mkdirat(t->dir.fd, "archive.cold", 0700), 0);
	toolcall_write_file(t, "archive.cold/2026-10.jsonl",
			    "{'category':'patterns','key':'k@2026-10-01T00:00:00.000+00:00',"
			    "'originalKey':'k','archivedAt':'2026-10-01T00:00:00.000+00:00',"
			    "'reason':'expiry','entry':{'value':1}}\n");
	toolcall_replies(t, "archived", "{}",
			 "{'refs':['patterns:k@2026-10-01T00:00:00.000+00:00']}");
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How long it takes another process to list them. */
static double listing_s(struct teststore *t)
{
	double begin;

	teststore_reopen(t);
	begin = cpu_s();
	toolcall_replies(t, "archived", "{}", NULL);
	return cpu_s() - begin;
}

/* A month of many records is listed as fast after something was brought back out of it. */
static void one_restore_does_not_make_a_long_archive_slow(void **state)
{
	struct teststore *t = *state;
	STR_AUTO month = STR_INIT;
	double before;
	double after;

	assert_int_equal(mkdirat(t->dir.fd, "archive.cold", 0700), 0);
	for (int i = 0; i < 6000; i++)
		str_printf(
			&month,
			"{\"category\":\"state\",\"key\":\"old%d@2026-10-01T00:00:00.000+00:00\","
			"\"originalKey\":\"old%d\",\"archivedAt\":\"2026-10-01T00:00:00.000+00:"
			"00\","
			"\"reason\":\"deleted\",\"entry\":{\"value\":\"%0900d\"}}\n",
			i, i, i);
	tmpdir_write(&t->dir, "archive.cold/2026-10.jsonl", month.ptr);
	before = listing_s(t);
	toolcall_replies(t, "restore", "{'key':'old5999'}", NULL);
	after = listing_s(t);
	if (after > 5 * before)
		fail_msg("%.3f s, after one restore %.3f s", before, after);
}

static void a_store_that_is_not_there_is_empty(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

/* Somebody else holds the lock, so that nothing can be moved. */
static void what_is_due_counts_as_archived(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	fake_sys_set_now(fake_sys_now() + 91 * MS_PER_DAY);
	fake_sys_fail(FAKE_FLOCK, 1, EWOULDBLOCK, FAKE_ALWAYS);
	toolcall_replies(t, "archived", "{}", "{'refs':['state:a@2027-02-20T09:30:00.000+01:00']}");
	assert_true(fake_sys_hits() > 0);
}

static void a_folder_that_cannot_be_read_is_an_error(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_write_file(t, "archive.cold", "no folder");
	toolcall_refused(t, "archived", "{}", ERR_BAD_DATA, NULL);
}

static void takes_no_arguments(void **state)
{
	toolcall_refused(*state, "archived", "{'category':'state'}", ERR_UNKNOWN_ARGUMENT,
			 "category: no such argument; memory_list_archived takes none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists_records_with_their_time),
		TEST(lists_cold_records_too),
		cmocka_unit_test_setup_teardown(one_restore_does_not_make_a_long_archive_slow,
						toolcall_set_up_marked, toolcall_tear_down),
		TEST(a_store_that_is_not_there_is_empty),
		TEST(what_is_due_counts_as_archived),
		TEST(a_folder_that_cannot_be_read_is_an_error),
		TEST(takes_no_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
