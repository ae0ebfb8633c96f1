#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/time.h"
#include "policy/decay.h"

#include <math.h>

#define NOW INT64_C(1795249800000)

static void assert_near(double got, double expected, double off)
{
	if (fabs(got - expected) > off)
		fail_msg("%.6f is not %.6f", got, expected);
}

static double score_by(const struct settings *settings, double half_life_days, double days)
{
	return decay_score(settings, half_life_days, 0, 1,
			   NOW - (int64_t)(days * (double)MS_PER_DAY), NOW);
}

static double score_after(const struct settings *settings, double days)
{
	return score_by(settings, 3, days);
}

static void half_is_left_after_the_half_life(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_near(score_after(&settings, 0), 1, 1e-9);
	assert_near(score_after(&settings, 3), 0.5, 1e-9);
	assert_near(score_by(&settings, 10, 10), 0.5, 1e-9);
}

static void what_holds_fades_more_slowly_than_a_note_of_what_happened(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		assert_near(decay_half_life(&settings, (enum category)c, true), 3, 0);
		assert_near(decay_half_life(&settings, (enum category)c, false), 20, 0);
	}
	/* Three days of all kinds are not the half-lives by kind. */
	settings.half_life_days[CATEGORY_STATE] = 3;
	assert_near(decay_half_life(&settings, CATEGORY_STATE, true), 3, 0);
	assert_near(decay_half_life(&settings, CATEGORY_STATE, false), 3, 0);
	assert_near(decay_half_life(&settings, CATEGORY_PATTERNS, false), 20, 0);
}

static void each_model_goes_by_the_half_life(void **state)
{
	static const enum decay_model models[] = {DECAY_POWER_LAW, DECAY_EXPONENTIAL,
						  DECAY_TWO_COMPONENT};
	struct settings settings;

	(void)state;
	settings_init(&settings);
	for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
		settings.decay_model = models[i];
		assert_near(score_by(&settings, 30, 70), score_by(&settings, 3, 7), 1e-9);
		assert_near(score_by(&settings, 1.5, 1), score_by(&settings, 3, 2), 1e-9);
	}
}

static void each_model_fades(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	settings.decay_model = DECAY_EXPONENTIAL;
	assert_near(score_after(&settings, 3), 0.5, 0.001);
	settings.decay_model = DECAY_TWO_COMPONENT;
	assert_near(score_after(&settings, 0), 1, 1e-9);
	assert_near(score_after(&settings, 7), 0.3 * 0.4997, 0.001);
}

static void use_and_strength_count(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_near(decay_score(&settings, 3, 3, 1.5, NOW, NOW), 1.5 * 2.2974, 0.001);
}

static void a_time_to_come_is_now(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_float_equal(score_after(&settings, -5), 1, 1e-9);
	assert_near(decay_score(&settings, 3, 0, 1, TIME_NONE, NOW), 0, 1e-6);
}

static void what_is_nearly_forgotten_is_reviewed_first(void **state)
{
	(void)state;
	assert_near(decay_review_priority(0.25), 1, 1e-9);
	assert_near(decay_review_priority(0.2), 0.75, 1e-9);
	assert_near(decay_review_priority(0.1), 0, 1e-9);
	assert_near(decay_review_priority(0.9), 0, 1e-9);
}

static void a_faded_memory_is_below_the_threshold(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_true(decay_faded(&settings, 0.0499));
	assert_false(decay_faded(&settings, 0.05));
	settings.forget_threshold = 0;
	assert_false(decay_faded(&settings, 0));
}

static void the_time_that_is_left_ends_at_the_threshold(void **state)
{
	static const enum decay_model models[] = {DECAY_POWER_LAW, DECAY_EXPONENTIAL,
						  DECAY_TWO_COMPONENT};
	struct settings settings;
	double seconds;

	(void)state;
	settings_init(&settings);
	for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
		settings.decay_model = models[i];
		assert_true(decay_time_until(&settings, 3, score_after(&settings, 2), 0.2,
					     2 * 86400.0, &seconds));
		assert_near(score_after(&settings, 2 + seconds / 86400), 0.2, 1e-6);
	}
}

static void some_thresholds_are_never_crossed(void **state)
{
	struct settings settings;
	double seconds = 7;

	(void)state;
	settings_init(&settings);
	assert_false(decay_time_until(&settings, 3, 0.2, 0.2, 0, &seconds));
	assert_false(decay_time_until(&settings, 3, 0.1, 0.2, 0, &seconds));
	assert_false(decay_time_until(&settings, 3, 1, 0, 0, &seconds));
	assert_false(decay_time_until(&settings, 36500, 1, 0.5, 0, &seconds));
	settings.decay_model = DECAY_EXPONENTIAL;
	settings.lambda = 1;
	assert_false(decay_time_until(&settings, 3, 0.5, 0.2, 1e9, &seconds));
	assert_near(seconds, 7, 0);
}

