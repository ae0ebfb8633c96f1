/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "json/tree.h"

#define LITERAL(text) slice_make(text, sizeof(text) - 1)

/* A tree of the text; the text and the document are gone when it is returned. */
static struct json_tree *tree_of(const char *text)
{
	STR_AUTO copy = STR_INIT;
	struct json_fault fault;
	struct json_tree *tree;
	struct json doc;

	str_adds(&copy, text);
	if (json_parse(&doc, str_slice(&copy), &json_file_bounds, &fault) != 0)
		fail_msg("%s: %s", text, fault.what);
	tree = json_tree_from(&doc, JSON_ROOT);
	json_release(&doc);
	return tree;
}

static void assert_prints(const struct json_tree *tree, const char *expected)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_tree_write(tree, &w);
	assert_string_equal(out.ptr, expected);
}

static void text_is_kept_exactly(void **state)
{
	static const char *const texts[] = {
		"null",
		"true",
		"false",
		"9007199254740993",
		"1.0",
		"1e400",
		"-0",
		"-0.0E-00",
		"0.1000000000000000055511151231257827",
		"\"\"",
		"\"a\\u0000b\"",
		"\"\\/\\u0041\"",
		"\"\\ud83d\\ude00\"",
		"\"\xF0\x9F\x98\x80\x7F\"",
		"[]",
		"{}",
		"[[],{},[{}]]",
		"{\"\\u0000\":1,\"\\u0000\\u0000\":2,\"\":3,\"\\u0061\":4,\"A\":5}",
		"{\"z\":1,\"a\":{\"y\":[1,\"2\",null]},\"m\":true}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct json_tree *tree = tree_of(texts[i]);

		assert_prints(tree, texts[i]);
		json_tree_free(tree);
	}
}

static void types_are_known(void **state)
{
	static const char *const texts[] = {"null", "true", "-1", "\"t\"", "[null]", "{\"a\":1}"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct json_tree *tree = tree_of(texts[i]);

		assert_int_equal(json_tree_type(tree), i);
		json_tree_free(tree);
	}
}

static void new_values(void **state)
{
	struct json_tree *object = json_tree_object();
	struct json_tree *array = tree_of("[]");
	struct json_tree *string = json_tree_string(LITERAL("a\0\"\n"));

	(void)state;
	assert_int_equal(json_tree_type(string), JSON_STRING);
	json_tree_append(array, string);
	json_tree_append(array, json_tree_string(slice_of("")));
	json_tree_put(object, slice_of("list"), array);
	assert_prints(object, "{\"list\":[\"a\\u0000\\\"\\n\",\"\"]}");
	json_tree_free(object);
	json_tree_free(NULL);
}

static void members_compare_decoded(void **state)
{
	struct json_tree *tree = tree_of("{\"a\\u0000b\":1,\"a\":2,\"A\":3,\"\":4,\"\\u00e9\":5}");

	(void)state;
	assert_prints(json_tree_member(tree, LITERAL("a\0b")), "1");
	assert_prints(json_tree_member(tree, slice_of("a")), "2");
	assert_prints(json_tree_member(tree, slice_of("A")), "3");
	assert_prints(json_tree_member(tree, slice_of("")), "4");
	assert_prints(json_tree_member(tree, slice_of("\xC3\xA9")), "5");
	assert_null(json_tree_member(tree, LITERAL("a\0")));
	assert_null(json_tree_member(tree, slice_of("\\u00e9")));
	json_tree_free(tree);
}

static void put_replaces_in_place_or_appends(void **state)
{
	struct json_tree *tree = tree_of("{\"\\u0061\":1,\"b\":2,\"c\":3}");

	(void)state;
	json_tree_put(tree, slice_of("a"), tree_of("[10]"));
	assert_prints(tree, "{\"\\u0061\":[10],\"b\":2,\"c\":3}");
	json_tree_put(tree, slice_of("c"), tree_of("30"));
	json_tree_put(tree, LITERAL("d\0\""), tree_of("{}"));
	assert_prints(tree, "{\"\\u0061\":[10],\"b\":2,\"c\":30,\"d\\u0000\\\"\":{}}");
	json_tree_put(tree, LITERAL("d\0\""), tree_of("4"));
	json_tree_put(tree, slice_of("e"), tree_of("5"));
	assert_prints(tree, "{\"\\u0061\":[10],\"b\":2,\"c\":30,\"d\\u0000\\\"\":4,\"e\":5}");
	json_tree_free(tree);
}

static void put_into_an_object_of_one(void **state)
{
	struct json_tree *tree = json_tree_object();

	(void)state;
	json_tree_put(tree, slice_of("a"), tree_of("1"));
	json_tree_put(tree, slice_of("a"), tree_of("2"));
	json_tree_put(tree, slice_of("b"), tree_of("3"));
	assert_prints(tree, "{\"a\":2,\"b\":3}");
	json_tree_free(tree);
}

static void assert_merges(const char *object, const char *from, const char *expected)
{
	struct json_tree *tree = tree_of(object);

	json_tree_merge(tree, tree_of(from));
	assert_prints(tree, expected);
	json_tree_put(tree, slice_of("end"), tree_of("0"));
	assert_non_null(json_tree_member(tree, slice_of("end")));
	json_tree_free(tree);
}

static void merge_replaces_and_appends(void **state)
{
	(void)state;
	assert_merges("{}", "{}", "{}");
	assert_merges("{}", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}");
	assert_merges("{\"a\":1}", "{}", "{\"a\":1}");
	assert_merges("{\"a\":1}", "{\"a\":2}", "{\"a\":2}");
	assert_merges("{\"a\":1,\"b\":{\"x\":1}}", "{\"c\":3,\"\\u0062\":{\"y\":2},\"A\":4}",
		      "{\"a\":1,\"b\":{\"y\":2},\"c\":3,\"A\":4}");
	assert_merges("{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4,\"a\":5,\"d\":6}",
		      "{\"a\":5,\"b\":3,\"c\":4,\"d\":6}");
	assert_merges("{\"\\u0000\":1}", "{\"\\u0000\\u0000\":2,\"\\u0000\":3}",
		      "{\"\\u0000\":3,\"\\u0000\\u0000\":2}");
}

static void concat_appends_all(void **state)
{
	struct json_tree *tree = tree_of("[1]");

	(void)state;
	json_tree_concat(tree, tree_of("[2,[3],{\"a\":4}]"));
	json_tree_concat(tree, tree_of("[]"));
	json_tree_append(tree, tree_of("5"));
	assert_prints(tree, "[1,2,[3],{\"a\":4},5]");
	json_tree_free(tree);
	tree = tree_of("[]");
	json_tree_concat(tree, tree_of("[1.0,2]"));
	json_tree_append(tree, tree_of("-0"));
	assert_prints(tree, "[1.0,2,-0]");
	json_tree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_kept_exactly),
		cmocka_unit_test(types_are_known),
		cmocka_unit_test(new_values),
		cmocka_unit_test(members_compare_decoded),
		cmocka_unit_test(put_replaces_in_place_or_appends),
		cmocka_unit_test(put_into_an_object_of_one),
		cmocka_unit_test(merge_replaces_and_appends),
		cmocka_unit_test(concat_appends_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
