#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lookup/score.h"

#include <math.h>

/* Scores one key whose words were found as given. */
static struct score score(const char *query, const char *key, uint32_t folded,
			  struct words_found words)
{
	struct arena arena = ARENA_INIT;
	struct key_form form = {.folded = folded, .other_reading = folded > 0};
	struct query prepared;
	struct score result;

	query_init(&prepared, &arena, slice_of(query));
	text_make(&arena, slice_of(key), &form.text);
	text_join_compact(&arena, &form.text, &form.compact);
	text_join_sorted(&arena, &form.text, &form.sorted);
	score_key(&prepared, &form, &words, &result);
	query_release(&prepared);
	arena_release(&arena);
	return result;
}

static const struct words_found all_found = {2, 2, false, 0};
static const struct words_found one_missing = {2, 1, false, 0};

static bool same(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void likeness_is_one_minus_edits_by_length(void **state)
{
	(void)state;
	assert_true(
		same(score("work contxt", "work context", 0, all_found).confidence, 1 - 1.0 / 12));
	assert_true(
		same(score("work cotxt", "work context", 0, all_found).confidence, 1 - 2.0 / 12));
	assert_true(score("work cntt", "work context", 0, all_found).match == LOOKUP_FUZZY);
	assert_true(score("xxxx cntt", "work context", 0, all_found).confidence == 0);
}

static void spaces_in_the_wrong_place_cost_nothing(void **state)
{
	(void)state;
	assert_true(same(score("wor kcontext x", "workcontext x", 0, all_found).confidence, 1));
}

static void the_gate_wants_every_word(void **state)
{
	struct score refused = score("mode wide", "mode dark", 0, one_missing);

	(void)state;
	assert_true(refused.confidence == 0);
	/* a few edits may cut a word in two */
	assert_true(score("mod edark theme", "mode dark theme", 0, one_missing).confidence > 0.8);
	/* a whole word of a long key is another one */
	assert_true(score("http blame history", "gui blame history", 0, one_missing).confidence ==
		    0);
	assert_true(score("work context notes of yasterdoy evening",
			  "work context notes of yesterday evening", 0, one_missing)
			    .confidence > 0.9);
}

static void numbers_have_to_be_there(void **state)
{
	(void)state;
	assert_true(score("q4 plan", "q3 plan", 0, all_found).confidence == 0);
	assert_true(score("q4 plan", "q3 plan", 0, all_found).nearest > 0.8);
	assert_true(score("q3 pln", "q3 plan", 0, all_found).confidence > 0.8);
	assert_true(score("q3", "plan q3", 0, all_found).match == LOOKUP_CONTAINED);
}

static void reordered_words_score_095_at_most(void **state)
{
	struct score swapped = score("context work", "work context", 0, all_found);

	(void)state;
	assert_true(same(swapped.confidence, SCORE_REORDERED));
	assert_int_equal(swapped.match, LOOKUP_WORDS);
}

static void most_words_score_084_at_most(void **state)
{
	struct words_found words = {2, 2, false, 0.99};
	struct score most = score("current context", "current work context", 0, words);

	(void)state;
	assert_true(same(most.confidence, SCORE_SOFT));
	words.found = 1;
	assert_true(score("current goals", "current work context", 0, words).confidence == 0);
}

static void contained_text_scores_by_its_share(void **state)
{
	struct score word = score("work", "current work context", 0, one_missing);
	struct score piece = score("wor", "current work context", 0, one_missing);
	struct score reverse = score("sunil slack number", "sunil", 0, one_missing);

	(void)state;
	assert_true(same(word.confidence, 0.85 + 0.1 * 4 / 20) && word.whole_words);
	assert_true(piece.confidence > 0.85 && !piece.whole_words);
	assert_true(same(reverse.confidence, 0.85 + 0.05 * 5 / 18) && reverse.whole_words);
	assert_int_equal(reverse.match, LOOKUP_CONTAINED);
}

static void containment_without_evidence_is_none(void **state)
{
	(void)state;
	assert_true(score("wo", "current work context", 0, one_missing).confidence == 0);
	assert_true(score("is ab good here", "ab", 0, one_missing).confidence == 0);
	assert_true(score("ab here", "ab", 0, one_missing).confidence > 0.85);
	assert_true(score("networks", "work", 0, one_missing).confidence == 0);
	assert_true(score("work x", "xy work xz", 0, one_missing).confidence > 0.85);
}

static void a_question_is_not_its_content(void **state)
{
	struct score asked = score("what is the work context", "work context", 0, all_found);

	(void)state;
	assert_int_equal(asked.match, LOOKUP_CONTAINED);
	assert_true(asked.confidence <= 0.95);
}

static void left_out_diacritics_cost_half_an_edit(void **state)
{
	struct score folded = score("grosse einheit", "grosse einheit", 1, all_found);

	(void)state;
	assert_true(same(folded.confidence, 1 - 0.5 / 14));
	/* a reading that nobody wrote needs more evidence */
	assert_true(score("sse", "grosse einheit", 1, one_missing).confidence == 0);
	assert_true(score("gross", "grosse einheit", 1, one_missing).confidence >= 0.85);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(likeness_is_one_minus_edits_by_length),
		cmocka_unit_test(spaces_in_the_wrong_place_cost_nothing),
		cmocka_unit_test(the_gate_wants_every_word),
		cmocka_unit_test(numbers_have_to_be_there),
		cmocka_unit_test(reordered_words_score_095_at_most),
		cmocka_unit_test(most_words_score_084_at_most),
		cmocka_unit_test(contained_text_scores_by_its_share),
		cmocka_unit_test(containment_without_evidence_is_none),
		cmocka_unit_test(a_question_is_not_its_content),
		cmocka_unit_test(left_out_diacritics_cost_half_an_edit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