static void urgency_grows_as_the_score_falls(void **state)
{
	(void)state;
	assert_string_equal(decay_urgency_name(decay_urgency(0.35)), "none");
	assert_string_equal(decay_urgency_name(decay_urgency(0.3499)), "low");
	assert_string_equal(decay_urgency_name(decay_urgency(0.25)), "low");
	assert_string_equal(decay_urgency_name(decay_urgency(0.2499)), "medium");
	assert_string_equal(decay_urgency_name(decay_urgency(0.15)), "medium");
	assert_string_equal(decay_urgency_name(decay_urgency(0.1499)), "high");
}

static void what_is_worth_it_is_kept_in_mind(void **state)
{
	static const struct {
		double score;
		int64_t uses;
		double strength;
		bool kept;
		const char *action;
	} cases[] = {
		{0.2, 0, 1, false, "needs_review"},  {0.2, 1, 1, false, "reinforce"},
		{0.2, 0, 1.1, false, "reinforce"},   {0.2, 0, 1, true, "reinforce"},
		{0.05, 0, 1, false, "needs_review"}, {0.04, 0, 1, false, "gc_candidate"},
		{0.04, 9, 2, false, "gc_candidate"}, {0.04, 0, 1, true, "reinforce"},
	};
	struct settings settings;

	(void)state;
	settings_init(&settings);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(
			decay_action_names[decay_action(&settings, cases[i].score, cases[i].uses,
							cases[i].strength, cases[i].kept)],
			cases[i].action);
}

#define DAYS_AGO(days) (NOW - (days)*MS_PER_DAY)

static void use_makes_a_memory_last(void **state)
{
	static const struct {
		double score;
		int64_t uses;
		int64_t created_ms;
		int64_t first_use_ms;
		int64_t last_use_ms;
		unsigned int merits;
	} cases[] = {
		{0.65, 2, DAYS_AGO(40), DAYS_AGO(2), DAYS_AGO(1), DECAY_MERIT_SCORE},
		{0.6499, 2, DAYS_AGO(40), DAYS_AGO(2), DAYS_AGO(1), 0},
		{0.65, 9, DAYS_AGO(40), DAYS_AGO(1), DAYS_AGO(1) + 1, 0},
		{0.65, 9, DAYS_AGO(40), TIME_NONE, DAYS_AGO(1), 0},
		{2, 1, DAYS_AGO(1), DAYS_AGO(1), DAYS_AGO(1), 0},
		{2, 0, DAYS_AGO(1), TIME_NONE, TIME_NONE, 0},
		{0.1, 5, DAYS_AGO(14), TIME_NONE, TIME_NONE, DECAY_MERIT_USES},
		{0.1, 4, DAYS_AGO(14), TIME_NONE, TIME_NONE, 0},
		{0.1, 5, DAYS_AGO(14) - 1, TIME_NONE, TIME_NONE, 0},
		{0.1, 5, DAYS_AGO(40), DAYS_AGO(30), DAYS_AGO(26), DECAY_MERIT_USES},
		{0.1, 5, DAYS_AGO(40), DAYS_AGO(30), DAYS_AGO(26) + 1, 0},
		{0.1, 5, DAYS_AGO(14), DAYS_AGO(30), DAYS_AGO(-9), DECAY_MERIT_USES},
		{0.1, 5, TIME_NONE, TIME_NONE, TIME_NONE, 0},
		{1, 7, DAYS_AGO(3), DAYS_AGO(2), NOW, DECAY_MERIT_SCORE | DECAY_MERIT_USES},
	};
	struct settings settings;

	(void)state;
	settings_init(&settings);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(
			decay_merits(&settings, cases[i].score,
				     &(struct decay_uses){cases[i].uses, cases[i].first_use_ms,
							  cases[i].last_use_ms},
				     cases[i].created_ms, NOW),
			cases[i].merits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_is_left_after_the_half_life),
		cmocka_unit_test(what_holds_fades_more_slowly_than_a_note_of_what_happened),
		cmocka_unit_test(each_model_goes_by_the_half_life),
		cmocka_unit_test(each_model_fades),
		cmocka_unit_test(use_and_strength_count),
		cmocka_unit_test(a_time_to_come_is_now),
		cmocka_unit_test(what_is_nearly_forgotten_is_reviewed_first),
		cmocka_unit_test(a_faded_memory_is_below_the_threshold),
		cmocka_unit_test(the_time_that_is_left_ends_at_the_threshold),
		cmocka_unit_test(some_thresholds_are_never_crossed),
		cmocka_unit_test(urgency_grows_as_the_score_falls),
		cmocka_unit_test(what_is_worth_it_is_kept_in_mind),
		cmocka_unit_test(use_makes_a_memory_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
