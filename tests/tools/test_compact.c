#include "support/toolcall.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)
#define TEST_WITH_HISTORY(f)                                                                       \
	cmocka_unit_test_setup_teardown(f, toolcall_set_up_with_history, toolcall_tear_down)

#define COLD "archive.cold/2026-11.jsonl"
#define LINE(key)                                                                                  \
	"{'category':'state','key':'" key "@2026-11-01T10:00:00.000Z','originalKey':'" key "',"    \
	"'archivedAt':'2026-11-01T10:00:00.000Z','reason':'evicted','entry':{'value':1}}"
#define VOID(line) "{'void':" line "}"

static void write_cold(struct teststore *t, const char *text)
{
	toolcall_try(t, "set", "{'key':'z','value':1}");
	assert_int_equal(mkdirat(t->dir.fd, "archive.cold", 0700), 0);
	toolcall_write_file(t, COLD, text);
}

static void a_line_stands_once(void **state)
{
	struct teststore *t = *state;

	write_cold(t, LINE("a") "\n" LINE("b") "\n" LINE("a") "\n");
	toolcall_reply_has(t, "compact", "{}", "'lines_removed':1");
	toolcall_file_is(t, COLD, LINE("b") "\n" LINE("a") "\n");
	toolcall_reply_has(t, "compact", "{}", "'lines_removed':0");
	toolcall_file_is(t, COLD, LINE("b") "\n" LINE("a") "\n");
}

static void of_a_line_taken_back_the_last_word_stays(void **state)
{
	struct teststore *t = *state;

	write_cold(t, LINE("a") "\n" VOID(LINE("a")) "\n" LINE("b") "\n" VOID(LINE("b")) "\n" LINE(
			      "b") "\n");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:b@2026-11-01T10:00:00.000Z']}");
	toolcall_reply_has(t, "compact", "{}", "'lines_removed':3");
	toolcall_file_is(t, COLD, VOID(LINE("a")) "\n" LINE("b") "\n");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:b@2026-11-01T10:00:00.000Z']}");
}

static void what_does_not_parse_and_what_is_torn_stays(void **state)
{
	static const char text[] = "mine\n" LINE("a") "\n\n" LINE("a");
	struct teststore *t = *state;

	write_cold(t, text);
	toolcall_reply_has(t, "compact", "{}", "'lines_removed':0");
	toolcall_file_is(t, COLD, text);
}

static void usage_of_what_can_come_back_is_kept(void **state)
{
	struct teststore *t = *state;
	char *usage;

	write_cold(t, LINE("cold") "\n");
	tmpdir_write(&t->dir, "usage.jsonl",
		     "{\"since\":\"2026-11-01T10:00:00.000Z\"}\n"
		     "{\"hit\":\"state:cold\",\"at\":\"2026-11-01T10:00:00.000Z\"}\n"
		     "{\"hit\":\"state:z\",\"at\":\"2026-11-01T10:00:00.000Z\"}\n"
		     "{\"hit\":\"state:z\",\"at\":\"2026-11-02T10:00:00.000Z\"}\n"
		     "{\"hit\":\"state:gone\",\"at\":\"2026-11-01T10:00:00.000Z\"}\n");
	toolcall_try(t, "compact", "{}");
	usage = tmpdir_read(&t->dir, "usage.jsonl");
	assert_non_null(strstr(usage, "state:cold"));
	assert_non_null(strstr(usage, "\"ref\":\"state:z\",\"hits\":2"));
	assert_null(strstr(usage, "state:gone"));
	assert_null(strstr(usage, "\"hit\":"));
	free(usage);
}

static void the_bytes_are_counted(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;
	STR_AUTO expected = STR_INIT;
	size_t line = strlen(LINE("a")) + 1;

	write_cold(t, LINE("a") "\n" LINE("a") "\n");
	toolcall_reply(t, "compact", "{}", &reply);
	str_printf(&expected,
		   "\"cold\":{\"bytes_before\":%zu,\"bytes_after\":%zu,\"lines_removed\":1}",
		   2 * line, line);
	assert_non_null(strstr(reply.ptr, expected.ptr));
	assert_non_null(strstr(reply.ptr, "\"history_left\":"));
}

static void the_history_is_packed_and_says_who_it_was(void **state)
{
	struct teststore *t = *state;

	write_cold(t, LINE("a") "\n" LINE("a") "\n");
	toolcall_try(t, "set", "{'key':'y','value':2}");
	toolcall_reply_has(t, "compact", "{}", "'lines_removed':1");
	toolcall_reply_has(t, "log", "{'limit':1}", "'tool':'compact'");
	toolcall_reply_has(t, "compact", "{}", "'objects_packed':0");
	toolcall_reply_has(t, "revert", "{'key':'state:y'}", "y");
}

static void where_no_store_is_none_is_made(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "compact", "{}", "{'bytes_before':0,'bytes_after':0");
	assert_false(tmpdir_has(&t->dir, "metadata.json"));
}

static void a_failure_leaves_the_lines(void **state)
{
	struct teststore *t = *state;

	write_cold(t, LINE("a") "\n" LINE("a") "\n");
	fake_sys_fail(FAKE_FSYNC, 1, EIO, FAKE_ALWAYS);
	toolcall_refused(t, "compact", "{}", ERR_IO, NULL);
	fake_sys_reset(fake_sys_now());
	toolcall_file_is(t, COLD, LINE("a") "\n" LINE("a") "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_stands_once),
		TEST(of_a_line_taken_back_the_last_word_stays),
		TEST(what_does_not_parse_and_what_is_torn_stays),
		TEST(usage_of_what_can_come_back_is_kept),
		TEST(the_bytes_are_counted),
		TEST_WITH_HISTORY(the_history_is_packed_and_says_who_it_was),
		TEST(where_no_store_is_none_is_made),
		TEST(a_failure_leaves_the_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
