#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/contradiction.h"

static void check(const char *a, const char *b, bool want)
{
	assert_int_equal(marks_agree(slice_of(a), slice_of(b)), want);
	assert_int_equal(marks_agree(slice_of(b), slice_of(a)), want);
}

static void numbers_are_told_apart(void **state)
{
	(void)state;
	check("from 12 to 13", "12, then 13", true);
	check("12 13", "13 12", false);
	check("1.5", "15", false);
	check("-1", "1", false);
	check("a-1", "a 1", true);
	check("v2", "V2", true);
	check("D098X7", "d098x7", false);
}

static void signs_are_told_apart(void **state)
{
	(void)state;
	check("a = b", "a != b", false);
	check("10 %", "10", false);
	check("Really!", "Really", true);
	check("\xFF", "\xFE", true);
	check("", "", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_told_apart),
		cmocka_unit_test(signs_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
