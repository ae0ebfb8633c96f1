#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/wire.h"

#include "json/doc.h"

#include <stdlib.h>

static void pong(struct mcp_session *session, const char *id)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO answer = STR_INIT;

	str_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", id);
	str_printf(&answer, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", id);
	wire_is(session, line.ptr, answer.ptr);
}

static void test_id_comes_back_as_it_was(void **state)
{
	struct mcp_session *session = wire_session();
	static const char *const ids[] = {
		"0",
		"-7",
		"1",
		"9007199254740991",
		"9007199254740993",
		"1.50",
		"1e400",
		"-0",
		"\"\"",
		"\"listen:0\"",
		"\"server-discover-probe-1\"",
		"\"\\u00e9\\n\\/\"",
		"\"é\"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
		pong(session, ids[i]);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", NULL, -32600);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", NULL, -32600);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":\"a\\nb\",\"method\":\"no\"}", "\"a\\nb\"",
		   -32602);
	mcp_session_free(session);
}

static void test_blank_lines(void **state)
{
	struct mcp_session *session = wire_session();

	(void)state;
	wire_silent(session, "");
	wire_silent(session, " \t ");
	wire_silent(session, "\r");
	wire_is(session, " {\"id\" : 1, \"method\":\"ping\", \"jsonrpc\":\"2.0\"}\r",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	mcp_session_free(session);
}

static void test_not_json(void **state)
{
	struct mcp_session *session = wire_session();

	(void)state;
	wire_is(session, "hello",
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"Parse error: "
		"\\\"hello\\\" without quotes; only true, false and null go so, "
		"at character 1 of the line; correct it and send it again\"}}");
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", NULL,
		   -32700);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}", NULL, -32700);
	wire_error(session, "[", NULL, -32700);
	wire_error(session, "\"a\"", NULL, -32600);
	mcp_session_free(session);
}

/* Who asked something gets an answer, though it cannot be carried out. */
static void test_not_json_with_an_id(void **state)
{
	static const char *const values[] = {
		"\"\\ud83d\"", "\"\xff\"", "{\"a\":1,\"a\":2}", "NaN", "\"a\tb\"", "01", "1,,",
	};
	struct mcp_session *session = wire_session();
	STR_AUTO line = STR_INIT;

	(void)state;
	wire_is(session,
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":\"\\ud83d\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32700,\"message\":\"Parse "
		"error: a lone surrogate \\\\ud83d, at character 53 of the line; correct it and "
		"send "
		"it again\"}}");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		str_clear(&line);
		str_printf(&line, "{\"id\":7,\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":%s}",
			   values[i]);
		wire_error(session, line.ptr, "7", -32700);
	}
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi", "1", -32700);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}", "1", -32700);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", "1", -32700);
	wire_silent(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/\xff\"}");
	mcp_session_free(session);
}

static void code_is(struct mcp_session *session, struct slice line, const char *code,
		    const char *id)
{
	char *answer = wire_answer(session, line);
	const char *found = strstr(answer, "\"id\":");

	assert_non_null(strstr(answer, code));
	if (id)
		assert_true(found && strncmp(found + 5, id, strlen(id)) == 0);
	else
		assert_null(found);
	free(answer);
}

static void test_nul_bytes(void **state)
{
	struct mcp_session *session = wire_session();
	const char inside[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\0ng\"}";
	const char behind[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\0";

	(void)state;
	code_is(session, slice_make(inside, sizeof inside - 1), "-32700", "1,");
	code_is(session, slice_make(behind, sizeof behind - 1), "-32700", "1,");
	code_is(session, slice_make("\0", 1), "-32700", NULL);
	mcp_session_free(session);
}

static void repeat(struct str *out, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		str_adds(out, text);
}

static void test_depth(void **state)
{
	struct mcp_session *session = wire_session();
	STR_AUTO bomb = STR_INIT;

	(void)state;
	repeat(&bomb, "[", 500000);
	code_is(session, str_slice(&bomb), "-32700", NULL);
	str_clear(&bomb);
	repeat(&bomb, "{\"a\":", 100000);
	code_is(session, str_slice(&bomb), "-32700", NULL);
	str_clear(&bomb);
	str_adds(&bomb, "{\"method\":\"ping\",\"params\":");
	repeat(&bomb, "{\"id\":", 100000);
	str_addc(&bomb, '1');
	repeat(&bomb, "}", 100000);
	str_adds(&bomb, ",\"jsonrpc\":\"2.0\",\"id\":33}");
	code_is(session, str_slice(&bomb), "-32700", "33,");
	pong(session, "1");
	mcp_session_free(session);
}

/* A line of this many bytes in all. */
static void make_line(struct str *line, size_t bytes)
{
	const char *head = "{\"method\":\"ping\",\"params\":{\"x\":\"";
	const char *tail = "\"},\"jsonrpc\":\"2.0\",\"id\":1}";

	str_clear(line);
	str_adds(line, head);
	repeat(line, "x", bytes - strlen(head) - strlen(tail));
	str_adds(line, tail);
}

static void test_longest_line(void **state)
{
	struct mcp_session *session = wire_session();
	STR_AUTO line = STR_INIT;

	(void)state;
	make_line(&line, (1 << 20) - 1);
	wire_is(session, line.ptr, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	make_line(&line, 1 << 20);
	wire_is(session, line.ptr, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	make_line(&line, (1 << 20) + 1);
	wire_is(session, line.ptr,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32700,\"message\":\"Parse "
		"error: the "
		"line is longer than 1048576 bytes; send less in one request\"}}");
	mcp_session_free(session);
}

/* Answers are one line, whatever is in them. */
static void test_answers_have_no_newline(void **state)
{
	struct mcp_session *session = wire_session();
	char *answer = wire_answer(
		session, slice_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
				  "\"params\":{\"name\":\"echo\",\"arguments\":{"
				  "\"text\":\"a\\nb\\r\"}," WIRE_META "}}"));

	(void)state;
	assert_non_null(strstr(answer, "\"text\":\"a\\nb\\r\""));
	assert_null(strchr(answer, '\n'));
	assert_null(strchr(answer, '\r'));
	free(answer);
	mcp_session_free(session);
}

/* The answer is put behind what is there. */
static void test_out_is_appended_to(void **state)
{
	struct mcp_session *session = wire_session();
	const char *expected = "before{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":";
	STR_AUTO out = STR_INIT;

	(void)state;
	str_adds(&out, "before");
	mcp_dispatch_line(session,
			  slice_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
				   "\"params\":{\"name\":\"no\"," WIRE_META "}}"),
			  &out);
	assert_memory_equal(out.ptr, expected, strlen(expected));
	mcp_session_free(session);
}

static void test_unnamed_session(void **state)
{
	struct mcp_session *session = wire_session();

	(void)state;
	mcp_session_free(session);
	mcp_session_free(NULL);
	session = wire_open(sys_real(), WIRE_NOWHERE, NULL);
	wire_has(session,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
		 "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META "}}",
		 "\"session\":null");
	mcp_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id_comes_back_as_it_was),
		cmocka_unit_test(test_blank_lines),
		cmocka_unit_test(test_not_json),
		cmocka_unit_test(test_not_json_with_an_id),
		cmocka_unit_test(test_nul_bytes),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_longest_line),
		cmocka_unit_test(test_answers_have_no_newline),
		cmocka_unit_test(test_out_is_appended_to),
		cmocka_unit_test(test_unnamed_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
