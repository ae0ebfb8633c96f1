#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "similarity/similarity.h"

#include <math.h>
#include <stdlib.h>

/* The words of a text, joined by "|". */
static void check_words(const char *text, const char *want)
{
	struct arena arena = ARENA_INIT;
	STR_AUTO got = STR_INIT;
	struct slice *words;
	size_t count = similar_words(&arena, slice_of(text), &words);

	for (size_t i = 0; i < count; i++) {
		str_adds(&got, i ? "|" : "");
		str_add(&got, words[i]);
	}
	assert_string_equal(got.ptr, want);
	arena_release(&arena);
}

static void words_are_long_or_have_a_digit(void **state)
{
	(void)state;
	check_words("", "");
	check_words("Go to v2 by 9", "v2|9");
	check_words("snake_case __ x_", "snake_case");
	check_words("one two one", "one|two|one");
	check_words("two\xC2\xA0words\xE2\x80\x94here", "two|words|here");
}

static void words_of_all_scripts(void **state)
{
	(void)state;
	check_words("GRÖSSE Größe", "grösse|größe");
	check_words("ПРИВЕТ мир ЁЖ", "привет|мир");
	check_words("偏好深色模式 会议", "偏好深色模式");
	check_words("٣ कुत्ता", "٣|कुत्ता");
	/* A letter with its mark is one letter, however it is written. */
	check_words("cafe\xCC\x81 caf\xC3\xA9", "caf\xC3\xA9|caf\xC3\xA9");
	check_words("\xCC\x81stray", "stray");
}

static void bytes_that_are_no_text_separate(void **state)
{
	STR_AUTO marks = STR_INIT;
	struct arena arena = ARENA_INIT;
	struct slice *words;

	(void)state;
	check_words("one\xFFtwo\xC3", "one|two");
	str_adds(&marks, "abc");
	for (int i = 0; i < 100000; i++)
		str_adds(&marks, i % 2 ? "\xCC\x81" : "\xCC\xA3");
	assert_int_equal(similar_words(&arena, str_slice(&marks), &words), 1);
	arena_release(&arena);
}

static void check_near(double got, double want)
{
	assert_true(fabs(got - want) < 1e-12);
}

static void texts_and_sets(void **state)
{
	const struct slice a[] = {slice_of("x"), slice_of("y"), slice_of("x")};
	const struct slice b[] = {slice_of("y"), slice_of("z")};

	(void)state;
	check_near(similar_texts(slice_of("Deploy at 9"), slice_of("deploy 10")), 1.0 / 3);
	check_near(similar_texts(slice_of("ab"), slice_of("ab")), 0);
	check_near(similar_sets(a, 3, b, 2), 1.0 / 3);
	check_near(similar_sets(a, 0, b, 0), 0);
	check_near(similar_sets(a, 3, a, 3), 1);
}

static void words_of_all_texts_weigh_nothing(void **state)
{
	const struct slice texts[] = {slice_of("same old words"), slice_of("same new words"),
				      slice_of("same old words"), slice_of("")};
	struct similar *similar = similar_new(texts, 3);

	(void)state;
	check_near(similar_cosine(similar, 0, 2), 1);
	check_near(similar_cosine(similar, 0, 1), 0);
	similar_free(similar);
	similar = similar_new(texts, 4);
	assert_true(similar_cosine(similar, 0, 1) > 0);
	check_near(similar_cosine(similar, 0, 3), 0);
	assert_int_equal(similar_count(similar), 4);
	similar_free(similar);
	similar_free(NULL);
}

/* A row of texts that chance made of few words, so that many are alike to every degree. */
static struct similar *random_texts(size_t count, unsigned int seed)
{
	struct arena arena = ARENA_INIT;
	struct slice *texts = arena_alloc(&arena, count * sizeof *texts);
	struct similar *similar;

	for (size_t i = 0; i < count; i++) {
		STR_AUTO text = STR_INIT;
		size_t words;

		seed = seed * 1103515245 + 12345;
		words = seed >> 16 & 7;
		for (size_t k = 0; k < words; k++) {
			seed = seed * 1103515245 + 12345;
			str_printf(&text, "word%u ", (seed >> 16) % 9);
		}
		texts[i] = arena_copy(&arena, str_slice(&text));
	}
	similar = similar_new(texts, count);
	arena_release(&arena);
	return similar;
}

