#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/approx.h"

#include "base/str.h"

static int cost(const char *pattern, const char *text, size_t edits)
{
	struct arena arena = ARENA_INIT;
	struct text asked;
	struct text stored;
	struct approx *approx;
	int result = -2;

	text_make(&arena, slice_of(pattern), &asked);
	text_make(&arena, slice_of(text), &stored);
	approx = approx_new(&asked, edits);
	if (approx)
		result = approx_cost(approx, &stored);
	approx_free(approx);
	arena_release(&arena);
	return result;
}

static void close_parts_are_found(void **state)
{
	(void)state;
	assert_int_equal(cost("engine", "the sync engine", 1), 0);
	assert_int_equal(cost("enginx", "the sync engine today", 1), 1);
	assert_int_equal(cost("memory opti mization", "bundling memory optimization", 2), 1);
	assert_int_equal(cost("loksunforgettble", "it looksunforgettable", 2), 2);
	assert_int_equal(cost("größenordnung", "eine grössenordnung", 1), -1);
	assert_int_equal(cost("grössenordnunk", "eine grössenordnung mehr", 1), 1);
	assert_int_equal(cost("банковский", "новый банкавский счёт", 1), 1);
	assert_int_equal(cost("banana bread", "the sync engine", 3), -1);
	assert_int_equal(cost("engine", "", 1), -1);
}

static void edits_are_limited(void **state)
{
	(void)state;
	assert_int_equal(cost("abc", "abd", 1), -2);
	assert_int_equal(cost("abcd", "abcd", 0), -2);
	assert_int_equal(cost("abcdefgh", "abcxxxgh", 8), -1);
	assert_int_equal(cost("abcdefgh", "abcxxfgh", 8), 2);
	assert_int_equal(cost("abcdefgh", "abcxxfgh", 1), -1);
}

/* Each edit takes three runs of characters away, and the rest has to do. */
static void edits_may_be_spread_out(void **state)
{
	(void)state;
	assert_int_equal(cost("the quick brown fox jumps over it",
			      "see thx quixk brxwn foxx jumpx ovxr it now", 8),
			 6);
	assert_int_equal(cost("the quick brown fox jumps over it",
			      "so th quick brwn fox jmps ovr it goes", 8),
			 4);
	assert_int_equal(
		cost("the quick brown fox jumps over it", "the other brown fox sleeps below it", 8),
		-1);
}

static void patterns_are_literal(void **state)
{
	(void)state;
	assert_int_equal(cost(".*.*.*.*", "anything at all", 2), -1);
	assert_int_equal(cost("\\)\\)\\)\\)", "a \\)\\)\\)\\) b", 2), 0);
	assert_int_equal(cost("a{~9}bcd", "xxxx a{~9}bcd", 2), 0);
}

static void long_patterns_are_refused(void **state)
{
	struct str pattern = STR_INIT;

	(void)state;
	for (int i = 0; i < APPROX_PATTERN_MAX; i++)
		str_addc(&pattern, (char)('a' + i % 26));
	assert_int_equal(cost(pattern.ptr, pattern.ptr, 8), 0);
	str_addc(&pattern, 'x');
	assert_int_equal(cost(pattern.ptr, pattern.ptr, 8), -2);
	str_release(&pattern);
}

/* A text of a million characters that invites a search at each of them. */
static void work_is_bounded(void **state)
{
	struct arena arena = ARENA_INIT;
	struct str flood = STR_INIT;
	struct text asked;
	struct text stored;
	struct approx *approx;

	(void)state;
	for (int i = 0; i < 250000; i++)
		str_adds(&flood, "abab");
	text_make(&arena, slice_of("ababababababababcdcdcdcdabababababab"), &asked);
	text_make(&arena, str_slice(&flood), &stored);
	approx = approx_new(&asked, 8);
	assert_non_null(approx);
	for (int i = 0; i < 100; i++)
		approx_cost(approx, &stored);
	approx_free(approx);
	approx_free(NULL);
	str_release(&flood);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(close_parts_are_found),     cmocka_unit_test(edits_are_limited),
		cmocka_unit_test(edits_may_be_spread_out),   cmocka_unit_test(patterns_are_literal),
		cmocka_unit_test(long_patterns_are_refused), cmocka_unit_test(work_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
