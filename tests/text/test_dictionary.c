#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/dictionary.h"

static void rows_are_sorted_and_found(void **state)
{
	(void)state;
	assert_true(dictionary_row_count > 500);
	for (size_t i = 0; i < dictionary_row_count; i++) {
		struct slice word = slice_of(dictionary_spelling(&dictionary_rows[i]));
		size_t count;
		const struct dictionary_row *found = dictionary_find(word, &count);

		assert_true(i == 0 ||
			    slice_compare(slice_of(dictionary_spelling(&dictionary_rows[i - 1])),
					  word) <= 0);
		assert_true(found <= &dictionary_rows[i] && &dictionary_rows[i] < found + count);
	}
}

static void words_that_are_not_listed(void **state)
{
	size_t count;

	(void)state;
	dictionary_find(slice_of("zyzzyva"), &count);
	assert_int_equal(count, 0);
	dictionary_find(slice_of(""), &count);
	assert_int_equal(count, 0);
	assert_true(dictionary_has(slice_of("not"), DICTIONARY_NEGATIONS));
	assert_false(dictionary_has(slice_of("not"), DICTIONARY_FILLERS));
	assert_true(dictionary_has(slice_of("不"), DICTIONARY_NEGATIONS));
}

static void check_opposed(const char *a, const char *b, bool want, bool want_things)
{
	const struct dictionary_entry one = dictionary_look_up(slice_of(a));
	const struct dictionary_entry other = dictionary_look_up(slice_of(b));
	bool things;

	assert_int_equal(dictionary_opposed(&one, &other, &things), want);
	assert_true(!want || things == want_things);
	assert_int_equal(dictionary_opposed(&other, &one, &things), want);
	assert_true(!want || things == want_things);
}

static void counterparts_are_one_or_the_other(void **state)
{
	bool same;

	(void)state;
	assert_true(dictionary_counterparts(slice_of("prod"), slice_of("staging"), &same));
	assert_false(dictionary_counterparts(slice_of("prod"), slice_of("production"), &same));
	assert_true(same);
	assert_false(dictionary_counterparts(slice_of("prod"), slice_of("mother"), &same));
	assert_false(same);
	/* a line that goes on in the next is one line */
	assert_true(dictionary_counterparts(slice_of("january"), slice_of("december"), &same));
}

static void words_exclude_each_other(void **state)
{
	(void)state;
	check_opposed("on", "off", true, false);
	check_opposed("on", "enabled", false, false);
	check_opposed("monday", "tuesday", true, true);
	check_opposed("old", "new", true, true);
	check_opposed("two", "three", true, false);
	check_opposed("used", "unused", true, false);
	check_opposed("visible", "invisible", true, false);
	check_opposed("port", "import", false, false);
	check_opposed("tree", "house", false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counterparts_are_one_or_the_other),
		cmocka_unit_test(rows_are_sorted_and_found),
		cmocka_unit_test(words_that_are_not_listed),
		cmocka_unit_test(words_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
