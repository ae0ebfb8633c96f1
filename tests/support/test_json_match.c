#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/json_match.h"

/* difference NULL: they match. */
static void match_is(const char *expected, const char *actual, const char *difference)
{
	STR_AUTO where = STR_INIT;
	struct json left;
	struct json right;
	struct json_fault fault;

	assert_int_equal(json_parse(&left, slice_of(expected), &json_line_bounds, &fault), 0);
	assert_int_equal(json_parse(&right, slice_of(actual), &json_line_bounds, &fault), 0);
	assert_int_equal(json_match(&left, JSON_ROOT, &right, JSON_ROOT, &where), !difference);
	assert_string_equal(where.ptr, difference ? difference : "");
	json_release(&left);
	json_release(&right);
}

static void test_same(void **state)
{
	(void)state;
	match_is("{\"a\":[1,{\"b\":null}],\"c\":\"d\"}", "{\"c\":\"d\",\"a\":[1.0,{\"b\":null}]}",
		 NULL);
	match_is("\"\\u00e9\"", "\"é\"", NULL);
}

static void test_different(void **state)
{
	(void)state;
	match_is("1", "2", ": expected 1, got 2");
	match_is("1", "\"1\"", ": expected 1, got \"1\"");
	match_is("{\"a\":[1,{\"b\":true}]}", "{\"a\":[1,{\"b\":false}]}",
		 ".a[1].b: expected true, got false");
	match_is("[1]", "[1,2]", ": expected [1], got [1,2]");
	match_is("{\"a\":1}", "{}", ": missing a");
	match_is("{}", "{\"a\":1}", ": unexpected a = 1");
}

static void test_wildcards(void **state)
{
	(void)state;
	match_is("[\"<any>\",\"<any>\"]", "[null,{\"a\":1}]", NULL);
	match_is("[\"<number>\",\"<text>\"]", "[1.5,\"a\"]", NULL);
	match_is("\"<time>\"", "\"2026-11-21T09:30:00.123+01:00\"", NULL);
	match_is("\"<time>\"", "\"yesterday\"", ": expected \"<time>\", got \"yesterday\"");
	match_is("\"<number>\"", "\"1\"", ": expected \"<number>\", got \"1\"");
	match_is("{\"a\":\"<any>\"}", "{}", ": missing a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_different),
		cmocka_unit_test(test_wildcards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
