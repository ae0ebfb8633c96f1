#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/contradiction.h"

static void check(const char *a, const char *b, bool want)
{
	assert_int_equal(conflict_may_merge(slice_of(a), slice_of(b)), want);
	assert_int_equal(conflict_may_merge(slice_of(b), slice_of(a)), want);
}

static void equal_texts(void **state)
{
	(void)state;
	check("Ship it on Monday", "ship it, on MONDAY!", true);
	check("Don't ship it", "Dont ship it", true);
	check("Größe in cm", "GRÖSSE in cm", true);
	check("🎉", "🎉", true);
	check("🎉", "🎊", false);
	check("", "", true);
	check("", "🎉", false);
}

static void what_is_not_a_word_counts_too(void **state)
{
	(void)state;
	check("Keep it at -5", "Keep it at 5", false);
	check("Less than: a < b", "Less than: a > b", false);
	check("Price is 5 $", "Price is 5 €", false);
	check("Rate is 1.5", "Rate is 1,5", false);
	check("Job is ✅", "Job is ❌", false);
	check("Job is ✅", "Job is", false);
	check("Job is done 🎉", "Job is done", true);
	check("Key is aBc123x", "Key is ABC123X", false);
	check("Plan for Q3", "plan for q3", true);
	check("Run !important", "Run important", false);
}

static void one_within_the_other(void **state)
{
	(void)state;
	check("Paul keeps the archive", "So Paul keeps the archive", true);
	/* 8 of 10 characters are enough, 7 of 9 are not. */
	check("abcd efg", "abcd efg h", true);
	check("abcd ef", "abcd ef h", false);
	/* Whole words only. */
	check("keeps the archive", "upkeeps the archive", false);
	check("Paul keeps the archive", "Paul always keeps archive", false);
}

static void what_is_more_may_not_limit(void **state)
{
	(void)state;
	check("Paul keeps the archive of mails", "Paul keeps the archive of mails 2", false);
	check("Paul keeps the archive of mails", "No Paul keeps the archive of mails", false);
	check("Paul keeps the archive of mails", "Paul keeps the archive of mails only", false);
	check("Radio is on in the whole house", "Radio is on in the whole house off", false);
	check("喜欢喝咖啡和茶", "不喜欢喝咖啡和茶", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts),
		cmocka_unit_test(what_is_not_a_word_counts_too),
		cmocka_unit_test(one_within_the_other),
		cmocka_unit_test(what_is_more_may_not_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
