#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "nlp/intent.h"
#include "support/near.h"

#include <math.h>

static struct analysis of(const char *message, enum analyze_intent intent, size_t entities)
{
	struct analysis analysis;

	analyze_message(slice_of(message), intent, entities, &analysis);
	return analysis;
}

static struct analysis to_save(const char *message)
{
	return of(message, ANALYZE_SAVE, 0);
}

static struct analysis to_recall(const char *message)
{
	return of(message, ANALYZE_RECALL, 0);
}

static void what_is_to_be_kept(void **state)
{
	struct analysis analysis = of("Remember that I PREFER tabs", ANALYZE_SAVE, 1);

	(void)state;
	assert_near(analysis.weight[ANALYZE_SAVE_PHRASE], 5);
	assert_near(analysis.weight[ANALYZE_DECISION], 4);
	assert_near(analysis.weight[ANALYZE_ENTITIES], 0.8);
	assert_near(analysis.confidence, 1 / (1 + exp(-7.8)));
	assert_int_equal(analysis.decision, ANALYZE_DECIDES_AUTO);
	assert_string_equal(analysis.found[ANALYZE_SAVE_PHRASE]->text, "remember that");
	assert_string_equal(analysis.kind->text, "i prefer");
	assert_string_equal(analysis.kind->note, "preference");
	assert_null(analysis.found[ANALYZE_EXCLUSION]);
	assert_false(analysis.question);
}

static void importance_is_whole_words(void **state)
{
	static const char *const without[] = {"monkey",      "keyboard", "mustard",  "key_value",
					      "unimportant", "turkey",   "\u00e9key"};

	(void)state;
	for (size_t i = 0; i < sizeof without / sizeof *without; i++)
		assert_near(to_save(without[i]).weight[ANALYZE_IMPORTANCE], 0);
	assert_near(to_save("the Key: x").weight[ANALYZE_IMPORTANCE], 2);
	assert_near(to_save("must-have").weight[ANALYZE_IMPORTANCE], 2);
	/* A later word counts where an earlier one is a part of something else. */
	assert_near(to_save("monkey key").weight[ANALYZE_IMPORTANCE], 2);
	assert_near(to_save("a must, critical").weight[ANALYZE_IMPORTANCE], 3);
	assert_string_equal(to_save("must, critical").found[ANALYZE_IMPORTANCE]->text, "critical");
	assert_near(to_save("hypercritical").weight[ANALYZE_IMPORTANCE], 0);
}

static void a_question_never_keeps_anything_unasked(void **state)
{
	static const char *const questions[] = {
		"can you remember this?",    "Remember this? \n",
		"what I prefer is up to me", "What's critical: remember this",
		"remember this\uff1f",       "when I never deploy",
	};

	(void)state;
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		struct analysis analysis = of(questions[i], ANALYZE_SAVE, 4);

		assert_true(analysis.question);
		assert_true(analysis.confidence >= ANALYZE_AUTO);
		assert_int_equal(analysis.decision, ANALYZE_DECIDES_ASK);
	}
	/* Not a question word, but the beginning of another one. */
	assert_int_equal(to_save("However, I prefer tabs").decision, ANALYZE_DECIDES_AUTO);
	assert_int_equal(to_save("Whatever, remember this").decision, ANALYZE_DECIDES_AUTO);
}

static void exclusion_yields_to_a_save_phrase(void **state)
{
	struct analysis analysis = to_save("could you note that it rains");

	(void)state;
	assert_near(analysis.weight[ANALYZE_EXCLUSION], 0);
	assert_null(analysis.found[ANALYZE_EXCLUSION]);
	assert_near(to_save("could you help").weight[ANALYZE_EXCLUSION], -5);
	assert_near(to_recall("could you recall it").weight[ANALYZE_EXCLUSION], -4);
}

