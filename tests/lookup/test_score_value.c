#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/score.h"

#include <math.h>

struct asked {
	struct arena arena;
	struct query query;
	struct text value;
	struct score score;
};

static void score(struct asked *a, const char *query, const char *value, struct value_words words)
{
	a->arena = (struct arena)ARENA_INIT;
	query_init(&a->query, &a->arena, slice_of(query));
	text_make(&a->arena, slice_of(value), &a->value);
	value_score(&a->query, &a->value, &a->value, &words, &a->score);
}

static void release(struct asked *a)
{
	query_release(&a->query);
	arena_release(&a->arena);
}

static double confidence(const char *query, const char *value, struct value_words words)
{
	struct asked a;
	double result;

	score(&a, query, value, words);
	result = a.score.confidence;
	release(&a);
	return result;
}

static void containment_counts_nine_tenths(void **state)
{
	struct value_words none = {1, 0, 0, 0};

	(void)state;
	assert_true(confidence("sync", "the sync engine", none) >= 0.9 * 0.85);
	assert_true(confidence("sync", "the sync engine", none) <= 0.9);
	assert_true(confidence("ync", "the sync engine", none) >= 0.9 * 0.85);
	assert_true(confidence("yn", "the sync engine", none) == 0);
}

static void a_small_part_of_the_query_says_nothing(void **state)
{
	struct value_words one_of_two = {2, 1, 0, 1};

	(void)state;
	assert_true(confidence("checkout auto", "auto", one_of_two) == 0);
	assert_true(confidence("dark mode now", "dark mode", one_of_two) > 0.6);
}

static void words_count_when_all_are_found(void **state)
{
	struct value_words all = {3, 3, 0, 3};
	struct value_words most = {3, 2, 0, 2};
	struct value_words close = {3, 3, 0, 2.7};
	struct value_words number_missing = {3, 3, 1, 3};
	struct asked a;

	(void)state;
	assert_true(fabs(confidence("a1 b c", "c x b x a1", all) - 0.9) < 1e-9);
	assert_true(confidence("a1 b c", "c x b", most) == 0);
	assert_true(confidence("a1 b c", "c x b", number_missing) == 0);
	score(&a, "alpha beta gamma", "gamma x beta x alphq", close);
	assert_int_equal(a.score.match, LOOKUP_APPROXIMATE);
	assert_true(fabs(a.score.confidence - 0.81) < 1e-9);
	release(&a);
}

static void a_refused_score_is_still_the_nearest(void **state)
{
	struct value_words most = {3, 2, 0, 2};
	struct asked a;

	(void)state;
	score(&a, "alpha beta gamma", "beta x gamma", most);
	assert_true(a.score.confidence == 0);
	assert_true(fabs(a.score.nearest - 0.6) < 1e-9);
	release(&a);
}

static bool has_numbers(const char *query, const char *key, const char *value)
{
	struct asked a;
	struct text key_text;
	bool result;

	score(&a, query, value, (struct value_words){0});
	text_make(&a.arena, slice_of(key), &key_text);
	result = value_has_numbers(&a.query, &key_text, &a.value);
	release(&a);
	return result;
}

static void a_run_of_numbers_stands_as_it_was_asked(void **state)
{
	(void)state;
	assert_true(has_numbers("10 1 2", "key", "at 10 1 2 now"));
	assert_false(has_numbers("10 2 1", "key", "at 10 1 2 now"));
	assert_false(has_numbers("10 1 2", "key", "at 10 1 20"));
	assert_true(has_numbers("10 1 2", "key 10 1 2", "value"));
	assert_true(has_numbers("10 and 2", "key", "2 or 10"));
	assert_true(has_numbers("words", "key", "value"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containment_counts_nine_tenths),
		cmocka_unit_test(a_small_part_of_the_query_says_nothing),
		cmocka_unit_test(words_count_when_all_are_found),
		cmocka_unit_test(a_refused_score_is_still_the_nearest),
		cmocka_unit_test(a_run_of_numbers_stands_as_it_was_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
