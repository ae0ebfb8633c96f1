#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/timestamp.h"
#include "model/decay.h"

#include <math.h>

#define NOW INT64_C(1795249800000)

static void assert_near(double got, double expected, double off)
{
	if (fabs(got - expected) > off)
		fail_msg("%.6f is not %.6f", got, expected);
}

static double score_after(const struct settings *settings, double days)
{
	return decay_score(settings, 0, 1, NOW - (int64_t)(days * (double)MS_PER_DAY), NOW);
}

static void half_is_left_after_the_half_life(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_near(score_after(&settings, 0), 1, 1e-9);
	assert_near(score_after(&settings, 3), 0.5, 1e-9);
	settings.half_life_days = 10;
	assert_near(score_after(&settings, 10), 0.5, 1e-9);
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
	assert_near(decay_score(&settings, 3, 1.5, NOW, NOW), 1.5 * 2.2974, 0.001);
}

static void a_time_to_come_is_now(void **state)
{
	struct settings settings;

	(void)state;
	settings_init(&settings);
	assert_float_equal(score_after(&settings, -5), 1, 1e-9);
	assert_near(decay_score(&settings, 0, 1, TIME_NONE, NOW), 0, 1e-6);
}

static void what_is_nearly_forgotten_is_reviewed_first(void **state)
{
	(void)state;
	assert_near(decay_review_priority(0.25), 1, 1e-9);
	assert_near(decay_review_priority(0.2), 0.75, 1e-9);
	assert_near(decay_review_priority(0.1), 0, 1e-9);
	assert_near(decay_review_priority(0.9), 0, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_is_left_after_the_half_life),
		cmocka_unit_test(each_model_fades),
		cmocka_unit_test(use_and_strength_count),
		cmocka_unit_test(a_time_to_come_is_now),
		cmocka_unit_test(what_is_nearly_forgotten_is_reviewed_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
