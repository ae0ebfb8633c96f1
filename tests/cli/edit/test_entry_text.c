#include "cli/edit/entry_text.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

/* 2026-11-21T09:30:00Z */
#define NOW INT64_C(1795253400000)
#define NOW_TEXT "2026-11-21T09:30:00.000+00:00"

/* Edits entry "k": what the person sees, what is made of it, and the file then. */
static void check(const char *file, bool whole, const char *seen, const char *made,
		  const char *expected)
{
	STR_AUTO copy = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct carving carving;
	struct json_fault fault;
	struct json doc;

	assert_int_equal(json_parse(&doc, slice_of(file), &json_file_bounds, &fault), 0);
	assert_true(carve(&carving, &doc, slice_of("k"), whole));
	carve_copy(&carving, &copy);
	assert_string_equal(copy.ptr, seen);
	assert_true(carve_join(&carving, slice_of(made), NOW, &out, &fault));
	assert_string_equal(out.ptr, expected);
	json_release(&doc);
}

static void text_is_text(void **state)
{
	(void)state;
	check("{\"k\": \"vim\"}", false, "vim\n", "emacs\n", "{\"k\": \"emacs\"}");
	check("{\"k\": \"vim\"}", false, "vim\n", "emacs", "{\"k\": \"emacs\"}");
	check("{\"k\": \"\"}", false, "\n", "a \"b\"\tc\n\xE5\x81\x8F\n\n",
	      "{\"k\": \"a \\\"b\\\"\\tc\\n\xE5\x81\x8F\\n\"}");
	check("{\"k\": \"a\\n\"}", false, "a\n\n", "a\r\n", "{\"k\": \"a\"}");
	/* What cannot be seen is edited as JSON. */
	check("{\"k\": \"a\\u0007\"}", false, "\"a\\u0007\"\n", "\"b\"\n", "{\"k\": \"b\"}");
	/* As the whole entry it is JSON in any case. */
	check("{\"k\": \"vim\"}", true, "\"vim\"\n", "{\"value\": \"vim\", \"pinned\": true}\n",
	      "{\"k\": {\"value\": \"vim\", \"pinned\": true}}");
}

static void other_bytes_stay(void **state)
{
	(void)state;
	check("\xEF\xBB\xBF{ \"a\":1e0 ,\r\n\t\"k\" : { \"mine\":[ ] ,\"value\":  7.0 }\r\n}",
	      false, "7.0\n", " 8.00 \n",
	      "\xEF\xBB\xBF{ \"a\":1e0 ,\r\n\t\"k\" : { \"mine\":[ ] ,\"value\":  8.00 }\r\n}");
	/* Indented as its place is, with the file's own line ends. */
	check("{\r\n  \"k\": {\r\n    \"value\": {\r\n      \"a\": 1\r\n    }\r\n  }\r\n}\r\n",
	      false, "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": [\n  ]\n}\n",
	      "{\r\n  \"k\": {\r\n    \"value\": {\r\n      \"a\": 1,\r\n      \"b\": [\r\n      "
	      "]\r\n"
	      "    }\r\n  }\r\n}\r\n");
	/* From one line it is spread. */
	check("{\"k\":{\"value\":{\"a\":1}}}", false, "{\n  \"a\": 1\n}\n", "{\"a\":2}\n",
	      "{\"k\":{\"value\":{\"a\":2}}}");
}

static void a_value_gets_its_time(void **state)
{
	(void)state;
	check("{\"k\": {\"value\": 1, \"last_updated\": \"old\", \"tags\": []}}", false, "1\n",
	      "2\n", "{\"k\": {\"value\": 2, \"last_updated\": \"" NOW_TEXT "\", \"tags\": []}}");
	check("{\"k\": {\"last_updated\": \"old\", \"value\": \"x\"}}", false, "x\n", "y\n",
	      "{\"k\": {\"last_updated\": \"" NOW_TEXT "\", \"value\": \"y\"}}");
	/* Of what is odd nothing is made, and a whole entry is as it was typed. */
	check("{\"k\": {\"last_updated\": 5, \"value\": 1}}", false, "1\n", "2\n",
	      "{\"k\": {\"last_updated\": 5, \"value\": 2}}");
	check("{\"k\": {\"value\": 1, \"last_updated\": \"old\"}}", true,
	      "{\n  \"value\": 1,\n  \"last_updated\": \"old\"\n}\n",
	      "{\"value\": 2, \"last_updated\": \"old\"}",
	      "{\"k\": {\"value\": 2, \"last_updated\": \"old\"}}");
}

static void what_will_not_do(void **state)
{
	STR_AUTO out = STR_INIT;
	struct carving carving;
	struct json_fault fault;
	struct json doc;

	(void)state;
	json_parse(&doc, slice_of("{\"k\": {\"value\": [1]}, \"t\": \"x\"}"), &json_file_bounds,
		   &fault);
	assert_false(carve(&carving, &doc, slice_of("nobody"), false));
	assert_true(carve(&carving, &doc, slice_of("k"), false));
	assert_false(carve_join(&carving, slice_of("[1,\n 2 3]"), NOW, &out, &fault));
	assert_int_equal(fault.line, 2);
	assert_int_equal(fault.column, 4);
	assert_true(carve(&carving, &doc, slice_of("t"), false));
	assert_false(carve_join(&carving, slice_of("a\nb\xFF"), NOW, &out, &fault));
	assert_int_equal(fault.line, 2);
	assert_string_equal(fault.what, "the text must be UTF-8");
	json_release(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_text),
		cmocka_unit_test(other_bytes_stay),
		cmocka_unit_test(a_value_gets_its_time),
		cmocka_unit_test(what_will_not_do),
	};

	return cmocka_run_group_tests_name("carve", tests, NULL, NULL);
}
