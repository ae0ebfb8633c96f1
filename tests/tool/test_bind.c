#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tool/tool.h"

#include <string.h>

struct args {
	struct slice text;
	struct arg_texts texts;
	int choice;
	int flag;
	int64_t whole;
	struct arg_json number;
	struct arg_json object;
	struct arg_json any;
	int64_t limit;
	struct arg_texts kinds;
	struct arg_texts shades;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct param params[] = {
	{PARAM(TEXT, args, text), .flags = PARAM_REQUIRED | PARAM_NOT_BLANK,
	 .help = "the text to keep", .max_bytes = 8},
	{PARAM(TEXTS, args, texts), .flags = PARAM_NOT_BLANK, .help = "texts"},
	{PARAM(CHOICE, args, choice), .help = "a colour", .choices = colours},
	{PARAM(BOOL, args, flag)},
	{PARAM(INT, args, whole), .min = 1, .max = 100},
	{PARAM(NUMBER, args, number), .min = 0, .max = 1},
	{PARAM(OBJECT, args, object)},
	{PARAM(JSON, args, any)},
	{PARAM(INT, args, limit), .fallback = "20"},
	{PARAM(TEXTS, args, kinds), .fallback = "[\"active\"]"},
	{PARAM(TEXTS, args, shades), .choices = colours},
};

static const struct tool tool = {
	.name = "memory_try",
	.command = "try",
	.params = params,
	.param_count = sizeof params / sizeof *params,
	.args_size = sizeof(struct args),
};

static const struct tool bare = {.name = "memory_bare", .command = "bare"};

struct fixture {
	struct json doc;
	struct arena arena;
	struct args args;
	struct err err;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof fixture);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	json_release(&f->doc);
	arena_release(&f->arena);
	return 0;
}

static int bind(struct fixture *f, const struct tool *to, const char *text)
{
	struct json_fault fault;

	json_release(&f->doc);
	assert_int_equal(json_parse(&f->doc, slice_of(text), &json_line_bounds, &fault), 0);
	memset(&f->args, 0, sizeof f->args);
	return tool_bind_json(to, false, &f->doc, JSON_ROOT, &f->args, &f->arena, &f->err);
}

static void binds(struct fixture *f, const char *text)
{
	assert_int_equal(bind(f, &tool, text), 0);
}

static void refuses(struct fixture *f, const char *text, enum err_code code, const char *sentence)
{
	assert_int_equal(bind(f, &tool, text), -1);
	assert_string_equal(f->err.text, sentence);
	assert_int_equal(f->err.code, code);
}

static void assert_text(struct slice text, const char *expected)
{
	assert_non_null(text.ptr);
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.ptr, expected, text.len);
}

static void assert_json(struct arg_json value, const char *expected)
{
	assert_non_null(value.doc);
	assert_text(json_text(value.doc, value.node), expected);
}

static void binds_every_type(void **state)
{
	struct fixture *f = *state;

	binds(f,
	      "{\"text\":\"ab\",\"texts\":[\"x\",\"\\u00e9\"],\"choice\":\"green\",\"flag\":false,"
	      "\"whole\":7,\"number\":0.50,\"object\":{\"a\":1},\"any\":null,\"limit\":3,"
	      "\"kinds\":[]}");
	assert_text(f->args.text, "ab");
	assert_true(f->args.texts.given);
	assert_int_equal(f->args.texts.count, 2);
	assert_text(f->args.texts.items[0], "x");
	assert_text(f->args.texts.items[1], "\xc3\xa9");
	assert_int_equal(f->args.choice, 1);
	assert_int_equal(f->args.flag, 0);
	assert_int_equal(f->args.whole, 7);
	assert_json(f->args.number, "0.50");
	assert_json(f->args.object, "{\"a\":1}");
	assert_json(f->args.any, "null");
	assert_int_equal(f->args.limit, 3);
	assert_true(f->args.kinds.given);
	assert_int_equal(f->args.kinds.count, 0);
}

static void tells_what_was_not_given(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\"}");
	assert_false(f->args.texts.given);
	assert_int_equal(f->args.choice, -1);
	assert_int_equal(f->args.flag, -1);
	assert_true(f->args.whole == ARG_NONE);
	assert_null(f->args.number.doc);
	assert_null(f->args.object.doc);
	assert_null(f->args.any.doc);
}

static void a_default_stands_in(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\"}");
	assert_int_equal(f->args.limit, 20);
	assert_int_equal(f->args.kinds.count, 1);
	assert_text(f->args.kinds.items[0], "active");
}

