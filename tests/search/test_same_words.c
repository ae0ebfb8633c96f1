#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "search/same_words.h"
#include "search/search_index.h"
#include "text/dictionary.h"

/* A stem as search_stem() has it, of letters. */
static struct slice stem_of(const char *text, uint32_t chars[32])
{
	size_t len = 0;

	for (; text[len]; len++)
		chars[len] = (unsigned char)text[len];
	return slice_make((const char *)chars, len * sizeof *chars);
}

static size_t count_of(const struct same_words *same, const char *stem)
{
	uint32_t chars[32];
	size_t count;

	same_words_of(same, stem_of(stem, chars), &count);
	return count;
}

static void words_of_a_line_find_each_other(void **state)
{
	struct same_words *same = same_words_new();
	uint32_t chars[32];
	uint32_t other[32];
	size_t count;
	const struct same_word *words = same_words_of(same, stem_of("url", chars), &count);
	bool found = false;

	(void)state;
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		found = found || slice_equal(words[i].stem, stem_of("uri", other));
	assert_true(found);
	assert_int_equal(count_of(same, "uri"), 2);
	assert_int_equal(count_of(same, "volcano"), 0);
	assert_int_equal(count_of(same, ""), 0);
	same_words_free(same);
	same_words_free(NULL);
}

/* Else a search would find what the two lines have nothing to do with, or only what one has. */
static void a_stem_stands_in_one_line(void **state)
{
	struct same_words *same = same_words_new();
	struct arena arena = ARENA_INIT;
	size_t words = 0;

	(void)state;
	for (size_t i = 0; i < dictionary_row_count; i++) {
		const struct dictionary_row *row = &dictionary_rows[i];
		const struct same_word *line;
		uint32_t chars[32];
		struct slice stem = stem_of(dictionary_spelling(row), chars);
		size_t count;

		if (row->list != DICTIONARY_SAME)
			continue;
		words++;
		search_stem(&arena, chars, (uint32_t)strlen(dictionary_spelling(row)), false,
			    &stem);
		line = same_words_of(same, stem, &count);
		assert_non_null(line);
		if (line->line != row->line)
			fail_msg("%s stands in lines %d and %d", dictionary_spelling(row),
				 line->line, row->line);
	}
	assert_true(words > 100);
	arena_release(&arena);
	same_words_free(same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_a_line_find_each_other),
		cmocka_unit_test(a_stem_stands_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
