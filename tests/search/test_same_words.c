#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "search/same_words.h"
#include "text/dictionary.h"

/* A stem as search_stem() has it, of letters. */
static struct slice stem_of(const char *text, uint32_t chars[16])
{
	size_t len = 0;

	for (; text[len]; len++)
		chars[len] = (unsigned char)text[len];
	return slice_make((const char *)chars, len * sizeof *chars);
}

static size_t count_of(const struct same_words *same, const char *stem)
{
	uint32_t chars[16];
	size_t count;

	same_words_of(same, stem_of(stem, chars), &count);
	return count;
}

static void words_of_a_line_find_each_other(void **state)
{
	struct same_words *same = same_words_new();
	uint32_t chars[16];
	uint32_t other[16];
	size_t count;
	const struct same_word *words = same_words_of(same, stem_of("colour", chars), &count);
	bool found = false;

	(void)state;
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		found = found || slice_equal(words[i].stem, stem_of("color", other));
	assert_true(found);
	assert_int_equal(count_of(same, "color"), 2);
	assert_int_equal(count_of(same, "volcano"), 0);
	assert_int_equal(count_of(same, ""), 0);
	same_words_free(same);
	same_words_free(NULL);
}

/* Else a search would find what the two lines have nothing to do with. */
static void a_word_stands_in_one_line(void **state)
{
	size_t words = 0;

	(void)state;
	for (size_t i = 0; i < dictionary_row_count; i++) {
		if (dictionary_rows[i].list != DICTIONARY_SAME)
			continue;
		words++;
		for (size_t j = i + 1; j < dictionary_row_count; j++) {
			if (!slice_is(slice_of(dictionary_rows[i].word), dictionary_rows[j].word))
				break;
			if (dictionary_rows[j].list == DICTIONARY_SAME)
				fail_msg("%s stands in lines %d and %d", dictionary_rows[i].word,
					 dictionary_rows[i].line, dictionary_rows[j].line);
		}
	}
	assert_true(words > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_a_line_find_each_other),
		cmocka_unit_test(a_word_stands_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
