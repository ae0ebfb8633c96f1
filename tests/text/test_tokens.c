#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/distance.h"
#include "text/tokens.h"

#include <string.h>

static struct text make(struct arena *arena, const char *normal)
{
	struct text text;

	text_make(arena, slice_of(normal), &text);
	return text;
}

static void words_stand_between_spaces(void **state)
{
	struct arena arena = ARENA_INIT;
	struct text text = make(&arena, "grösse c++ 12");

	(void)state;
	assert_int_equal(text.len, 13);
	assert_int_equal(text.word_count, 3);
	assert_int_equal(text.words[1].start, 7);
	assert_int_equal(text.words[1].len, 3);
	assert_int_equal(make(&arena, "").word_count, 0);
	arena_release(&arena);
}

static void each_character_of_some_scripts_is_a_word(void **state)
{
	struct arena arena = ARENA_INIT;

	(void)state;
	assert_int_equal(make(&arena, "数据库 密码").word_count, 5);
	assert_int_equal(make(&arena, "vim数据x").word_count, 4);
	assert_int_equal(make(&arena, "キー").word_count, 2);
	assert_int_equal(make(&arena, "회의 일정").word_count, 2);
	arena_release(&arena);
}

static void joining(void **state)
{
	struct arena arena = ARENA_INIT;
	struct text text = make(&arena, "work current a");
	struct text joined;

	(void)state;
	text_join_compact(&arena, &text, &joined);
	assert_true(slice_is(joined.bytes, "workcurrenta"));
	text_join_sorted(&arena, &text, &joined);
	assert_true(slice_is(joined.bytes, "a current work"));
	text.words++;
	text.word_count--;
	text_join(&arena, &text, &joined);
	assert_true(slice_is(joined.bytes, "current a"));
	arena_release(&arena);
}

static void check_contains(const char *text, const char *part, bool found, bool whole)
{
	bool is_whole;

	assert_int_equal(text_contains(slice_of(text), slice_of(part), &is_whole), found);
	assert_int_equal(is_whole, whole);
}

static void containment_knows_whole_words(void **state)
{
	(void)state;
	check_contains("current work context", "work", true, true);
	check_contains("current work context", "work con", true, false);
	check_contains("network work", "work", true, true);
	check_contains("network", "work", true, false);
	check_contains("数据库密码", "据库", true, true);
	check_contains("work", "works", false, false);
	check_contains("work", "", false, false);
	check_contains("", "x", false, false);
}

static void containment_does_not_cut_numbers(void **state)
{
	(void)state;
	check_contains("port 7822", "port 782", false, false);
	check_contains("port 7822", "822", false, false);
	check_contains("port 7822", "7822", true, true);
	check_contains("17822 822", "822", true, true);
	check_contains("q3 plan", "q", true, false);
}

static void check_numbers(const char *part, const char *whole, bool match)
{
	struct arena arena = ARENA_INIT;
	struct text one = make(&arena, part);
	struct text other = make(&arena, whole);

	assert_int_equal(text_numbers_match(&one, &other), match);
	arena_release(&arena);
}

static void numbers_match_when_each_is_there(void **state)
{
	(void)state;
	check_numbers("q3 plan", "plan q3", true);
	check_numbers("q3 plan", "plan q4", false);
	check_numbers("k00", "k000", false);
	check_numbers("no number", "k000", true);
	check_numbers("1 2", "2 3 1", true);
	check_numbers("1 2", "12", false);
	check_numbers("rfc 42", "rfc 0042", true);
	check_numbers("rfc 42", "rfc 0420", false);
}

static void bags_bound_the_distance_from_below(void **state)
{
	static const char *const texts[] = {"work",   "wrok",       "current work", "curent wrok",
					    "aaaaaa", "aab",        "grösse",       "grosse",
					    "",       "数据库密码", "密码"};
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct text a = make(&arena, texts[i]);

		for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++) {
			struct text b = make(&arena, texts[j]);
			size_t bound = text_distance_bound(a.bag, a.len, b.bag, b.len);

			assert_true(bound <= distance_osa(a.chars, a.len, b.chars, b.len, 99));
			assert_true(i != j || bound == 0);
		}
	}
	arena_release(&arena);
}

static void digits_of_several_scripts(void **state)
{
	struct arena arena = ARENA_INIT;
	struct text latin = make(&arena, "abc3");
	struct text arabic = make(&arena, "\xD9\xA3");
	struct text none = make(&arena, "abc+#");

	(void)state;
	assert_true(text_has_digit(latin.chars, latin.len));
	assert_true(text_has_digit(arabic.chars, arabic.len));
	assert_false(text_has_digit(none.chars, none.len));
	arena_release(&arena);
}

/* Edits one after the other, of all four kinds: pairs never say that there were more. */
static void pairs_never_rule_out_what_is_near(void **state)
{
	uint32_t a[24];
	uint32_t b[40];
	uint64_t chance = 3;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = sizeof a / sizeof *a - (size_t)(round % 8);
		size_t edits = (size_t)(round % 4);

		for (size_t i = 0; i < len; i++) {
			chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
			a[i] = 'a' + (uint32_t)(chance >> 33) % (round % 2 ? 3 : 26);
		}
		memcpy(b, a, len * sizeof *b);
		for (size_t e = 0; e < edits; e++) {
			size_t at = (size_t)(chance >> 20) % (len - 1);
			uint32_t first = b[at];

			chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
			switch ((chance >> 40) % 4) {
			case 0:
				memmove(b + at + 1, b + at, (len - at) * sizeof *b);
				b[at] = 'x';
				len++;
				break;
			case 1:
				memmove(b + at, b + at + 1, (len - at - 1) * sizeof *b);
				len--;
				break;
			case 2:
				b[at] = b[at + 1];
				b[at + 1] = first;
				break;
			default:
				b[at] = 'y';
				break;
			}
		}
		assert_true(
			text_pairs_within(text_pairs(a, sizeof a / sizeof *a - (size_t)(round % 8)),
					  text_pairs(b, len), edits));
	}
	/* and do rule out what is far */
	assert_false(text_pairs_within(text_pairs(U"billing owner baka", 18),
				       text_pairs(U"quarterly numbers.", 18), 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_stand_between_spaces),
		cmocka_unit_test(each_character_of_some_scripts_is_a_word),
		cmocka_unit_test(joining),
		cmocka_unit_test(containment_knows_whole_words),
		cmocka_unit_test(containment_does_not_cut_numbers),
		cmocka_unit_test(numbers_match_when_each_is_there),
		cmocka_unit_test(bags_bound_the_distance_from_below),
		cmocka_unit_test(digits_of_several_scripts),
		cmocka_unit_test(pairs_never_rule_out_what_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
