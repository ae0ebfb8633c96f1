#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/wire.h"

#include <stdlib.h>
#include <string.h>

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"
#define BAD                                                                                        \
	"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"expected a JSON-RPC "       \
	"request object\"}}"

#define LONG(id)                                                                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                                          \
	",\"error\":{\"code\":-32600,\"message\":\"The batch is "                                  \
	"too long: send at most 100 messages in one\"}}"
#define TORN(id) "{\"jsonrpc\":\"2.0\",\"id\":" id "\"error\":{\"code\":-32700,"
#define TORN_NAMELESS "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"

static void test_batch(void **state)
{
	struct mcp_session *session = wire_greeted("2025-03-26");

	(void)state;
	wire_is(session, "[" PING("\"a\"") "," NOTE "," PING("\"b\"") "]",
		"[" PONG("\"a\"") "," PONG("\"b\"") "]");
	wire_is(session, "[" NOTE "," PING("1") "]", "[" PONG("1") "]");
	wire_is(session, "[" PING("1") "," NOTE "]", "[" PONG("1") "]");
	wire_silent(session, "[" NOTE "]");
	wire_silent(session, "[" NOTE "," NOTE "]");
	wire_is(session, " [ " PING("-7") " ] ", "[" PONG("-7") "]");
	mcp_session_free(session);
}

static void test_elements_that_are_none(void **state)
{
	struct mcp_session *session = wire_greeted("2025-03-26");

	(void)state;
	wire_is(session, "[1]", "[" BAD "]");
	wire_is(session, "[[" PING("1") "]," PING("2") "]", "[" BAD "," PONG("2") "]");
	mcp_session_free(session);
}

static void test_handshake_stands_alone(void **state)
{
	struct mcp_session *session = wire_greeted("2025-03-26");

	(void)state;
	wire_is(session,
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
		"\"protocolVersion\":\"2025-11-25\"}}," PING("2") "]",
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":"
		"\"initialize must not be in a batch\"}}," PONG("2") "]");
	/* Nor did it take effect. */
	wire_is(session, "[" PING("3") "]", "[" PONG("3") "]");
	mcp_session_free(session);
}

static void test_length(void **state)
{
	struct mcp_session *session = wire_greeted("2025-03-26");
	STR_AUTO notes = STR_INIT;

	(void)state;
	wire_error(session, "[]", NULL, -32600);
	str_adds(&notes, "[" NOTE);
	for (int i = 1; i < 100; i++)
		str_adds(&notes, "," NOTE);
	str_addc(&notes, ']');
	wire_silent(session, notes.ptr);
	str_truncate(&notes, notes.len - 1);
	str_adds(&notes, "," NOTE "]");
	wire_error(session, notes.ptr, NULL, -32600);
	/* Who waits for an answer gets one. */
	str_truncate(&notes, notes.len - 1);
	str_adds(&notes, "," PING("7") "," PING("\"b\"") "]");
	wire_is(session, notes.ptr, "[" LONG("7") "," LONG("\"b\"") "]");
	mcp_session_free(session);
}

/* Nothing of a batch is done that cannot be read as a whole, and each request in it is told so. */
static void test_broken(void **state)
{
	struct mcp_session *session = wire_greeted("2025-03-26");
	const char *torn = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"p\\ud800\"}";
	STR_AUTO line = STR_INIT;
	char *answer;

	(void)state;
	str_printf(&line, "[" PING("1") ",%s," NOTE ",7]", torn);
	answer = wire_answer(session, str_slice(&line));
	assert_true(strncmp(answer, "[" TORN("1,"), strlen("[" TORN("1,"))) == 0);
	assert_non_null(strstr(answer, "}}," TORN("2,")));
	assert_non_null(strstr(answer, "}}," TORN_NAMELESS));
	assert_null(strstr(answer, "result"));
	free(answer);
	wire_silent(session, "[{\"jsonrpc\":\"2.0\",\"method\":\"p\\ud800\"}]");
	wire_error(session, "[", NULL, -32700);
	mcp_session_free(session);
	/* Where there are no batches an array is no request. */
	session = wire_greeted("2025-06-18");
	wire_error(session, line.ptr, NULL, -32700);
	mcp_session_free(session);
}

/* Batches came with one revision and went with the next. */
static void test_other_revisions(void **state)
{
	static const char *const others[] = {"2024-11-05", "2025-06-18", "2025-11-25"};
	struct mcp_session *session = wire_session();

	(void)state;
	wire_error(session, "[" PING("1") "]", NULL, -32600);
	mcp_session_free(session);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		session = wire_greeted(others[i]);
		wire_error(session, "[" PING("1") "]", NULL, -32600);
		wire_error(session, "[]", NULL, -32600);
		mcp_session_free(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batch),
		cmocka_unit_test(test_elements_that_are_none),
		cmocka_unit_test(test_handshake_stands_alone),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_other_revisions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