static size_t count_pairs(const struct similar *similar, double threshold)
{
	size_t found = 0;

	for (size_t a = 0; a < similar_count(similar); a++) {
		for (size_t b = a + 1; b < similar_count(similar); b++)
			found += similar_jaccard(similar, a, b) >= threshold;
	}
	return found;
}

static void check_pairs(const struct similar *similar, double threshold)
{
	struct similar_pair *pairs;
	size_t found = similar_pairs(similar, threshold, SIZE_MAX, &pairs);

	assert_int_equal(found, count_pairs(similar, threshold));
	for (size_t i = 0; i < found; i++) {
		assert_true(pairs[i].a < pairs[i].b);
		check_near(pairs[i].similarity, similar_jaccard(similar, pairs[i].a, pairs[i].b));
		assert_true(!i || pairs[i - 1].similarity > pairs[i].similarity ||
			    (pairs[i - 1].similarity >= pairs[i].similarity &&
			     (pairs[i - 1].a < pairs[i].a || pairs[i - 1].b < pairs[i].b)));
	}
	free(pairs);
}

/* What the lists of rare words leave out must be nothing that looking at every pair would find. */
static void no_pair_is_missed(void **state)
{
	static const double thresholds[] = {-1,  0,      0.001, 1.0 / 7, 0.2,  1.0 / 3, 0.4, 0.5,
					    0.6, 2. / 3, 0.75,  0.8,     0.83, 0.95,    1,   1.1};

	(void)state;
	for (unsigned int seed = 1; seed < 6; seed++) {
		struct similar *similar = random_texts(80, seed);

		for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++)
			check_pairs(similar, thresholds[i]);
		similar_free(similar);
	}
}

/* Texts that are in a pair, counted from the pairs. */
static size_t count_repeated(const struct similar *similar, double threshold)
{
	size_t found = 0;

	for (size_t a = 0; a < similar_count(similar); a++) {
		bool repeated = false;

		for (size_t b = 0; b < similar_count(similar); b++)
			repeated = repeated ||
				   (a != b && similar_jaccard(similar, a, b) >= threshold);
		found += repeated;
	}
	return found;
}

static void repeated_texts_are_counted_once(void **state)
{
	static const double thresholds[] = {0.3, 0.5, 0.75, 0.95, 1};

	(void)state;
	for (unsigned int seed = 1; seed < 6; seed++) {
		struct similar *similar = random_texts(80, seed);

		for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++)
			assert_int_equal(similar_repeated(similar, thresholds[i]),
					 count_repeated(similar, thresholds[i]));
		similar_free(similar);
	}
}

static void the_best_pairs_come_first(void **state)
{
	struct similar *similar = random_texts(60, 42);
	struct similar_pair *all;
	struct similar_pair *some;
	size_t count = similar_pairs(similar, 0.3, SIZE_MAX, &all);

	(void)state;
	assert_true(count > 20);
	for (size_t limit = 0; limit < 20; limit++) {
		assert_int_equal(similar_pairs(similar, 0.3, limit, &some), count);
		for (size_t i = 0; i < limit; i++) {
			assert_int_equal(some[i].a, all[i].a);
			assert_int_equal(some[i].b, all[i].b);
		}
		free(some);
	}
	free(all);
	similar_free(similar);
}

static void no_texts(void **state)
{
	struct similar *similar = similar_new(NULL, 0);
	struct similar_pair *pairs;

	(void)state;
	assert_int_equal(similar_pairs(similar, 0.5, 10, &pairs), 0);
	free(pairs);
	similar_free(similar);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_long_or_have_a_digit),
		cmocka_unit_test(words_of_all_scripts),
		cmocka_unit_test(bytes_that_are_no_text_separate),
		cmocka_unit_test(texts_and_sets),
		cmocka_unit_test(words_of_all_texts_weigh_nothing),
		cmocka_unit_test(no_pair_is_missed),
		cmocka_unit_test(repeated_texts_are_counted_once),
		cmocka_unit_test(the_best_pairs_come_first),
		cmocka_unit_test(no_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
