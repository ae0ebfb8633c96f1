/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "json/write.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LITERAL(text) slice_make(text, sizeof(text) - 1)

static void write_sample(struct json_writer *w)
{
	json_write_object(w);
	json_write_member_string(w, "s", slice_of("x"));
	json_write_name(w, slice_of("list"));
	json_write_array(w);
	json_write_int(w, 1);
	json_write_array(w);
	json_write_end(w);
	json_write_object(w);
	json_write_member_bool(w, "b", true);
	json_write_end(w);
	json_write_end(w);
	json_write_name(w, slice_of("empty"));
	json_write_object(w);
	json_write_end(w);
	json_write_member_int(w, "i", INT64_MIN);
	json_write_member_raw(w, "raw", slice_of("1e400"));
	json_write_end(w);
}

static void compact_is_one_line(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	str_adds(&out, "before ");
	struct json_writer w = json_writer_to(&out, &json_compact);
	write_sample(&w);
	assert_string_equal(out.ptr, "before {\"s\":\"x\",\"list\":[1,[],{\"b\":true}],"
				     "\"empty\":{},\"i\":-9223372036854775808,\"raw\":1e400}");
}

static void pretty_is_indented(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	struct json_writer w = json_writer_to(&out, &json_pretty);
	write_sample(&w);
	assert_string_equal(out.ptr, "{\n"
				     "  \"s\": \"x\",\n"
				     "  \"list\": [\n"
				     "    1,\n"
				     "    [],\n"
				     "    {\n"
				     "      \"b\": true\n"
				     "    }\n"
				     "  ],\n"
				     "  \"empty\": {},\n"
				     "  \"i\": -9223372036854775808,\n"
				     "  \"raw\": 1e400\n"
				     "}");
}

static void layout_follows_the_file(void **state)
{
	const struct json_layout layout = {.indent = "\t", .newline = "\r\n", .depth = 2};
	STR_AUTO out = STR_INIT;

	(void)state;
	struct json_writer w = json_writer_to(&out, &layout);
	json_write_object(&w);
	json_write_name(&w, slice_of("a"));
	json_write_array(&w);
	json_write_null(&w);
	json_write_end(&w);
	json_write_end(&w);
	assert_string_equal(out.ptr, "{\r\n\t\t\t\"a\": [\r\n\t\t\t\tnull\r\n\t\t\t]\r\n\t\t}");
}

static void assert_string(struct slice text, const char *expected)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_write_string(&w, text);
	assert_string_equal(out.ptr, expected);
}

static void strings_are_escaped(void **state)
{
	(void)state;
	assert_string(slice_of(""), "\"\"");
	assert_string(slice_make(NULL, 0), "\"\"");
	assert_string(slice_of("say \"hi\" \\ /"), "\"say \\\"hi\\\" \\\\ /\"");
	assert_string(slice_of("\b\t\n\v\f\r"), "\"\\b\\t\\n\\u000b\\f\\r\"");
	assert_string(LITERAL("a\0\x1F\x7F"), "\"a\\u0000\\u001f\x7F\"");
	assert_string(slice_of("\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80"),
		      "\"\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80\"");
	assert_string(slice_of("a\xFF\xE2\x82."), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD.\"");
	assert_string(slice_of("\xEF\xBF\xBD"), "\"\xEF\xBF\xBD\"");
}

/* Eight bytes are looked at together: wherever among them something stands, it is seen. */
static void what_is_not_plain_is_seen_anywhere(void **state)
{
	static const char *const specials[][2] = {
		{"\"", "\\\""},           {"\\", "\\\\"},           {"\n", "\\n"},
		{"\x01", "\\u0001"},      {"\x1f", "\\u001f"},      {"\x7f", "\x7f"},
		{"\xC3\xA9", "\xC3\xA9"}, {"\xff", "\xEF\xBF\xBD"}, {"!", "!"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
		for (int before = 0; before < 20; before++) {
			STR_AUTO text = STR_INIT;
			STR_AUTO expected = STR_INIT;

			str_printf(&text, "%.*s%s  ~~#[]z ~", before, "aaaaaaaaaaaaaaaaaaaa",
				   specials[i][0]);
			str_printf(&expected, "\"%.*s%s  ~~#[]z ~\"", before,
				   "aaaaaaaaaaaaaaaaaaaa", specials[i][1]);
			assert_string(str_slice(&text), expected.ptr);
		}
	}
}

static void every_byte_gives_a_string_that_reads_back(void **state)
{
	STR_AUTO out = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json_writer w;
	struct json doc;

	(void)state;
	for (int i = 0; i < 256; i++) {
		char byte = (char)i;
		struct slice text = {&byte, 1};
		struct slice expected = i < 0x80 ? text : slice_of("\xEF\xBF\xBD");

		str_clear(&out);
		w = json_writer_to(&out, &json_compact);
		json_write_object(&w);
		json_write_name(&w, text);
		json_write_string(&w, text);
		json_write_end(&w);
		assert_int_equal(json_parse(&doc, str_slice(&out), &json_line_bounds, &fault), 0);
		assert_int_equal(json_member_slice(&doc, JSON_ROOT, expected), 1);
		assert_true(slice_equal(json_string(&doc, 1, &scratch), expected));
		json_release(&doc);
	}
}

static void assert_double(double number, const char *expected)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_write_double(&w, number);
	assert_string_equal(out.ptr, expected);
	assert_true(strtod(out.ptr, NULL) == number);
}

