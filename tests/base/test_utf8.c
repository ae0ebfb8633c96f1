/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/utf8.h"

#define LITERAL(text) slice_make(text, sizeof(text) - 1)

static void valid_prefix_stops_at_what_is_not_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t prefix;
	} cases[] = {
		{"", 0},
		{"plain", 5},
		{"\xC2\x80\xDF\xBF", 4},
		{"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF", 12},
		{"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 8},
		{"a\x80", 1},
		{"a\xC0\x80", 1}, /* overlong */
		{"a\xC1\xBF", 1},
		{"a\xE0\x9F\xBF", 1},
		{"a\xF0\x8F\xBF\xBF", 1},
		{"a\xED\xA0\x80", 1},     /* surrogate */
		{"a\xF4\x90\x80\x80", 1}, /* above U+10FFFF */
		{"a\xF5\x80\x80\x80", 1},
		{"a\xFF", 1},
		{"a\xE2\x82", 1}, /* cut off */
		{"a\xE2\x82z", 1},
		{"a\xF0\x9F\x98", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(utf8_valid_prefix(slice_of(cases[i].text)), cases[i].prefix);
	assert_int_equal(utf8_valid_prefix(LITERAL("a\0b")), 3);
}

static void every_character_survives_add_and_next(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	for (uint32_t c = 0; c <= 0x110010; c++) {
		bool real = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
		size_t at = 0;

		str_clear(&text);
		utf8_add(&text, c);
		assert_int_equal(utf8_valid_prefix(str_slice(&text)), text.len);
		assert_int_equal(utf8_next(str_slice(&text), &at), real ? c : 0xFFFD);
		assert_int_equal(at, text.len);
	}
}

static void next_steps_over_one_invalid_byte(void **state)
{
	struct slice text = slice_of("\xE2\x82z");
	size_t at = 0;

	(void)state;
	assert_int_equal(utf8_next(text, &at), 0xFFFD);
	assert_int_equal(at, 1);
	assert_int_equal(utf8_next(text, &at), 0xFFFD);
	assert_int_equal(utf8_next(text, &at), 'z');
	assert_int_equal(at, 3);
}

static void counts_and_cuts_whole_characters(void **state)
{
	struct slice text = slice_of("h\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80.");

	(void)state;
	assert_int_equal(utf8_count(text), 5);
	assert_int_equal(utf8_count(slice_of("")), 0);
	assert_int_equal(utf8_count(slice_of("\xFF\xFE")), 2);
	assert_int_equal(utf8_cut(text, 0).len, 0);
	assert_int_equal(utf8_cut(text, 2).len, 3);
	assert_int_equal(utf8_cut(text, 4).len, 10);
	assert_int_equal(utf8_cut(text, 99).len, text.len);
	assert_ptr_equal(utf8_cut(text, 2).ptr, text.ptr);
}

static void assert_visible(struct slice text, bool keep_lines, const char *expected)
{
	STR_AUTO out = STR_INIT;

	str_adds(&out, ">");
	utf8_add_visible(&out, text, keep_lines);
	assert_string_equal(out.ptr + 1, expected);
	assert_int_equal(out.ptr[0], '>');
}

static void visible_text_cannot_act(void **state)
{
	(void)state;
	assert_visible(slice_of("plain \xC3\xA9 \xE5\x81\x8F\xE5\xA5\xBD"), false,
		       "plain \xC3\xA9 \xE5\x81\x8F\xE5\xA5\xBD");
	assert_visible(slice_of("\x1B[31mred\x7F"), false, "\\x1b[31mred\\x7f");
	assert_visible(LITERAL("a\0b"), false, "a\\x00b");
	assert_visible(slice_of("a\nb\tc\r"), false, "a\\x0ab\\x09c\\x0d");
	assert_visible(slice_of("a\nb\tc\r"), true, "a\nb\tc\\x0d");
	assert_visible(slice_of("\xC2\x80|\xC2\x9B|\xC2\xA0"), false,
		       "\\u{0080}|\\u{009b}|\xC2\xA0");
	assert_visible(slice_of("\xFF\xE2\x82|"), false, "\\xff\\xe2\\x82|");
	/* The replacement character itself is no invalid byte. */
	assert_visible(slice_of("\xEF\xBF\xBD"), false, "\xEF\xBF\xBD");
}

static void visible_shows_each_hidden_character(void **state)
{
	static const uint32_t hidden[] = {
		0x85,    0xAD,     0x61C,   0x180E,  0x200B,  0x200E,  0x200F, 0x2028, 0x2029,
		0x202A,  0x202E,   0x2060,  0x2064,  0x2066,  0x2069,  0x206F, 0x3164, 0xFDD0,
		0xFDEF,  0xFE00,   0xFE0D,  0xFEFF,  0xFFA0,  0xFFF9,  0xFFFB, 0xFFFE, 0xFFFF,
		0x1FFFE, 0x10FFFF, 0xE0000, 0xE007F, 0xE0100, 0xE01EF, 0xE0FFF};
	static const uint32_t shown[] = {0xA0,   0xAC,   0xAE,   0x34F,  0x61B,   0x61D,   0x180B,
					 0x200A, 0x200C, 0x200D, 0x2010, 0x2027,  0x202F,  0x205F,
					 0x2070, 0x3163, 0xFDCF, 0xFDF0, 0xFE0E,  0xFE0F,  0xFE10,
					 0xFEFE, 0xFF00, 0xFFFC, 0xFFFD, 0x1FFFD, 0xDFFFD, 0xE1000};

	(void)state;
	for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
		STR_AUTO text = STR_INIT;
		STR_AUTO expected = STR_INIT;

		utf8_add(&text, hidden[i]);
		str_printf(&expected, "\\u{%04x}", (unsigned)hidden[i]);
		assert_visible(str_slice(&text), true, expected.ptr);
	}
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		STR_AUTO text = STR_INIT;

		utf8_add(&text, shown[i]);
		assert_visible(str_slice(&text), false, text.ptr);
	}
}