static void what_was_told_before(void **state)
{
	struct analysis analysis = to_recall("Do you remember what we said about our queue?");

	(void)state;
	assert_near(analysis.weight[ANALYZE_RECALL_PHRASE], 4);
	assert_near(analysis.weight[ANALYZE_PAST], 2);
	assert_near(analysis.weight[ANALYZE_POSSESSIVE], 2);
	assert_near(analysis.weight[ANALYZE_QUESTION], 0);
	assert_int_equal(analysis.decision, ANALYZE_DECIDES_AUTO);
	assert_null(analysis.kind);
	assert_near(to_recall("whatever").weight[ANALYZE_QUESTION], 1.5);
	assert_near(to_recall("so what").weight[ANALYZE_QUESTION], 0);
}

static void entities_count_up_to_four(void **state)
{
	(void)state;
	assert_near(of("x", ANALYZE_SAVE, 4).weight[ANALYZE_ENTITIES], 3.2);
	assert_near(of("x", ANALYZE_RECALL, 9).weight[ANALYZE_ENTITIES], 3.2);
	assert_int_equal(of("x", ANALYZE_SAVE, 4).decision, ANALYZE_DECIDES_AUTO);
	assert_int_equal(of("x", ANALYZE_SAVE, 3).decision, ANALYZE_DECIDES_ASK);
	assert_int_equal(of("x", ANALYZE_SAVE, 1).decision, ANALYZE_DECIDES_SKIP);
}

static void typographic_apostrophes(void **state)
{
	(void)state;
	assert_near(to_save("I\u2019ve decided").weight[ANALYZE_SAVE_PHRASE], 5);
	assert_near(to_save("Don\u2019t forget").weight[ANALYZE_SAVE_PHRASE], 5);
}

static void any_bytes(void **state)
{
	(void)state;
	assert_int_equal(to_save("").decision, ANALYZE_DECIDES_SKIP);
	assert_int_equal(to_save("\xff\xfe key \xff").decision, ANALYZE_DECIDES_ASK);
	assert_int_equal(to_recall("\x80").decision, ANALYZE_DECIDES_SKIP);
}

static void logistic(void **state)
{
	(void)state;
	assert_near(analyze_logistic(0), 0.5);
	assert_near(analyze_logistic(1e6), 1);
	assert_near(analyze_logistic(-1e6), 0);
	assert_near(analyze_logistic(2) + analyze_logistic(-2), 1);
}

static void strength(void **state)
{
	(void)state;
	assert_near(analyze_strength(0, 0, false, false), 1);
	assert_near(analyze_strength(250, 1, true, true), 1.61);
	assert_near(analyze_strength(100000, 100, true, true), 1.95);
	/* Characters are counted, not bytes. */
	assert_near(analyze_text_strength(slice_of("\u00e9\u00e9\u00e9\u00e9\u00e9"), 0), 1.002);
	assert_near(analyze_text_strength(slice_of("a must"), 5), 1 + 0.2 * 6 / 500 + 0.3 + 0.4);
	assert_near(analyze_text_strength(slice_of("a key?"), 0), 1 + 0.2 * 6 / 500 + 0.45);
}

/* What src/text/dictionary.awk makes of the lists. */
static void lists(void **state)
{
	static const struct phrase *const all[] = {
		phrases_save,      phrases_recall,      phrases_importance,
		phrases_exclusion, phrases_uncertainty, phrases_decision,
		phrases_past,      phrases_question,    phrases_possessive,
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		assert_non_null(all[i][0].text);
		for (const struct phrase *p = all[i]; p->text; p++)
			assert_true(p->text[0] != '\0' && p->text[0] != '#');
	}
	assert_string_equal(phrases_possessive[0].text, "my ");
	assert_string_equal(phrases_importance[0].text, "critical");
	assert_string_equal(phrases_importance[0].note, "strong");
	assert_null(phrases_importance[1].note);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_to_be_kept),
		cmocka_unit_test(importance_is_whole_words),
		cmocka_unit_test(a_question_never_keeps_anything_unasked),
		cmocka_unit_test(exclusion_yields_to_a_save_phrase),
		cmocka_unit_test(what_was_told_before),
		cmocka_unit_test(entities_count_up_to_four),
		cmocka_unit_test(typographic_apostrophes),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(logistic),
		cmocka_unit_test(strength),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