static void doubles_are_short_and_exact(void **state)
{
	(void)state;
	assert_double(0, "0");
	assert_double(1, "1");
	assert_double(0.1, "0.1");
	assert_double(0.1 + 0.2, "0.30000000000000004");
	assert_double(1.0 / 3, "0.3333333333333333");
	assert_double(-1.5e300, "-1.5e+300");
	assert_double(DBL_MAX, "1.7976931348623157e+308");
	assert_double(5e-324, "4.94065645841247e-324");
}

static void assert_fixed(double number, int decimals, const char *expected)
{
	STR_AUTO out = STR_INIT;
	struct json_writer w = json_writer_to(&out, &json_compact);

	json_write_fixed(&w, number, decimals);
	assert_string_equal(out.ptr, expected);
}

static void fixed_cuts_zeros(void **state)
{
	(void)state;
	assert_fixed(1, 3, "1");
	assert_fixed(0.912, 3, "0.912");
	assert_fixed(0.9, 3, "0.9");
	assert_fixed(0.9996, 3, "1");
	assert_fixed(100, 3, "100");
	assert_fixed(100, 0, "100");
	assert_fixed(0, 2, "0");
	assert_fixed(-0.0001, 3, "0");
	assert_fixed(-0.25, 1, "-0.2");
	assert_fixed(1e22, 2, "10000000000000000000000");
}

/* What printf writes, without the zeros at its end. */
static void assert_fixed_as_printed(double number, int decimals)
{
	char text[64];
	size_t len = (size_t)snprintf(text, sizeof text, "%.*f", decimals, number);

	while (decimals > 0 && text[len - 1] == '0')
		len--;
	if (decimals > 0 && text[len - 1] == '.')
		len--;
	text[len] = '\0';
	assert_fixed(number, decimals, strcmp(text, "-0") == 0 ? "0" : text);
}

static void fixed_rounds_as_printf_does(void **state)
{
	static const double halves[] = {2, 20, 200, 2000, 20000, 200000};

	(void)state;
	for (int n = -20000; n <= 20000; n++) {
		int decimals = (n < 0 ? -n : n) % 6;
		double middle = n / 6 / halves[decimals]; /* every second */

		assert_fixed_as_printed(middle, decimals);
		assert_fixed_as_printed(nextafter(middle, -1e9), decimals);
		assert_fixed_as_printed(nextafter(middle, 1e9), decimals);
		assert_fixed_as_printed(n / 7.0, decimals);
		assert_fixed_as_printed(n * 1234.56789, decimals);
	}
}

static void longest_fixed_number_fits(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	struct json_writer w = json_writer_to(&out, &json_compact);
	json_write_fixed(&w, -DBL_MAX, 17);
	assert_int_equal(out.len, 310);
}

static void values_keep_their_text(void **state)
{
	struct slice text = slice_of("{ \"\\u0061\" : [ 1.0 , -0,1e400 ], \"b\":\"\\u0000\\/\" , "
				     "\"c\":{ } , \"d\" : [\n] , \"e\":9007199254740993 }");
	STR_AUTO out = STR_INIT;
	struct json_fault fault;
	struct json doc;

	(void)state;
	assert_int_equal(json_parse(&doc, text, &json_line_bounds, &fault), 0);
	struct json_writer w = json_writer_to(&out, &json_compact);
	json_write_value(&w, &doc, JSON_ROOT);
	assert_string_equal(out.ptr, "{\"\\u0061\":[1.0,-0,1e400],\"b\":\"\\u0000\\/\",\"c\":{},"
				     "\"d\":[],\"e\":9007199254740993}");

	str_clear(&out);
	w = json_writer_to(&out, &json_pretty);
	json_write_array(&w);
	json_write_value(&w, &doc, json_first(&doc, JSON_ROOT));
	json_write_end(&w);
	assert_string_equal(out.ptr, "[\n  [\n    1.0,\n    -0,\n    1e400\n  ]\n]");
	json_release(&doc);
}

static void names_can_be_copied(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	struct json_writer w = json_writer_to(&out, &json_compact);
	json_write_object(&w);
	json_write_name_raw(&w, slice_of("\"\\u0061\""));
	json_write_null(&w);
	json_write_name_raw(&w, slice_of("\"b\""));
	json_write_bool(&w, false);
	json_write_end(&w);
	assert_string_equal(out.ptr, "{\"\\u0061\":null,\"b\":false}");
}

static void nests_as_deep_as_promised(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	struct json_writer w = json_writer_to(&out, &json_compact);
	for (int i = 0; i < JSON_WRITER_DEPTH; i++)
		json_write_array(&w);
	for (int i = 0; i < JSON_WRITER_DEPTH; i++)
		json_write_end(&w);
	assert_int_equal(out.len, 2 * JSON_WRITER_DEPTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compact_is_one_line),
		cmocka_unit_test(pretty_is_indented),
		cmocka_unit_test(layout_follows_the_file),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(what_is_not_plain_is_seen_anywhere),
		cmocka_unit_test(every_byte_gives_a_string_that_reads_back),
		cmocka_unit_test(doubles_are_short_and_exact),
		cmocka_unit_test(fixed_cuts_zeros),
		cmocka_unit_test(fixed_rounds_as_printf_does),
		cmocka_unit_test(longest_fixed_number_fits),
		cmocka_unit_test(values_keep_their_text),
		cmocka_unit_test(names_can_be_copied),
		cmocka_unit_test(nests_as_deep_as_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
