#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/request.h"

struct reading {
	struct json doc;
	struct request request;
	struct failure failure;
	enum request_kind kind;
};

static void read_text(struct reading *r, const char *text)
{
	struct json_fault fault;

	r->failure = (struct failure)FAILURE_INIT;
	assert_int_equal(json_parse(&r->doc, slice_of(text), &json_line_bounds, &fault), 0);
	r->kind = request_read(&r->request, &r->doc, JSON_ROOT, &r->failure);
}

static void release(struct reading *r)
{
	request_release(&r->request);
	failure_release(&r->failure);
	json_release(&r->doc);
}

static void kind_is(const char *text, enum request_kind kind)
{
	struct reading r;

	read_text(&r, text);
	if (r.kind != kind)
		fail_msg("%s is of kind %d, expected %d", text, (int)r.kind, (int)kind);
	release(&r);
}

/* id is the text to send back, NULL for none. */
static void invalid(const char *text, const char *id, int code)
{
	struct reading r;

	read_text(&r, text);
	assert_int_equal(r.kind, REQUEST_INVALID);
	assert_true(slice_equal(r.request.id, slice_of(id)));
	assert_int_equal(r.failure.code, code);
	assert_true(r.failure.message.len > 0);
	release(&r);
}

static void test_call(void **state)
{
	struct reading r;

	(void)state;
	read_text(&r, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools\\/list\","
		      "\"params\":{\"_meta\":{\"a\":1},\"b\":\"c\"}}");
	assert_int_equal(r.kind, REQUEST_CALL);
	assert_true(slice_is(r.request.id, "7"));
	assert_true(slice_is(r.request.method, "tools/list"));
	assert_true(request_member(&r.request, r.request.meta, "a", JSON_NUMBER));
	assert_true(request_member(&r.request, r.request.params, "b", JSON_STRING));
	assert_false(request_member(&r.request, r.request.params, "b", JSON_NUMBER));
	assert_false(request_member(&r.request, r.request.params, "c", JSON_STRING));
	assert_false(request_member(&r.request, JSON_NONE, "jsonrpc", JSON_STRING));
	release(&r);
}

static void test_call_without_params(void **state)
{
	struct reading r;

	(void)state;
	read_text(&r, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}");
	assert_int_equal(r.kind, REQUEST_CALL);
	assert_true(slice_is(r.request.id, "\"x\""));
	assert_int_equal(r.request.params, JSON_NONE);
	assert_int_equal(r.request.meta, JSON_NONE);
	release(&r);
}

/* Whatever else is wrong with them: what has no id gets no answer. */
static void test_silent(void **state)
{
	(void)state;
	kind_is("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", REQUEST_SILENT);
	kind_is("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":5}",
		REQUEST_SILENT);
	kind_is("{\"method\":\"tools/call\"}", REQUEST_SILENT);
	kind_is("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", REQUEST_SILENT);
	kind_is("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}", REQUEST_SILENT);
	kind_is("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1}}", REQUEST_SILENT);
}

static void test_invalid(void **state)
{
	(void)state;
	invalid("5", NULL, RPC_INVALID_REQUEST);
	invalid("null", NULL, RPC_INVALID_REQUEST);
	invalid("[]", NULL, RPC_INVALID_REQUEST);
	invalid("{}", NULL, RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":1}", "1", RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", "1", RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", NULL, RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", NULL, RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", NULL, RPC_INVALID_REQUEST);
	invalid("{\"id\":1,\"method\":\"ping\"}", "1", RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "1", RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", "1", RPC_INVALID_REQUEST);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", "1",
		RPC_INVALID_PARAMS);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}", "1",
		RPC_INVALID_PARAMS);
	invalid("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":1}}", "1",
		RPC_INVALID_PARAMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_call_without_params),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
