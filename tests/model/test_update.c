#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/update.h"

static void parse(struct json *doc, const char *text)
{
	struct json_fault fault;

	if (json_parse(doc, slice_of(text), &json_file_bounds, &fault))
		fail_msg("%s: %s", text, fault.what);
}

static const struct {
	const char *value;
	const char *addition;
	const char *expected;
	enum merge_kind kind;
} cases[] = {
	/* arrays */
	{"[1,2]", "[3]", "[1,2,3]", MERGE_EXTENDED},
	{"[1,2]", "3", "[1,2,3]", MERGE_EXTENDED},
	{"[1,2]", "{\"a\":1}", "[1,2,{\"a\":1}]", MERGE_EXTENDED},
	{"[]", "[]", "[]", MERGE_UNCHANGED},
	{"[\"a\"]", "[\"a\"]", "[\"a\",\"a\"]", MERGE_EXTENDED},
	{"[null]", "null", "[null,null]", MERGE_EXTENDED},
	{"[1]", "\"x\"", "[1,\"x\"]", MERGE_EXTENDED},
	{"[1]", "\"[2, 3]\"", "[1,2,3]", MERGE_EXTENDED},
	{"[1]", "\"{\\\"a\\\": 1.0}\"", "[1,{\"a\":1.0}]", MERGE_EXTENDED},
	{"[1]", "\"2\"", "[1,\"2\"]", MERGE_EXTENDED},
	{"[1]", "\"null\"", "[1,\"null\"]", MERGE_EXTENDED},
	{"[1]", "\"[2\"", "[1,\"[2\"]", MERGE_EXTENDED},
	/* strings */
	{"\"hello\"", "\"ell\"", "\"hello\"", MERGE_UNCHANGED},
	{"\"  a \"", "\"b\"", "\"a  b\"", MERGE_EXTENDED},
	{"\"a\"", "\" b \"", "\"a  b\"", MERGE_EXTENDED},
	{"\"hello world\"", "\"world\"", "\"hello world\"", MERGE_UNCHANGED},
	{"\"Hello\"", "\"hello\"", "\"Hello hello\"", MERGE_EXTENDED},
	{"\" a \"", "\"\"", "\" a \"", MERGE_UNCHANGED},
	{"\" a \"", "\"\\t\"", "\" a \"", MERGE_UNCHANGED},
	{"\"a\"", "\" \\t\\u3000\"", "\"a\"", MERGE_UNCHANGED},
	{"\"\"", "\"b\"", "\"b\"", MERGE_EXTENDED},
	{"\"\\u00e9\"", "\"\xc3\xa9\"", "\"\\u00e9\"", MERGE_UNCHANGED},
	{"\"a\"", "\"{\\\"b\\\":1}\"", "\"a {\\\"b\\\":1}\"", MERGE_EXTENDED},
	/* objects */
	{"{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4}", "{\"a\":1,\"b\":3,\"c\":4}", MERGE_EXTENDED},
	{"{\"a\":{\"x\":1}}", "{\"a\":{\"y\":2}}", "{\"a\":{\"y\":2}}", MERGE_EXTENDED},
	{"{\"a\":1}", "{}", "{\"a\":1}", MERGE_UNCHANGED},
	{"{ \"a\" : 1 }", "{\"a\":1}", "{\"a\":1}", MERGE_UNCHANGED},
	{"{\"a\":1}", "{\"a\":1.0}", "{\"a\":1.0}", MERGE_EXTENDED},
	{"{\"a\":1}", "\"{\\\"b\\\":2}\"", "{\"a\":1,\"b\":2}", MERGE_EXTENDED},
	{"{\"a\":1}", "\" {\\\"b\\\":2} \"", "{\"a\":1,\"b\":2}", MERGE_EXTENDED},
	{"{\"a\":9007199254740993,\"e\":1e400}", "{\"z\":-0}",
	 "{\"a\":9007199254740993,\"e\":1e400,\"z\":-0}", MERGE_EXTENDED},
	{"{\"a\":\"\\u00e9\"}", "{\"b\":\"\\/\"}", "{\"a\":\"\\u00e9\",\"b\":\"\\/\"}",
	 MERGE_EXTENDED},
	/* an object is replaced */
	{"{\"a\":1}", "\"x\"", "\"x\"", MERGE_DISPLACED},
	{"{\"a\":1}", "5", "5", MERGE_DISPLACED},
	{"{\"a\":1}", "null", "null", MERGE_DISPLACED},
	{"{\"a\":1}", "[2]", "[2]", MERGE_DISPLACED},
	{"{\"a\":1}", "\"[2]\"", "\"[2]\"", MERGE_DISPLACED},
	/* a scalar is replaced */
	{"\"x\"", "5", "5", MERGE_REPLACED},
	{"\"x\"", "null", "null", MERGE_REPLACED},
	{"5", "6", "6", MERGE_REPLACED},
	{"5", "\"x\"", "\"x\"", MERGE_REPLACED},
	{"true", "false", "false", MERGE_REPLACED},
	{"1", "1.0", "1.0", MERGE_REPLACED},
	{"5", "5", "5", MERGE_UNCHANGED},
	{"5", "{ \"a\": [1, 2] }", "{\"a\":[1,2]}", MERGE_REPLACED},
};

static void test_merge(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct json value;
		struct json addition;
		enum merge_kind kind;

		parse(&value, cases[i].value);
		parse(&addition, cases[i].addition);
		str_adds(&out, "rest");
		kind = merge_values(&value, JSON_ROOT, &addition, JSON_ROOT, &out);
		assert_string_equal(out.ptr, cases[i].expected);
		assert_int_equal(kind, cases[i].kind);
		json_release(&value);
		json_release(&addition);
	}
}

static void test_nodes_inside_documents(void **state)
{
	STR_AUTO out = STR_INIT;
	struct json doc;

	(void)state;
	parse(&doc, "{\"value\":[1],\"addition\":\"[2]\"}");
	assert_int_equal(merge_values(&doc, json_member(&doc, JSON_ROOT, "value"), &doc,
				      json_member(&doc, JSON_ROOT, "addition"), &out),
			 MERGE_EXTENDED);
	assert_string_equal(out.ptr, "[1,2]");
	json_release(&doc);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_nodes_inside_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
