#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"

static void assert_shown(const char *text, const char *expected)
{
	STR_AUTO scratch = STR_INIT;

	str_adds(&scratch, "left over");
	assert_string_equal(shown(&scratch, slice_of(text)), expected);
}

static void plain_text_stays(void **state)
{
	(void)state;
	assert_shown("", "");
	assert_shown("caf\xc3\xa9 1", "caf\xc3\xa9 1");
}

static void what_acts_on_a_terminal_becomes_visible(void **state)
{
	(void)state;
	assert_shown("\x1b[1m\n", "\\x1b[1m\\x0a");
}

static void long_text_is_cut_at_a_character(void **state)
{
	STR_AUTO text = STR_INIT;
	STR_AUTO expected = STR_INIT;

	(void)state;
	for (int i = 0; i < SHOWN_CHARACTERS; i++)
		str_adds(&text, "\xc3\xa9");
	assert_shown(text.ptr, text.ptr);
	str_adds(&expected, text.ptr);
	str_adds(&expected, "...");
	str_adds(&text, "e");
	assert_shown(text.ptr, expected.ptr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays),
		cmocka_unit_test(what_acts_on_a_terminal_becomes_visible),
		cmocka_unit_test(long_text_is_cut_at_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
