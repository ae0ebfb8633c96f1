#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"

static void test_is(void **state)
{
	static const uint32_t blank[] = {' ',    '\t',   '\n',   '\r',   0x0B,   0x0C,
					 0x85,   0xA0,   0x1680, 0x2000, 0x200A, 0x2028,
					 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF};
	static const uint32_t solid[] = {0, 8, 0x0E, '!', 'a', 0x200B, 0x200D, 0x1FFF, 0xFFFD};

	(void)state;
	for (size_t i = 0; i < sizeof blank / sizeof *blank; i++)
		assert_true(blank_is(blank[i]));
	for (size_t i = 0; i < sizeof solid / sizeof *solid; i++)
		assert_false(blank_is(solid[i]));
}

static void test_trim(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{"", ""},
		{"   ", ""},
		{"a", "a"},
		{" a ", "a"},
		{"\t a b \r\n", "a b"},
		{"\u00a0\u3000x\ufeff", "x"},
		{"\u3000\u00e9\u3000\u00e9\u3000", "\u00e9\u3000\u00e9"},
		{" \xff ", "\xff"},
		{"\xe3\x80", "\xe3\x80"},
		{"\xe3\xe3\x80\x80 ", "\xe3"},
		{"a\x80\x80\x80\x80 ", "a\x80\x80\x80\x80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct slice text = slice_of(cases[i].text);
		struct slice trimmed = blank_trim(text);

		assert_true(slice_is(trimmed, cases[i].expected));
		assert_true(trimmed.ptr >= text.ptr && trimmed.ptr <= text.ptr + text.len);
	}
}

static void test_trim_keeps_absent(void **state)
{
	(void)state;
	assert_null(blank_trim(slice_of(NULL)).ptr);
}

static void test_trim_keeps_nul(void **state)
{
	struct slice trimmed = blank_trim(slice_make(" \0 ", 3));

	(void)state;
	assert_int_equal(trimmed.len, 1);
	assert_int_equal(trimmed.ptr[0], 0);
}

static void test_only(void **state)
{
	(void)state;
	assert_true(blank_only(slice_of("")));
	assert_true(blank_only(slice_of(" \xE2\x80\x8B\xEF\xB8\x8F\n")));
	assert_false(blank_only(slice_of("\xE2\x80\x8B.")));
	assert_false(blank_only(slice_of("\xFF")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_trim_keeps_absent),
		cmocka_unit_test(test_trim_keeps_nul),
		cmocka_unit_test(test_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