static void null_says_not_given(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\",\"texts\":null,\"choice\":null,\"limit\":null}");
	assert_false(f->args.texts.given);
	assert_int_equal(f->args.choice, -1);
	assert_int_equal(f->args.limit, 20);
	refuses(f, "{\"text\":null}", ERR_MISSING_ARGUMENT, "text: missing; give the text to keep");
}

static void decodes_texts(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\\u0000\\n\"}");
	assert_int_equal(f->args.text.len, 3);
	assert_memory_equal(f->args.text.ptr, "a\0\n", 3);
	binds(f, "{\"text\":\"\\u00e9\",\"texts\":[\"\\t1\",\"\\t2\"]}");
	assert_text(f->args.text, "\xc3\xa9");
	assert_text(f->args.texts.items[0], "\t1");
	assert_text(f->args.texts.items[1], "\t2");
}

static void takes_a_quoted_value(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\",\"texts\":\"[\\\"x\\\"]\",\"flag\":\"true\",\"whole\":\" 7 \","
		 "\"number\":\"1.0\",\"object\":\"{\\\"a\\\":[1]}\"}");
	assert_int_equal(f->args.texts.count, 1);
	assert_text(f->args.texts.items[0], "x");
	assert_int_equal(f->args.flag, 1);
	assert_int_equal(f->args.whole, 7);
	assert_json(f->args.number, "1.0");
	assert_json(f->args.object, "{\"a\":[1]}");
}

static void a_text_where_a_list_is_expected_is_a_list_of_one(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\",\"texts\":\"one, two\",\"kinds\":\"7\"}");
	assert_int_equal(f->args.texts.count, 1);
	assert_text(f->args.texts.items[0], "one, two");
	assert_int_equal(f->args.kinds.count, 1);
	assert_text(f->args.kinds.items[0], "7");
	binds(f, "{\"text\":\"a\",\"texts\":\"[x\"}");
	assert_text(f->args.texts.items[0], "[x");
	binds(f, "{\"text\":\"a\",\"shades\":\"red\"}");
	assert_text(f->args.shades.items[0], "red");
	refuses(f, "{\"text\":\"a\",\"shades\":\"blue\"}", ERR_BAD_VALUE,
		"shades: \"blue\" is none of red, green");
	refuses(f, "{\"text\":\"a\",\"shades\":[\"red\",\"blue\"]}", ERR_BAD_VALUE,
		"shades: \"blue\" is none of red, green");
}

static void leaves_a_string_where_any_value_goes(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"12\",\"any\":\"{\\\"a\\\":1}\"}");
	assert_text(f->args.text, "12");
	assert_json(f->args.any, "\"{\\\"a\\\":1}\"");
}

static void refuses_what_is_missing(void **state)
{
	struct fixture *f = *state;

	refuses(f, "{}", ERR_MISSING_ARGUMENT, "text: missing; give the text to keep");
	assert_int_equal(
		tool_bind_json(&tool, false, NULL, JSON_ROOT, &f->args, &f->arena, &f->err), -1);
	assert_int_equal(f->err.code, ERR_MISSING_ARGUMENT);
}

static void refuses_blanks(void **state)
{
	struct fixture *f = *state;

	refuses(f, "{\"text\":\"\"}", ERR_BLANK_ARGUMENT, "text: blank; give the text to keep");
	refuses(f, "{\"text\":\" \\u3000\\t\"}", ERR_BLANK_ARGUMENT,
		"text: blank; give the text to keep");
	refuses(f, "{\"text\":\"a\",\"texts\":[\"b\",\" \"]}", ERR_BLANK_ARGUMENT,
		"texts: blank; give texts");
}

static void refuses_wrong_types(void **state)
{
	struct fixture *f = *state;

	refuses(f, "{\"text\":5}", ERR_WRONG_TYPE, "text: expected a string, got a number");
	refuses(f, "{\"text\":[\"a\"]}", ERR_WRONG_TYPE, "text: expected a string, got a list");
	refuses(f, "{\"text\":\"a\",\"texts\":5}", ERR_WRONG_TYPE,
		"texts: expected a list of strings, got a number");
	refuses(f, "{\"text\":\"a\",\"texts\":\" \"}", ERR_BLANK_ARGUMENT,
		"texts: blank; give texts");
	refuses(f, "{\"text\":\"a\",\"texts\":[\"x\",1]}", ERR_WRONG_TYPE,
		"texts: expected a list of strings, got a number in it");
	refuses(f, "{\"text\":\"a\",\"texts\":[null]}", ERR_WRONG_TYPE,
		"texts: expected a list of strings, got null in it");
	refuses(f, "{\"text\":\"a\",\"flag\":1}", ERR_WRONG_TYPE,
		"flag: expected true or false, got a number");
	refuses(f, "{\"text\":\"a\",\"flag\":\"yes\"}", ERR_WRONG_TYPE,
		"flag: expected true or false, got a string");
	refuses(f, "{\"text\":\"a\",\"whole\":true}", ERR_WRONG_TYPE,
		"whole: expected a number, got a boolean");
	refuses(f, "{\"text\":\"a\",\"object\":\"[1]\"}", ERR_WRONG_TYPE,
		"object: expected an object, got a string");
	refuses(f, "[]", ERR_WRONG_TYPE, "arguments: expected an object, got a list");
}

