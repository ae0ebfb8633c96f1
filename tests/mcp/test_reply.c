#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/version.h"
#include "mcp/reply.h"
#include "support/secret_sample.h"

static void test_error(void **state)
{
	struct failure failure = FAILURE_INIT;
	STR_AUTO out = STR_INIT;

	(void)state;
	assert_int_equal(failure_set(&failure, RPC_INVALID_PARAMS, "%s: \"%d\"", "n", 1), -1);
	reply_error(&out, slice_of("\"a\""), &failure);
	assert_string_equal(out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32602,"
				     "\"message\":\"n: \\\"1\\\"\"}}");
	str_clear(&out);
	str_adds(&failure.data, "{\"x\":1}");
	reply_error(&out, slice_of(NULL), &failure);
	assert_string_equal(out.ptr, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,"
				     "\"message\":\"n: \\\"1\\\"\",\"data\":{\"x\":1}}}");
	failure_release(&failure);
}

/* A second failure replaces all of the first. */
static void test_failure_set_again(void **state)
{
	struct failure failure = FAILURE_INIT;

	(void)state;
	failure_set(&failure, RPC_PARSE_ERROR, "one");
	str_adds(&failure.data, "1");
	failure_set(&failure, RPC_METHOD_NOT_FOUND, "two");
	assert_int_equal(failure.code, RPC_METHOD_NOT_FOUND);
	assert_string_equal(failure.message.ptr, "two");
	assert_int_equal(failure.data.len, 0);
	failure_release(&failure);
}

static void test_shown_text(void **state)
{
	struct failure failure = FAILURE_INIT;
	STR_AUTO longer = STR_INIT;

	(void)state;
	failure_set_shown(&failure, RPC_METHOD_NOT_FOUND, "No: ", slice_make("a\x1b[2J\0b", 7));
	assert_string_equal(failure.message.ptr, "No: a\\x1b[2J\\x00b");
	for (int i = 0; i < 5000; i++)
		str_adds(&longer, "é");
	failure_set_shown(&failure, RPC_METHOD_NOT_FOUND, "No: ", str_slice(&longer));
	assert_int_equal(failure.message.len, strlen("No: ") + 100 * strlen("é") + strlen("..."));
	failure_release(&failure);
}

/* What the client sent is repeated, but not a secret in it. */
static void test_secrets_are_withheld(void **state)
{
	struct failure failure = FAILURE_INIT;
	STR_AUTO token = STR_INIT;
	STR_AUTO out = STR_INIT;
	uint64_t seed = 11;

	(void)state;
	secret_make("ghp_%A36;", &seed, &token);
	failure_set_shown(&failure, RPC_INVALID_PARAMS, "Unknown tool: ", str_slice(&token));
	str_adds(&failure.data, "{\"uri\":\"a\"}");
	reply_error(&out, slice_of("1"), &failure);
	assert_string_equal(
		out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"
			 "\"Unknown tool: [withheld: GitHub token]\",\"data\":{\"uri\":\"a\"}}}");
	str_clear(&out);
	failure_set(&failure, RPC_INVALID_PARAMS, "No");
	str_printf(&failure.data, "{\"uri\":\"memory://key/state/%s\"}", token.ptr);
	reply_error(&out, slice_of("1"), &failure);
	assert_string_equal(out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
				     "\"message\":\"No\"}}");
	failure_release(&failure);
}

static void test_result(void **state)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w;

	(void)state;
	reply_begin(&w, &out, slice_of("9007199254740993"));
	reply_end(&w);
	assert_string_equal(out.ptr, "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{}}");
}

static void test_about_us(void **state)
{
	STR_AUTO out = STR_INIT;
	STR_AUTO expected = STR_INIT;
	struct json_writer w;

	(void)state;
	str_printf(&expected,
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ttlMs\":3600000,"
		   "\"cacheScope\":\"public\",\"serverInfo\":{\"name\":\"kota-memory\","
		   "\"title\":\"Memory\",\"version\":\"%s\"}}}",
		   version_text());
	reply_begin(&w, &out, slice_of("1"));
	reply_cache_hints(&w);
	json_write_name(&w, slice_of("serverInfo"));
	reply_server_info(&w);
	reply_end(&w);
	assert_string_equal(out.ptr, expected.ptr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error),      cmocka_unit_test(test_failure_set_again),
		cmocka_unit_test(test_shown_text), cmocka_unit_test(test_secrets_are_withheld),
		cmocka_unit_test(test_result),     cmocka_unit_test(test_about_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
