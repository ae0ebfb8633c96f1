/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/utf8.h"
#include "json/doc.h"

#define LITERAL(text) slice_make(text, sizeof(text) - 1)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void assert_accepted(struct slice text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, text, &json_line_bounds, &fault) != 0)
		fail_msg("%.*s: %u:%u: %s", (int)text.len, text.ptr, fault.line, fault.column,
			 fault.what);
	json_release(&doc);
	assert_null(doc.nodes);
}

static void assert_refused(struct slice text, uint32_t line, uint32_t column, const char *what)
{
	struct json_fault fault;
	struct json doc = {.count = 77};

	if (json_parse(&doc, text, &json_line_bounds, &fault) == 0)
		fail_msg("accepted: %.*s", (int)text.len, text.ptr);
	assert_int_equal(doc.count, 77);
	assert_string_equal(fault.what, what);
	if (fault.line != line || fault.column != column)
		fail_msg("%s: %s is at %u:%u", text.ptr, fault.what, fault.line, fault.column);
}

static void accepts_json(void **state)
{
	static const char *const texts[] = {
		"null",
		"true",
		"false",
		" 1 ",
		"\t\r\n\"x\"\r\n",
		"[]",
		"{}",
		"[ ]",
		"{ }",
		"0",
		"-0",
		"-0.0",
		"0e0",
		"0E+0",
		"10",
		"123.456e-78",
		"1E400",
		"1e999999999",
		"9007199254740993",
		"[0,1,-1]",
		"[[[]],[{}]]",
		"{\"a\":{\"b\":[1,{\"c\":null}]}}",
		"\"\"",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uFFFF\\uabCD\"",
		"\"\\uD83D\\uDE00\"",
		"\"\\ud800\\udc00\"",
		"\"\\uDBFF\\uDFFF\"",
		"\"\x7F\"",
		"\"\xC2\x80\xE2\x80\xA8\xF4\x8F\xBF\xBF\"",
		"\"\xEF\xBB\xBF\"",
		"{\"\":1}",
		"{\"a\":1,\"A\":2,\"a \":3}",
		"{\"\\u0000\":1,\"\\u0001\":2,\"\":3}",
		"[1 ,\n2]",
		"{ \"a\" : 1 , \"b\" : 2 }",
		"\"//\"",
		"\"/* */\"",
		"[\"\\\\\"]",
		"[\"\\u0022\"]",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_accepted(slice_of(texts[i]));
}

static void refuses_structure(void **state)
{
	static const struct {
		const char *text;
		uint32_t column;
		const char *what;
	} cases[] = {
		{"", 1, "no value; the text is empty"},
		{"  ", 3, "no value; the text is empty"},
		{"[1,]", 3, "a comma before \"]\""},
		{"{\"a\":1 , }", 8, "a comma before \"}\""},
		{"[,1]", 2, "a value expected"},
		{"[1,,2]", 4, "a value expected"},
		{"{,}", 2, "a name in double quotes expected"},
		{"{a:1}", 2, "a name in double quotes expected"},
		{"{'a':1}", 2, "a name in double quotes expected"},
		{"{1:1}", 2, "a name in double quotes expected"},
		{"{\"a\":1,,\"b\":2}", 8, "a name in double quotes expected"},
		{"{\"a\" 1}", 6, "a colon after the name expected"},
		{"{\"a\"}", 5, "a colon after the name expected"},
		{"{\"a\":}", 6, "a value expected"},
		{"{\"a\"::1}", 6, "a value expected"},
		{"{\"a\":1 \"b\":2}", 8, "a comma or \"}\" expected"},
		{"[1 2]", 4, "a comma or \"]\" expected"},
		{"[1}", 3, "a comma or \"]\" expected"},
		{"{\"a\":1]", 7, "a comma or \"}\" expected"},
		{"]", 1, "a value expected"},
		{"[1:2]", 3, "a comma or \"]\" expected"},
		{"[", 2, "ends in the middle of an array"},
		{"[1,", 4, "ends in the middle of an array"},
		{"[[]", 4, "ends in the middle of an array"},
		{"{", 2, "ends in the middle of an object"},
		{"{\"a\"", 5, "ends in the middle of an object"},
		{"{\"a\":", 6, "ends in the middle of an object"},
		{"{\"a\":1", 7, "ends in the middle of an object"},
		{"{\"a\":1,", 8, "ends in the middle of an object"},
		{"{} x", 4, "text after the end"},
		{"1 2", 3, "text after the end"},
		{"[]]", 3, "text after the end"},
		{"[1] // x", 5, "a comment; JSON has none"},
		{"[/* x */]", 2, "a comment; JSON has none"},
		{"{\"a\": # x", 7, "a comment; JSON has none"},
		{"{// x", 2, "a comment; JSON has none"},
		{"[1, /", 5, "a value expected"},
		{"[\f]", 2, "a value expected"},
		{"[\xC2\xA0]", 2, "a value expected"},
		{"\xEF\xBB\xBF[]", 1, "a byte order mark; the text must begin without one"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(slice_of(cases[i].text), 1, cases[i].column, cases[i].what);
	assert_refused(LITERAL("[\0]"), 1, 2, "a value expected");
	assert_refused(LITERAL("[1\0]"), 1, 3, "a comma or \"]\" expected");
	assert_refused(LITERAL("[]\0"), 1, 3, "text after the end");
	assert_refused(LITERAL("\0"), 1, 1, "a value expected");
	assert_refused(slice_make(NULL, 0), 1, 1, "no value; the text is empty");
}

static const struct {
	const char *text;
	uint32_t column;
	const char *what;
} bad_scalars[] = {
	{"01", 1, "a number that begins with 0"},
	{"-01", 2, "a number that begins with 0"},
	{"-", 2, "a digit after \"-\" expected"},
	{"-a", 2, "a digit after \"-\" expected"},
	{"--1", 2, "a digit after \"-\" expected"},
	{"1.", 3, "a digit after the decimal point expected"},
	{"1.e1", 3, "a digit after the decimal point expected"},
	{"1e", 3, "a digit in the exponent expected"},
	{"1e+", 4, "a digit in the exponent expected"},
	{"+1", 1, "a number begins with a digit or \"-\""},
	{".5", 1, "a number begins with a digit or \"-\""},
	{"0x10", 2, "text after the end"},
	{"1.2.3", 4, "text after the end"},
	{"[1_000]", 3, "a comma or \"]\" expected"},
	{"True", 1, "\"True\" without quotes; only true, false and null go so"},
	{"[NaN]", 2, "\"NaN\" without quotes; only true, false and null go so"},
	{"nul", 1, "\"nul\" without quotes; only true, false and null go so"},
	{"nulls", 1, "\"nulls\" without quotes; only true, false and null go so"},
	{"'x'", 1, "a string in double quotes expected"},
	{"\"", 2, "ends in the middle of a string"},
	{"\"abc", 5, "ends in the middle of a string"},
	{"\"\\", 3, "ends in the middle of a string"},
	{"\"\\\"", 4, "ends in the middle of a string"},
	{"\"a\nb\"", 3, "control character in a string; write \\n"},
	{"\"a\tb\"", 3, "control character in a string; write \\t"},
	{"\"\r\"", 2, "control character in a string; write \\r"},
	{"\"\b\"", 2, "control character in a string; write \\b"},
	{"\"\f\"", 2, "control character in a string; write \\f"},
	{"\"\v\"", 2, "control character in a string; write \\u000b"},
	{"\"\x1F\"", 2, "control character in a string; write \\u001f"},
	{"{\"\x01\":1}", 3, "control character in a string; write \\u0001"},
	{"\"\\x41\"", 2, "unknown escape \\x; a backslash is written \\\\"},
	{"\"\\\x1B\"", 2, "unknown escape \\\\x1b; a backslash is written \\\\"},
	{"\"\\\xC3\xA9\"", 2, "unknown escape \\\xC3\xA9; a backslash is written \\\\"},
	{"\"\\u12\"", 2, "four hex digits after \\u expected"},
	{"\"\\u12G4\"", 2, "four hex digits after \\u expected"},
	{"\"\\U0041\"", 2, "unknown escape \\U; a backslash is written \\\\"},
	{"\"\\ud800\"", 2, "a lone surrogate \\ud800"},
	{"\"\\uDC00\"", 2, "a lone surrogate \\uDC00"},
	{"\"\\ud800\\u0041\"", 2, "a lone surrogate \\ud800"},
	{"\"\\ud800\\ud800\"", 2, "a lone surrogate \\ud800"},
	{"\"\\ud800xdc00..\"", 2, "a lone surrogate \\ud800"},
	{"\"x\xFFy\"", 3, "invalid UTF-8 byte \\xff"},
	{"\"\xC3\xA9\xC0\x80\"", 3, "invalid UTF-8 byte \\xc0"},
	{"\"\xED\xA0\x80\"", 2, "invalid UTF-8 byte \\xed"},
	{"\"\xE2\x82", 2, "invalid UTF-8 byte \\xe2"},
	{"[\x80]", 2, "invalid UTF-8 byte \\x80"},
	{"\xFF\xFE[", 1, "invalid UTF-8 byte \\xff"},
};

static void refuses_scalars(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad_scalars); i++)
		assert_refused(slice_of(bad_scalars[i].text), 1, bad_scalars[i].column,
			       bad_scalars[i].what);
	assert_refused(LITERAL("\"\0\""), 1, 2, "control character in a string; write \\u0000");
	assert_refused(slice_make("\"\\u1234\"", 6), 1, 2, "four hex digits after \\u expected");
	assert_refused(LITERAL("\"\\\0\""), 1, 2,
		       "unknown escape \\\\x00; a backslash is written \\\\");
}

static void lines_end_in_three_ways(void **state)
{
	(void)state;
	assert_refused(slice_of("[1,\n 2,\n x]"), 3, 2,
		       "\"x\" without quotes; only true, false and null go so");
	assert_refused(slice_of("[1,\r\n\r\n]"), 1, 3, "a comma before \"]\"");
	assert_refused(slice_of("[\r\n1\r\n?"), 3, 1, "a comma or \"]\" expected");
	assert_refused(slice_of("[\r1\r\r?"), 4, 1, "a comma or \"]\" expected");
	assert_refused(slice_of("[\n\r?"), 3, 1, "a value expected");
	assert_refused(slice_of("[\"\xE5\xA5\xBD\xF0\x9F\x98\x80\" ?"), 1, 7,
		       "a comma or \"]\" expected");
	assert_refused(slice_of("\n"), 2, 1, "no value; the text is empty");
}

static void byte_order_mark_takes_no_column(void **state)
{
	struct slice good = slice_of("\xEF\xBB\xBF{}");
	struct slice bad = slice_of("\xEF\xBB\xBF{]");
	struct json_fault fault;
	struct json doc;

	(void)state;
	assert_int_equal(json_parse(&doc, good, &json_file_bounds, &fault), 0);
	assert_int_equal(doc.nodes[JSON_ROOT].start, 3);
	json_release(&doc);
	assert_int_equal(json_parse(&doc, bad, &json_file_bounds, &fault), -1);
	assert_int_equal(fault.line, 1);
	assert_int_equal(fault.column, 2);
}

static void duplicate_names_are_found_decoded(void **state)
{
	(void)state;
	assert_refused(slice_of("{\"x\":1,\n\"y\":2,\"x\":3}"), 2, 7, "duplicate key \"x\"");
	assert_refused(slice_of("{\"a\":1,\"\\u0061\":2}"), 1, 8, "duplicate key \"a\"");
	assert_refused(slice_of("{\"\\n\":1,\"\\u000a\":2}"), 1, 9, "duplicate key \"\\x0a\"");
	assert_refused(slice_of("{\"\":1,\"\":2}"), 1, 7, "duplicate key \"\"");
	assert_refused(slice_of("{\"\\u0000\":1,\"\\u0000\":2}"), 1, 13, "duplicate key \"\\x00\"");
	assert_refused(slice_of("[{\"a\":{\"b\":1,\"b\":2}}]"), 1, 14, "duplicate key \"b\"");
	assert_accepted(slice_of("[{\"a\":1},{\"a\":{\"a\":2}}]"));
}

static void add_members(struct str *text, int count)
{
	for (int i = 0; i < count; i++)
		str_printf(text, "%s\"name %d\":%d", i ? "," : "{", i, i);
}

static void large_objects_are_checked_too(void **state)
{
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;

	(void)state;
	add_members(&text, 100000);
	str_adds(&text, "}");
	assert_int_equal(json_parse(&doc, str_slice(&text), &json_file_bounds, &fault), 0);
	assert_int_equal(doc.nodes[JSON_ROOT].count, 100000);
	json_release(&doc);

	/* Of several duplicates the first in the text is told. */
	str_truncate(&text, text.len - 1);
	str_adds(&text, ",\n\"name\\u00207\":0,\n\"name 3\":0,\"name 7\":1}");
	assert_int_equal(json_parse(&doc, str_slice(&text), &json_file_bounds, &fault), -1);
	assert_string_equal(fault.what, "duplicate key \"name 7\"");
	assert_int_equal(fault.line, 2);
	assert_int_equal(fault.column, 1);
}

static void long_text_is_cut_in_phrases(void **state)
{
	STR_AUTO name = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct json_fault fault;
	struct json doc;

	(void)state;
	for (int i = 0; i < 30; i++)
		str_adds(&name, "\xE2\x80\xAE\xC3\xA9");
	str_printf(&text, "{\"%s\":1,\"%s\":1}", name.ptr, name.ptr);
	assert_int_equal(json_parse(&doc, str_slice(&text), &json_line_bounds, &fault), -1);
	assert_memory_equal(fault.what, "duplicate key \"\\u{202e}\xC3\xA9\\u{202e}", 33);
	assert_true(strlen(fault.what) < 110);
	assert_string_equal(fault.what + strlen(fault.what) - 4, "...\"");
	assert_int_equal(utf8_valid_prefix(slice_of(fault.what)), strlen(fault.what));

	str_clear(&text);
	for (int i = 0; i < 90; i++)
		str_adds(&text, "x");
	assert_int_equal(json_parse(&doc, str_slice(&text), &json_line_bounds, &fault), -1);
	assert_string_equal(fault.what + 72,
			    "xxxxxx...\" without quotes; only true, false and null go so");
}

static void add_nest(struct str *text, int depth)
{
	str_clear(text);
	for (int i = 0; i < depth; i++)
		str_adds(text, i % 2 ? "{\"a\":" : "[");
	str_adds(text, "1");
	for (int i = depth - 1; i >= 0; i--)
		str_adds(text, i % 2 ? "}" : "]");
}

static void assert_bound(struct slice text, const struct json_bounds *bounds, const char *what)
{
	struct json_fault fault = {.what = ""};
	struct json doc = {.nodes = NULL};

	json_parse(&doc, text, bounds, &fault);
	json_release(&doc);
	assert_string_equal(fault.what, what);
}

static void depth_is_bounded(void **state)
{
	struct json_bounds deep = {.bytes = SIZE_MAX, .nodes = UINT32_MAX, .depth = UINT32_MAX};
	struct json_bounds flat = {.bytes = SIZE_MAX, .nodes = UINT32_MAX, .depth = 0};
	STR_AUTO text = STR_INIT;

	(void)state;
	add_nest(&text, 32);
	assert_bound(str_slice(&text), &json_line_bounds, "");
	add_nest(&text, 33);
	assert_bound(str_slice(&text), &json_line_bounds, "nested deeper than 32");
	assert_bound(str_slice(&text), &deep, "");
	add_nest(&text, 512);
	assert_bound(str_slice(&text), &deep, "");
	add_nest(&text, 100000);
	assert_bound(str_slice(&text), &deep, "nested deeper than 512");
	assert_bound(slice_of("1"), &flat, "");
	assert_bound(slice_of("[]"), &flat, "nested deeper than 0");
}

static void size_is_bounded(void **state)
{
	struct json_bounds small = {.bytes = 8, .nodes = 3, .depth = 9};
	struct json_bounds any = {.bytes = SIZE_MAX, .nodes = UINT32_MAX, .depth = 9};

	(void)state;
	assert_bound(slice_of("[10, 20]"), &small, "");
	assert_bound(slice_of("[10, 20] "), &small, "longer than 8 bytes");
	assert_bound(slice_of("[1,2,3]"), &small, "more than 3 values");
	/* Refused by its length alone, so that nothing of it is read. */
	assert_bound(slice_make("1", UINT32_MAX), &any, "longer than 4294967294 bytes");
}

/* A string is read eight bytes at a time: each byte at each place is seen as if read alone. */
static void every_byte_is_seen_at_every_place(void **state)
{
	(void)state;
	for (size_t len = 1; len < 20; len++) {
		for (size_t place = 0; place < len; place++) {
			for (int byte = 0; byte < 256; byte++) {
				char text[32] = "\"";
				struct json_fault fault;
				struct json doc;
				bool fits = byte >= 0x20 && byte < 0x80 && byte != '\\' &&
					    (byte != '"' || place + 1 == len);

				memset(text + 1, 'a', len);
				text[1 + place] = (char)byte;
				text[1 + len] = '"';
				/* A quote at the last place ends the string there. */
				if (byte == '"' && place + 1 == len)
					text[1 + len] = ' ';
				assert_int_equal(json_parse(&doc, slice_make(text, len + 2),
							    &json_line_bounds, &fault),
						 fits ? 0 : -1);
				if (fits)
					json_release(&doc);
			}
		}
	}
}

/* ---- logs of lines */

static int note_line(void *context, const struct json_line *line)
{
	struct str *out = context;

	str_printf(out, "%zu:%s", line->number, line->doc ? "" : "!");
	str_add(out, line->doc ? line->doc->text : line->text);
	str_addc(out, ' ');
	return line->doc && json_type(line->doc, JSON_ROOT) == JSON_NULL;
}

static void assert_lines(const char *text, int result, const char *expected)
{
	STR_AUTO out = STR_INIT;

	assert_int_equal(json_parse_lines(slice_of(text), &json_line_bounds, note_line, &out),
			 result);
	assert_string_equal(out.ptr, expected);
}

/* What one line left behind must not be seen in the next. */
static void lines_are_scanned_one_by_one(void **state)
{
	(void)state;
	assert_lines("", 0, "");
	assert_lines("{\"a\":[1,{}]}\n[]\n", 0, "1:{\"a\":[1,{}]} 2:[] ");
	assert_lines("{\"a\":[1,\n2\n\n{\"b\n\"c\" \r\n", 0,
		     "1:!{\"a\":[1, 2:2 3:! 4:!{\"b 5:\"c\"  ");
	assert_lines("{\"a\":1,\"a\":2}\n{\"a\":1}", 0, "1:!{\"a\":1,\"a\":2} 2:{\"a\":1} ");
	assert_lines("1\nnull\n2\n", 1, "1:1 2:null ");
}

static void assert_last_line(const char *text, size_t ended, const char *last, bool whole)
{
	bool is_whole = !whole;

	assert_int_equal(json_ended_lines(slice_of(text)).len, ended);
	assert_true(slice_is(json_last_line(slice_of(text), &is_whole), last));
	assert_true(is_whole == whole);
}

static void a_last_line_without_newline_is_torn_or_whole(void **state)
{
	(void)state;
	assert_last_line("", 0, "", false);
	assert_last_line("{}\n", 3, "", false);
	assert_last_line("{}\n{\"a\"", 3, "{\"a\"", false);
	assert_last_line("{}\n{\"a\":1}", 3, "{\"a\":1}", true);
	assert_last_line("{}", 0, "{}", true);
	assert_last_line("{", 0, "{", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_json),
		cmocka_unit_test(refuses_structure),
		cmocka_unit_test(refuses_scalars),
		cmocka_unit_test(lines_end_in_three_ways),
		cmocka_unit_test(byte_order_mark_takes_no_column),
		cmocka_unit_test(duplicate_names_are_found_decoded),
		cmocka_unit_test(large_objects_are_checked_too),
		cmocka_unit_test(long_text_is_cut_in_phrases),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(every_byte_is_seen_at_every_place),
		cmocka_unit_test(lines_are_scanned_one_by_one),
		cmocka_unit_test(a_last_line_without_newline_is_torn_or_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
