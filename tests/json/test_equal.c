/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "json/doc.h"

static struct json parsed(struct slice text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		fail_msg("%u:%u: %s", fault.line, fault.column, fault.what);
	return doc;
}

static bool equal(struct slice a, struct slice b)
{
	struct json x = parsed(a);
	struct json y = parsed(b);
	bool result = json_equal(&x, JSON_ROOT, &y, JSON_ROOT);

	assert_int_equal(json_equal(&y, JSON_ROOT, &x, JSON_ROOT), result);
	json_release(&x);
	json_release(&y);
	return result;
}

static void assert_equal(const char *a, const char *b)
{
	if (!equal(slice_of(a), slice_of(b)))
		fail_msg("%s, %s", a, b);
}

static void assert_different(const char *a, const char *b)
{
	if (equal(slice_of(a), slice_of(b)))
		fail_msg("%s, %s", a, b);
}

static void same_meaning_in_another_text(void **state)
{
	(void)state;
	assert_equal("null", " null ");
	assert_equal("true", "true");
	assert_equal("[1, 2]", "[1.0,2e0]");
	assert_equal("\"a\"", "\"\\u0061\"");
	assert_equal("\"\\n\\u0000\"", "\"\\u000A\\u0000\"");
	assert_equal("\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\"");
	assert_equal("\"\\/\"", "\"/\"");
	assert_equal("{}", "{ }");
	assert_equal("{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"\\u0061\":1}");
	assert_equal("{\"a\":{\"x\":1,\"y\":2},\"b\":0}", "{\"b\":-0,\"a\":{\"y\":2,\"x\":1}}");
	assert_equal("{\"\\u0000\":1,\"\":2}", "{\"\":2,\"\\u0000\":1}");
}

static void different_meaning(void **state)
{
	(void)state;
	assert_different("null", "false");
	assert_different("true", "false");
	assert_different("1", "\"1\"");
	assert_different("9007199254740993", "9007199254740992");
	assert_different("\"a\"", "\"A\"");
	assert_different("\"a\\u0000b\"", "\"a\\u0000c\"");
	assert_different("\"a\"", "\"a\\u0000\"");
	assert_different("[1,2]", "[2,1]");
	assert_different("[1]", "[1,1]");
	assert_different("[]", "{}");
	assert_different("{\"a\":1}", "{\"a\":2}");
	assert_different("{\"a\":1}", "{\"b\":1}");
	assert_different("{\"a\":1}", "{\"a\":1,\"b\":1}");
	assert_different("{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}");
	assert_different("[{\"a\":[{}]}]", "[{\"a\":[[]]}]");
}

static void parts_of_one_document(void **state)
{
	struct json doc = parsed(slice_of("{\"x\":{\"k\":[1]},\"y\":{\"k\":[1.0]},"
					  "\"z\":{\"k\":[]}}"));
	uint32_t x = json_member(&doc, JSON_ROOT, "x");
	uint32_t y = json_member(&doc, JSON_ROOT, "y");
	uint32_t z = json_member(&doc, JSON_ROOT, "z");

	(void)state;
	assert_true(json_equal(&doc, x, &doc, y));
	assert_false(json_equal(&doc, x, &doc, z));
	assert_true(json_equal(&doc, JSON_ROOT, &doc, JSON_ROOT));
	json_release(&doc);
}

static void add_members(struct str *text, int first, int step, int count)
{
	for (int i = 0, n = first; i < count; i++, n += step)
		str_printf(text, "%s\"k%d\":[%d]", i ? "," : "{", n, n % 7);
	str_adds(text, "}");
}

static void large_objects_in_any_order(void **state)
{
	STR_AUTO up = STR_INIT;
	STR_AUTO down = STR_INIT;
	STR_AUTO other = STR_INIT;

	(void)state;
	add_members(&up, 0, 1, 50000);
	add_members(&down, 49999, -1, 50000);
	add_members(&other, 50000, -1, 50000);
	assert_true(equal(str_slice(&up), str_slice(&down)));
	assert_false(equal(str_slice(&up), str_slice(&other)));
}

/* Objects in objects: a comparison that tries twice on each level would never end. */
static void deep_objects_take_one_look(void **state)
{
	struct json_bounds deep = {.bytes = SIZE_MAX, .nodes = UINT32_MAX, .depth = 512};
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json a;

	(void)state;
	for (int i = 0; i < 500; i++)
		str_adds(&text, "{\"b\":0,\"a\":");
	str_adds(&text, "1");
	for (int i = 0; i < 500; i++)
		str_adds(&text, ",\"c\":0}");
	assert_int_equal(json_parse(&a, str_slice(&text), &deep, &fault), 0);
	assert_true(json_equal(&a, JSON_ROOT, &a, JSON_ROOT));
	json_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_meaning_in_another_text),
		cmocka_unit_test(different_meaning),
		cmocka_unit_test(parts_of_one_document),
		cmocka_unit_test(large_objects_in_any_order),
		cmocka_unit_test(deep_objects_take_one_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
