#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/category.h"

struct label_case {
	const char *text;
	const char *expected;
};

#define X10 "xxxxxxxxxx"
#define X100 X10 X10 X10 X10 X10 X10 X10 X10 X10 X10

static void check(void (*clean)(struct slice, struct str *), const struct label_case *cases,
		  size_t count)
{
	STR_AUTO out = STR_INIT;

	for (size_t i = 0; i < count; i++) {
		str_adds(&out, "rest");
		clean(slice_of(cases[i].text), &out);
		assert_string_equal(out.ptr, cases[i].expected);
	}
}

static void test_tag(void **state)
{
	static const struct label_case cases[] = {
		{"", ""},
		{"__x__", "x"},
		{"UPPER", "upper"},
		{"#hash", "hash"},
		{X100 X10, X100 X10},
		{"node.js", "node-js"},
		{"a  b\tc", "a_b_c"},
		{"a!?b", "a_b"},
		{"a--b//c", "a-b/c"},
		{"a_-_b", "a_-_b"},
		{"/area/ui/", "area/ui"},
		{"-_/", ""},
		{"C++", "c"},
		{"\u00c4RGER", "\u00e4rger"},
		{"\u65e5\u672c", "\u65e5\u672c"},
		{"\u041f\u0440\u0438", "\u043f\u0440\u0438"},
		{"cafe\u0301", "cafe\u0301"},
		{"\u0301x", "x"},
		{"emoji\U0001f600", "emoji"},
		{"\u2764\ufe0f love", "love"},
		{"\xff\xfe", ""},
		{"a\xff"
		 "b",
		 "a_b"},
	};

	(void)state;
	check(tag_clean, cases, sizeof cases / sizeof *cases);
}

static void test_long_tags_are_kept(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	tag_clean(slice_of(X100 "_"), &out);
	assert_string_equal(out.ptr, X100);
	tag_clean(slice_of(X100 "_tail"), &out);
	assert_string_equal(out.ptr, X100 "_tail");
}

static void test_entity(void **state)
{
	static const struct label_case cases[] = {
		{"", ""},
		{"  ", ""},
		{"UPPER", "UPPER"},
		{"\u65e5\u672c", "\u65e5\u672c"},
		{"a b  c", "a b c"},
		{" \u3000a\t\nb ", "a b"},
		{"emoji\U0001f600", "emoji"},
		{"\U0001f468\u200d\U0001f469 Smith", "Smith"},
		{"user_123", "user_123"},
		{"AC/DC", "AC_DC"},
		{"O\u2019Brien & Co.", "O\u2019Brien & Co."},
		{"C++", "C++"},
	};

	(void)state;
	check(entity_clean, cases, sizeof cases / sizeof *cases);
}

static void test_entity_has_no_limit(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	entity_clean(slice_of(X100 X10), &out);
	assert_string_equal(out.ptr, X100 X10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tag),
		cmocka_unit_test(test_long_tags_are_kept),
		cmocka_unit_test(test_entity),
		cmocka_unit_test(test_entity_has_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
