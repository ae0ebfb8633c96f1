#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/category.h"

static void letters_of_any_script(void **state)
{
	static const uint32_t letters[] = {'a', 'Z', '0', 0xE9, 0x416, 0x65E5, 0x5D0, 0x661};
	static const uint32_t others[] = {' ', '_', '-', '+', 0xA0, 0x3002, 0x1F600, 0xFFFD};
	struct alphabet alphabet = alphabet_open();

	(void)state;
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		assert_true(alphabet_is_letter(&alphabet, letters[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(alphabet_is_letter(&alphabet, others[i]));
	assert_true(alphabet_is_mark(&alphabet, 0x301));
	assert_false(alphabet_is_mark(&alphabet, 'a'));
	alphabet_close(&alphabet);
}

static void upper_and_lower(void **state)
{
	struct alphabet alphabet = alphabet_open();

	(void)state;
	assert_true(alphabet_is_upper(&alphabet, 'A'));
	assert_true(alphabet_is_upper(&alphabet, 0x416));
	assert_false(alphabet_is_upper(&alphabet, 'a'));
	assert_false(alphabet_is_upper(&alphabet, '1'));
	assert_false(alphabet_is_upper(&alphabet, 0x65E5));
	assert_int_equal(alphabet_lower(&alphabet, 0xC4), 0xE4);
	assert_int_equal(alphabet_lower(&alphabet, 0x65E5), 0x65E5);
	alphabet_close(&alphabet);
}

static void folding(void **state)
{
	struct alphabet alphabet = alphabet_open();
	STR_AUTO out = STR_INIT;

	(void)state;
	str_adds(&out, "rest");
	alphabet_fold(&alphabet, slice_of("DON\u2019T \u00c4ndern \u65e5\u672c"), &out);
	assert_string_equal(out.ptr, "don't \u00e4ndern \u65e5\u672c");
	alphabet_fold(&alphabet, slice_of(""), &out);
	assert_string_equal(out.ptr, "");
	alphabet_close(&alphabet);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_of_any_script),
		cmocka_unit_test(upper_and_lower),
		cmocka_unit_test(folding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
