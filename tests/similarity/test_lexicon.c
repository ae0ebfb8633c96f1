#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "similarity/lexicon.h"

static void rows_are_sorted_and_found(void **state)
{
	(void)state;
	assert_true(lexicon_row_count > 500);
	for (size_t i = 0; i < lexicon_row_count; i++) {
		struct slice word = slice_of(lexicon_rows[i].word);
		size_t count;
		const struct lexicon_row *found = lexicon_find(word, &count);

		assert_true(i == 0 || strcmp(lexicon_rows[i - 1].word, lexicon_rows[i].word) <= 0);
		assert_true(found <= &lexicon_rows[i] && &lexicon_rows[i] < found + count);
	}
}

static void words_that_are_not_listed(void **state)
{
	size_t count;

	(void)state;
	lexicon_find(slice_of("zyzzyva"), &count);
	assert_int_equal(count, 0);
	lexicon_find(slice_of(""), &count);
	assert_int_equal(count, 0);
	assert_true(lexicon_has(slice_of("not"), LEXICON_NEGATIONS));
	assert_false(lexicon_has(slice_of("not"), LEXICON_FILLERS));
	assert_true(lexicon_has(slice_of("不"), LEXICON_NEGATIONS));
}

static void check_opposed(const char *a, const char *b, bool want, bool want_things)
{
	bool things;

	assert_int_equal(lexicon_opposed(slice_of(a), slice_of(b), &things), want);
	assert_true(!want || things == want_things);
	assert_int_equal(lexicon_opposed(slice_of(b), slice_of(a), &things), want);
	assert_true(!want || things == want_things);
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
		cmocka_unit_test(rows_are_sorted_and_found),
		cmocka_unit_test(words_that_are_not_listed),
		cmocka_unit_test(words_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
