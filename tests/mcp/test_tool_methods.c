#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/wire.h"
#include "support/secret_sample.h"

#include "support/tmpdir.h"
#include "tools/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIST(params)                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" params "}}"
#define CALL(params)                                                                               \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" params "}}"

#define SET "\"name\":\"memory_set\",\"arguments\":{\"key\":\"a\",\"value\":1}," WIRE_META

static const char *no_history(const char *name)
{
	return strcmp(name, "KOTA_MEMORY_GIT") == 0 ? "off" : NULL;
}

static void test_list(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");
	char *legacy = wire_answer(session, slice_of(LIST("")));
	char *modern = wire_answer(session, slice_of(LIST(WIRE_META)));
	const char *tools = strstr(legacy, "\"tools\":[{");
	size_t len;

	(void)state;
	assert_non_null(tools);
	/* Both eras list the same tools in the same words; the rest is about keeping them. */
	len = strlen(tools) - strlen("}}");
	assert_memory_equal(strstr(modern, "\"tools\":[{"), tools, len);
	assert_non_null(
		strstr(modern, "],\"ttlMs\":3600000,\"cacheScope\":\"public\",\"_meta\":{"));
	assert_null(strstr(legacy, "ttlMs"));
	assert_null(strstr(legacy, "resultType"));
	assert_non_null(strstr(tools, "\"name\":\"echo\""));
	assert_non_null(strstr(tools, "\"name\":\"fail\""));
	assert_null(strstr(tools, "hidden"));
	free(legacy);
	free(modern);
	mcp_session_free(session);
}

static void test_list_has_one_page(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	wire_error(session, LIST("\"cursor\":\"2\""), "1", -32602);
	wire_error(session, LIST("\"cursor\":\"\""), "1", -32602);
	wire_error(session, LIST("\"cursor\":\"2\"," WIRE_META), "1", -32602);
	wire_has(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", "\"tools\"");
	mcp_session_free(session);
}

/* The reply stands twice: as text and as what it is. */
static void test_legacy_call(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	wire_is(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"h\\u00e9\"}"),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
		"\"text\":\"{\\\"text\\\":\\\"hé\\\",\\\"client\\\":\\\"cc\\\","
		"\\\"version\\\":\\\"1.0\\\",\\\"session\\\":\\\"s-1\\\","
		"\\\"now\\\":1795251600000}\"}],\"structuredContent\":{\"text\":\"hé\","
		"\"client\":\"cc\",\"version\":\"1.0\",\"session\":\"s-1\","
		"\"now\":1795251600000},\"isError\":false}}");
	mcp_session_free(session);
}

/* A modern call knows what it says itself, and nothing of an earlier handshake. */
static void test_modern_call(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META_NAMED),
		 "\"result\":{\"resultType\":\"complete\",\"content\":[{");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META_NAMED),
		 "\"structuredContent\":{\"text\":\"a\",\"client\":\"probe\",\"version\":\"2.0\",");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META),
		 "\"client\":null,\"version\":null,\"session\":\"s-1\"");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META),
		 "\"isError\":false,\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":");
	mcp_session_free(session);
}

static void test_tool_errors(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	wire_is(session, CALL("\"name\":\"fail\""),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
		"\"text\":\"fail: this \\\"never\\\" works\"}],\"isError\":true}}");
	wire_has(session, CALL("\"name\":\"fail\"," WIRE_META),
		 "works\"}],\"isError\":true,\"_meta\":{");
	wire_has(session, CALL("\"name\":\"echo\""), "\"isError\":true");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{}"), "\"isError\":true");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":5}"), "\"isError\":true");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"x\":1}"),
		 "\"isError\":true");
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\",\"count\":10}"),
		 "\"isError\":true");
	mcp_session_free(session);
}

/* A store that cannot be opened is said with each call, and opened as soon as it can be. */
static void test_store_refused(void **state)
{
	STR_AUTO path = STR_INIT;
	struct tmpdir dir;
	struct mcp_session *session;

	(void)state;
	tmpdir_make(&dir);
	str_printf(&path, "%s/store", dir.path);
	tmpdir_write(&dir, "store", "");
	session = wire_open(sys_real(), path.ptr, NULL);
	wire_has(session, LIST(WIRE_META), "\"tools\"");
	for (int i = 0; i < 2; i++)
		wire_has(session,
			 CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META),
			 "store is not a directory\"}],\"isError\":true");
	assert_int_equal(unlink(path.ptr), 0);
	wire_has(session, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}," WIRE_META),
		 "\"isError\":false");
	mcp_session_free(session);
	tmpdir_remove(&dir);
}