static void assert_visible_json(struct slice json, const char *expected)
{
	STR_AUTO out = STR_INIT;

	utf8_add_visible_json(&out, json);
	assert_string_equal(out.ptr, expected);
}

static void visible_json_stays_json(void **state)
{
	(void)state;
	assert_visible_json(slice_of("{\r\n\t\"a\": \"\\u001b\xC3\xA9\"}"),
			    "{\r\n\t\"a\": \"\\u001b\xC3\xA9\"}");
	assert_visible_json(slice_of("\"\x7F|\xE2\x80\xAE|\xF3\xA0\x80\x81|\xF3\xA0\x84\x80\""),
			    "\"\\u007f|\\u202e|\\udb40\\udc01|\\udb40\\udd00\"");
	assert_visible_json(slice_of("\"\xEF\xBF\xBF\xF4\x8F\xBF\xBF\""),
			    "\"\\uffff\\udbff\\udfff\"");
}

static void ignorable_is_what_nobody_sees(void **state)
{
	(void)state;
	assert_true(utf8_is_ignorable(0x200B));
	assert_true(utf8_is_ignorable(0x200D));
	assert_true(utf8_is_ignorable(0xFE0F));
	assert_true(utf8_is_ignorable(0xE0001));
	assert_false(utf8_is_ignorable('a'));
	assert_false(utf8_is_ignorable(' '));
	assert_false(utf8_is_ignorable(0x2028));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_prefix_stops_at_what_is_not_utf8),
		cmocka_unit_test(every_character_survives_add_and_next),
		cmocka_unit_test(next_steps_over_one_invalid_byte),
		cmocka_unit_test(counts_and_cuts_whole_characters),
		cmocka_unit_test(visible_text_cannot_act),
		cmocka_unit_test(visible_shows_each_hidden_character),
		cmocka_unit_test(visible_json_stays_json),
		cmocka_unit_test(ignorable_is_what_nobody_sees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
