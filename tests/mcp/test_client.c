#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/client.h"

static void read_info(struct client *client, const char *params)
{
	STR_AUTO line = STR_INIT;
	struct failure failure = FAILURE_INIT;
	struct request request;
	struct json_fault fault;
	struct json doc;

	str_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":%s}", params);
	assert_int_equal(json_parse(&doc, str_slice(&line), &json_line_bounds, &fault), 0);
	assert_int_equal(request_read(&request, &doc, JSON_ROOT, &failure), REQUEST_CALL);
	client_read(client, &request, request_member(&request, request.params, "i", JSON_OBJECT));
	request_release(&request);
	failure_release(&failure);
	json_release(&doc);
}

static void test_read(void **state)
{
	struct client client = CLIENT_INIT;

	(void)state;
	read_info(&client, "{\"i\":{\"name\":\"cc\",\"version\":\"1.2\"}}");
	assert_string_equal(client_text(&client.name), "cc");
	assert_string_equal(client_text(&client.version), "1.2");
	read_info(&client, "{\"i\":{\"name\":\"dd\",\"version\":2}}");
	assert_string_equal(client_text(&client.name), "dd");
	assert_null(client_text(&client.version));
	read_info(&client, "{}");
	assert_null(client_text(&client.name));
	client_release(&client);
}

/* A name goes into the history: one line of it, and not too much. */
static void test_hostile(void **state)
{
	struct client client = CLIENT_INIT;
	STR_AUTO longer = STR_INIT;

	(void)state;
	read_info(&client, "{\"i\":{\"name\":\"a\\nSigned-off-by: b\\u0000\\u001b\"}}");
	assert_string_equal(client_text(&client.name), "a\\x0aSigned-off-by: b\\x00\\x1b");
	str_adds(&longer, "{\"i\":{\"name\":\"");
	for (int i = 0; i < 5000; i++)
		str_addc(&longer, 'x');
	str_adds(&longer, "\"}}");
	read_info(&client, longer.ptr);
	assert_int_equal(strlen(client_text(&client.name)), 100);
	client_release(&client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