static void refuses_what_is_no_choice(void **state)
{
	struct fixture *f = *state;

	refuses(f, "{\"text\":\"a\",\"choice\":\"Red\"}", ERR_BAD_VALUE,
		"choice: \"Red\" is none of red, green");
	refuses(f, "{\"text\":\"a\",\"choice\":\"\\u001b[1m\"}", ERR_BAD_VALUE,
		"choice: \"\\x1b[1m\" is none of red, green");
}

static void refuses_what_is_out_of_range(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"a\",\"whole\":1,\"number\":1}");
	binds(f, "{\"text\":\"a\",\"whole\":100,\"number\":-0.0}");
	refuses(f, "{\"text\":\"a\",\"whole\":0}", ERR_BAD_VALUE,
		"whole: 0 is not between 1 and 100");
	refuses(f, "{\"text\":\"a\",\"number\":1.01}", ERR_BAD_VALUE,
		"number: 1.01 is not between 0 and 1");
	refuses(f, "{\"text\":\"a\",\"number\":1e400}", ERR_BAD_VALUE,
		"number: 1e400 is not between 0 and 1");
	refuses(f, "{\"text\":\"a\",\"whole\":2.5}", ERR_BAD_VALUE,
		"whole: 2.5 is not a whole number, or too large");
	refuses(f, "{\"text\":\"a\",\"limit\":9223372036854775808}", ERR_BAD_VALUE,
		"limit: 9223372036854775808 is not a whole number, or too large");
	refuses(f, "{\"text\":\"a\",\"limit\":-9223372036854775808}", ERR_BAD_VALUE,
		"limit: -9223372036854775808 is not a whole number, or too large");
}

static void refuses_what_is_too_long(void **state)
{
	struct fixture *f = *state;

	binds(f, "{\"text\":\"12345678\"}");
	binds(f, "{\"text\":\"\\u0031\\u0032345678\"}");
	refuses(f, "{\"text\":\"123456789\"}", ERR_TOO_LARGE,
		"text: 9 bytes; at most 8 are allowed");
}

static void refuses_unknown_names(void **state)
{
	struct fixture *f = *state;

	refuses(f, "{\"text\":\"a\",\"Text\":\"b\"}", ERR_UNKNOWN_ARGUMENT,
		"Text: no such argument; memory_try takes text, texts, choice, flag, whole, "
		"number, "
		"object, any, limit, kinds, shades");
	assert_int_equal(bind(f, &bare, "{\"a\":1}"), -1);
	assert_string_equal(f->err.text, "a: no such argument; memory_bare takes none");
}

static void a_tool_without_parameters_takes_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(bind(f, &bare, "{}"), 0);
	assert_int_equal(tool_bind_json(&bare, false, NULL, JSON_ROOT, NULL, &f->arena, &f->err),
			 0);
}

/* The arguments of a protocol line are a part of it. */
static void binds_from_inside_a_document(void **state)
{
	struct fixture *f = *state;
	struct json_fault fault;
	const char *line = "{\"text\":\"outer\",\"arguments\":{\"text\":\"inner\"}}";
	uint32_t node;

	assert_int_equal(json_parse(&f->doc, slice_of(line), &json_line_bounds, &fault), 0);
	node = json_member(&f->doc, JSON_ROOT, "arguments");
	assert_int_equal(tool_bind_json(&tool, false, &f->doc, node, &f->args, &f->arena, &f->err),
			 0);
	assert_text(f->args.text, "inner");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(binds_every_type),
		TEST(tells_what_was_not_given),
		TEST(a_default_stands_in),
		TEST(null_says_not_given),
		TEST(decodes_texts),
		TEST(takes_a_quoted_value),
		TEST(a_text_where_a_list_is_expected_is_a_list_of_one),
		TEST(leaves_a_string_where_any_value_goes),
		TEST(refuses_what_is_missing),
		TEST(refuses_blanks),
		TEST(refuses_wrong_types),
		TEST(refuses_what_is_no_choice),
		TEST(refuses_what_is_out_of_range),
		TEST(refuses_what_is_too_long),
		TEST(refuses_unknown_names),
		TEST(a_tool_without_parameters_takes_nothing),
		TEST(binds_from_inside_a_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
