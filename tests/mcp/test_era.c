#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/era.h"
#include "mcp/wire.h"

#define K "\"io.modelcontextprotocol/protocolVersion\":"
#define C "\"io.modelcontextprotocol/clientCapabilities\":"
#define CALL(method, params)                                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"

static void test_revisions(void **state)
{
	static const char *const same[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
	static const char *const other[] = {"2024-10-07", "2026-07-28", "1900-01-01", "", "9"};

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		const struct revision *revision = revision_agree(slice_of(same[i]));

		assert_string_equal(revision->name, same[i]);
		assert_int_equal(revision->batches, strcmp(same[i], "2025-03-26") == 0);
	}
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		assert_string_equal(revision_agree(slice_of(other[i]))->name, "2025-11-25");
}

/* A request that says too little about its era, or names one that is not there. */
static void check_incomplete(struct mcp_session *session)
{
	wire_error(session, CALL("tools/list", "\"_meta\":{" K "5," C "{}}"), "1", -32602);
	wire_error(session, CALL("tools/list", "\"_meta\":{" K "null," C "{}}"), "1", -32602);
	wire_error(session, CALL("tools/list", "\"_meta\":{" K "\"2026-07-28\"}"), "1", -32602);
	wire_error(session, CALL("tools/list", "\"_meta\":{" K "\"2026-07-28\"," C "[]}"), "1",
		   -32602);
	wire_error(session, CALL("nonsense", "\"_meta\":{" K "\"2026-07-28\"}"), "1", -32602);
}

static void check_other_version(struct mcp_session *session)
{
	wire_is(session, CALL("tools/list", "\"_meta\":{" K "\"1900-01-01\"," C "{}}"),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":"
		"\"Unsupported protocol version: expected \\\"2026-07-28\\\"\",\"data\":{"
		"\"supported\":[\"2026-07-28\"],\"requested\":\"1900-01-01\"}}}");
	wire_error(session, CALL("server/discover", "\"_meta\":{" K "\"2025-11-25\"," C "{}}"), "1",
		   -32022);
	wire_error(session, CALL("initialize", "\"_meta\":{" K "\"2025-11-25\"," C "{}}"), "1",
		   -32022);
	wire_error(session, CALL("nonsense", "\"_meta\":{" K "\"\"," C "{}}"), "1", -32022);
}

static void check_modern(struct mcp_session *session)
{
	wire_has(session, CALL("server/discover", WIRE_META), "\"supportedVersions\"");
	wire_has(session, CALL("tools/list", WIRE_META), "\"resultType\":\"complete\"");
	wire_error(session, CALL("initialize", WIRE_META), "1", -32601);
	wire_error(session, CALL("ping", WIRE_META), "1", -32601);
	wire_error(session, CALL("logging/setLevel", WIRE_META), "1", -32601);
	wire_error(session, CALL("resources/subscribe", WIRE_META), "1", -32601);
	wire_error(session, CALL("resources/unsubscribe", WIRE_META), "1", -32601);
	wire_error(session, CALL("subscriptions/listen", WIRE_META), "1", -32601);
}

/* What is modern by its name alone needs the _meta that says so. */
static void check_modern_names(struct mcp_session *session)
{
	wire_error(session, CALL("server/discover", ""), "1", -32602);
	wire_error(session, CALL("server/discover", "\"_meta\":{}"), "1", -32602);
	wire_error(session, CALL("subscriptions/listen", ""), "1", -32602);
}

static void test_before_handshake(void **state)
{
	struct mcp_session *session = wire_session();

	(void)state;
	check_incomplete(session);
	check_other_version(session);
	check_modern(session);
	check_modern_names(session);
	wire_is(session, CALL("ping", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	wire_error(session, CALL("tools/list", ""), "1", -32602);
	wire_error(session, CALL("tools/call", "\"name\":\"echo\""), "1", -32602);
	wire_error(session, CALL("nonsense", ""), "1", -32602);
	wire_has(session, CALL("initialize", "\"protocolVersion\":\"2025-06-18\""), "2025-06-18");
	mcp_session_free(session);
}

static void test_after_handshake(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	check_incomplete(session);
	check_other_version(session);
	check_modern(session);
	check_modern_names(session);
	wire_is(session, CALL("ping", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	wire_has(session, CALL("tools/list", ""), "{\"tools\":[");
	wire_has(session, CALL("tools/list", "\"_meta\":{\"progressToken\":4}"), "{\"tools\":[");
	wire_error(session, CALL("nonsense", ""), "1", -32601);
	wire_error(session, CALL("logging/setLevel", ""), "1", -32601);
	wire_error(session, CALL("resources/subscribe", ""), "1", -32601);
	mcp_session_free(session);
}

/* The two take turns in one process. */
static void test_mixing(void **state)
{
	struct mcp_session *session = wire_session();

	(void)state;
	wire_error(session, CALL("server/discover", ""), "1", -32602);
	wire_has(session, CALL("tools/list", WIRE_META), "\"resultType\"");
	wire_error(session, CALL("tools/list", ""), "1", -32602);
	wire_has(session, CALL("initialize", "\"protocolVersion\":\"2024-11-05\""), "2024-11-05");
	wire_has(session, CALL("tools/list", ""), "\"result\":{\"tools\":[");
	wire_has(session, CALL("tools/list", WIRE_META), "\"resultType\"");
	wire_has(session, CALL("tools/list", ""), "\"result\":{\"tools\":[");
	mcp_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_revisions),
		cmocka_unit_test(test_before_handshake),
		cmocka_unit_test(test_after_handshake),
		cmocka_unit_test(test_mixing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
