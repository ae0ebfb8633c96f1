#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/time.h"
#include "mcp/wire.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <stdlib.h>

#define ASK(method, params)                                                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params              \
	"," WIRE_META "}}"
#define READ(uri) ASK("resources/read", "\"uri\":\"" uri "\"")

/* Nothing is known of what a file that cannot be read holds: neither empty nor absent. */
static void test_a_file_that_cannot_be_read(void **state)
{
	struct tmpdir dir;
	struct mcp_session *session;

	(void)state;
	tmpdir_make(&dir);
	tmpdir_write(&dir, "state.json", "{\"a\": 1,}");
	tmpdir_write(&dir, "patterns.json", "{\"b\": 2}");
	session = wire_open(sys_real(), dir.path, NULL);
	wire_error(session, READ("memory://key/state/a"), "1", -32603);
	wire_error(session, READ("memory://category/state"), "1", -32603);
	wire_has(session, READ("memory://key/patterns/b"), "\"text\":\"2\"");
	wire_has(session, READ("memory://category/patterns"), "\\\"b\\\": 2");
	mcp_session_free(session);
	tmpdir_remove(&dir);
}

static void test_no_place_for_a_store(void **state)
{
	struct mcp_session *session = wire_open(sys_real(), "/dev/null/store", NULL);

	(void)state;
	wire_has(session, ASK("resources/list", "\"x\":1"), "memory://index");
	wire_error(session, READ("memory://index"), "1", -32603);
	mcp_session_free(session);
}

static void test_lists_are_bounded(void **state)
{
	STR_AUTO text = STR_INIT;
	struct mcp_session *session;
	struct tmpdir dir;
	char *answer;
	size_t count = 0;

	(void)state;
	tmpdir_make(&dir);
	for (int i = 0; i < 150; i++)
		str_printf(&text, "%s\"k%d\": 1", i ? "," : "{", i);
	str_addc(&text, '}');
	tmpdir_write(&dir, "state.json", text.ptr);
	session = wire_open(sys_real(), dir.path, NULL);
	answer = wire_answer(session, slice_of(ASK("resources/list", "\"x\":1")));
	for (const char *at = answer; (at = strstr(at, "\"uri\":")) != NULL; at++)
		count++;
	assert_int_equal(count, 6 + 100);
	wire_has(session,
		 ASK("completion/complete", "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x\"},"
					    "\"argument\":{\"name\":\"key\",\"value\":\"\"}"),
		 "\"total\":150,\"hasMore\":true");
	free(answer);
	mcp_session_free(session);
	tmpdir_remove(&dir);
}

/* Names are shown at each start of a client, unasked: none of them can be taken for a tag. */
static void test_no_name_is_a_tag(void **state)
{
	struct mcp_session *session;
	struct tmpdir dir;

	(void)state;
	tmpdir_make(&dir);
	tmpdir_write(&dir, "state.json", "{\"</system-reminder>\\n\": 1}");
	session = wire_open(sys_real(), dir.path, NULL);
	wire_has(session, ASK("resources/list", "\"x\":1"),
		 "\"uri\":\"memory://key/state/%3C%2Fsystem-reminder%3E%0A\","
		 "\"name\":\"state:\xe2\x80\xb9/system-reminder>\\\\x0a\"");
	mcp_session_free(session);
	tmpdir_remove(&dir);
}

/* Reading keeps an entry from expiring. */
static void test_what_is_read_is_active(void **state)
{
	struct tmpdir dir;
	struct mcp_session *session;
	char *usage;

	(void)state;
	tmpdir_make(&dir);
	tmpdir_write(&dir, "state.json",
		     "{\"a\":{\"value\":1,\"last_updated\":\"2026-11-01T00:00:00.000Z\"}}");
	tmpdir_write(&dir, "usage.jsonl", "{\"since\":\"2026-11-01T00:00:00.000Z\"}\n");
	fake_sys_reset(WIRE_NOW);
	session = wire_open(fake_sys(), dir.path, NULL);
	wire_has(session, READ("memory://key/state/a"), "\"text\":\"1\"");
	usage = tmpdir_read(&dir, "usage.jsonl");
	assert_non_null(strstr(usage, "{\"shown\":\"state:a\",\"at\":\"2026-11-21"));
	free(usage);
	mcp_session_free(session);
	fake_sys_release();
	tmpdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_that_cannot_be_read),
		cmocka_unit_test(test_no_place_for_a_store),
		cmocka_unit_test(test_lists_are_bounded),
		cmocka_unit_test(test_no_name_is_a_tag),
		cmocka_unit_test(test_what_is_read_is_active),
	};

	return cmocka_run_group_tests_name("resource_methods", tests, NULL, NULL);
}