static void test_malformed_calls(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");

	(void)state;
	wire_error(session, CALL(""), "1", -32602);
	wire_error(session, CALL("\"name\":5"), "1", -32602);
	wire_error(session, CALL("\"name\":\"\""), "1", -32602);
	wire_error(session, CALL("\"name\":\"nothing\""), "1", -32602);
	wire_error(session, CALL("\"name\":\"hidden\""), "1", -32602);
	wire_error(session, CALL("\"name\":\"echo\\u0000\",\"arguments\":{\"text\":\"\"}"), "1",
		   -32602);
	wire_error(session, CALL("\"name\":\"echo\",\"arguments\":[]"), "1", -32602);
	wire_error(session, CALL("\"name\":\"echo\",\"arguments\":\"{}\""), "1", -32602);
	wire_error(session, CALL("\"name\":\"echo\",\"arguments\":null"), "1", -32602);
	wire_error(session, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", "1",
		   -32602);
	wire_is(session, CALL("\"name\":\"no\\u001b\""),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
		"\"message\":\"Unknown tool: no\\\\x1b\"}}");
	mcp_session_free(session);
}

/* The sentence of a tool names the secret that it would repeat. */
static void test_secrets_are_withheld(void **state)
{
	struct mcp_session *session = wire_greeted("2025-11-25");
	STR_AUTO token = STR_INIT;
	STR_AUTO line = STR_INIT;
	uint64_t seed = 11;
	char *answer;

	(void)state;
	secret_make("ghp_%A36;", &seed, &token);
	str_printf(&line, CALL("\"name\":\"echo\",\"arguments\":{\"text\":\"\",\"%s\":1}"),
		   token.ptr);
	answer = wire_answer(session, str_slice(&line));
	assert_non_null(strstr(answer, "\"[withheld: GitHub token]: "));
	assert_non_null(strstr(answer, "\"isError\":true"));
	assert_null(strstr(answer, token.ptr));
	free(answer);
	mcp_session_free(session);
}

/* Nor does it need a place. */
static void test_no_place(void **state)
{
	struct mcp_session *session = wire_open(sys_real(), NULL, NULL);
	STR_AUTO reply = STR_INIT;
	struct tmpdir dir;
	int before;

	(void)state;
	tmpdir_make(&dir);
	before = tmpdir_enter(&dir);
	mcp_dispatch_line(
		session,
		slice_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
			 "\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
			 "\"clientInfo\":{\"name\":\"cc\",\"version\":\"1\"}}}"),
		&reply);
	assert_non_null(strstr(reply.ptr, "\"serverInfo\""));
	str_clear(&reply);
	mcp_dispatch_line(
		session,
		slice_of("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
			 "\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}}}"),
		&reply);
	assert_non_null(
		strstr(reply.ptr, "there is no place for the store because HOME is not set"));
	assert_non_null(strstr(reply.ptr, "\"isError\":true"));
	mcp_session_free(session);
	tmpdir_leave(before);
	tmpdir_remove(&dir);
}

/* A model is told of a folder that it did not find, in the reply that made it, and never again. */
static void test_made_folder(void **state)
{
	struct tmpdir dir;
	char path[PATH_MAX + 8];
	char sentence[PATH_MAX + 64];
	struct mcp_session *session;
	char *answer;

	(void)state;
	tmpdir_make(&dir);
	snprintf(path, sizeof path, "%s/x", dir.path);
	snprintf(sentence, sizeof sentence, "\"warnings\":[\"made %s, which was not there\"]",
		 path);
	session = mcp_session_new(sys_real(), no_history, path, tools_all(), NULL);
	answer = wire_answer(session, slice_of(CALL("\"name\":\"memory_list\"," WIRE_META)));
	assert_null(strstr(answer, "warnings"));
	assert_false(tmpdir_has(&dir, "x"));
	free(answer);
	answer = wire_answer(session, slice_of(CALL(SET)));
	assert_non_null(strstr(answer, sentence));
	free(answer);
	answer = wire_answer(session, slice_of(CALL(SET)));
	assert_null(strstr(answer, "warnings"));
	free(answer);
	mcp_session_free(session);
	tmpdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_folder),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_list_has_one_page),
		cmocka_unit_test(test_legacy_call),
		cmocka_unit_test(test_modern_call),
		cmocka_unit_test(test_tool_errors),
		cmocka_unit_test(test_malformed_calls),
		cmocka_unit_test(test_secrets_are_withheld),
		cmocka_unit_test(test_store_refused),
		cmocka_unit_test(test_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
