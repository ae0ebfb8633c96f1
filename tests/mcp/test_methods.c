#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/version.h"
#include "mcp/instructions.h"
#include "mcp/methods.h"
#include "mcp/wire.h"

/* What every answer about ourselves holds, for comparing whole answers. */
static void add_server_info(struct str *out)
{
	str_printf(out, "{\"name\":\"kota-memory\",\"title\":\"Memory\",\"version\":\"%s\"}",
		   version_text());
}

static void add_instructions(struct str *out)
{
	str_adds(out, "\"instructions\":");
	struct json_writer w = json_writer_to(out, &json_compact);
	json_write_string(&w, slice_of(mcp_instructions));
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(method_find(slice_of("tools/call"))->name, "tools/call");
	assert_null(method_find(slice_of("tools/cal")));
	assert_null(method_find(slice_of("tools/call ")));
	assert_null(method_find(slice_of("Tools/Call")));
	assert_null(method_find(slice_of("")));
}

static void test_discover(void **state)
{
	struct mcp_session *session = wire_session();
	STR_AUTO expected = STR_INIT;

	(void)state;
	str_adds(&expected, "{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"result\":{"
			    "\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
			    "\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{},"
			    "\"completions\":{}},");
	add_instructions(&expected);
	str_adds(&expected, ",\"ttlMs\":3600000,\"cacheScope\":\"public\","
			    "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
	add_server_info(&expected);
	str_adds(&expected, "}}}");
	wire_is(session,
		"{\"jsonrpc\":\"2.0\",\"id\":\"probe-1\",\"method\":\"server/discover\","
		"\"params\":{" WIRE_META "}}",
		expected.ptr);
	mcp_session_free(session);
}

static void test_initialize(void **state)
{
	struct mcp_session *session = wire_session();
	STR_AUTO expected = STR_INIT;

	(void)state;
	str_adds(&expected, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{"
			    "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{},"
			    "\"resources\":{},\"prompts\":{},\"completions\":{}},"
			    "\"serverInfo\":");
	add_server_info(&expected);
	str_addc(&expected, ',');
	add_instructions(&expected);
	str_adds(&expected, "}}");
	wire_is(session,
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
		"\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{}}}",
		expected.ptr);
	mcp_session_free(session);
}

static void test_initialize_refused(void **state)
{
	struct mcp_session *session = wire_session();

	(void)state;
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", "1",
		   -32602);
	wire_error(session,
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
		   "\"protocolVersion\":20251125}}",
		   "1", -32602);
	/* That was no handshake. */
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", "1",
		   -32602);
	mcp_session_free(session);
}

/* A client may greet again, in another revision. */
static void test_initialize_again(void **state)
{
	struct mcp_session *session = wire_greeted("2025-03-26");
	const char *batch = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]";

	(void)state;
	wire_is(session, batch, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]");
	wire_has(session,
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
		 "\"protocolVersion\":\"3000-01-01\"}}",
		 "\"protocolVersion\":\"2025-11-25\"");
	wire_error(session, batch, NULL, -32600);
	mcp_session_free(session);
}

static void test_notifications(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	wire_silent(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	wire_silent(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
			     "\"params\":{\"requestId\":99}}");
	wire_silent(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
			     "\"params\":\"what\"}");
	wire_silent(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard/of\"}");
	wire_silent(session, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
			     "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}}");
	mcp_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_discover),
		cmocka_unit_test(test_initialize),
		cmocka_unit_test(test_initialize_refused),
		cmocka_unit_test(test_initialize_again),
		cmocka_unit_test(test_notifications),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
