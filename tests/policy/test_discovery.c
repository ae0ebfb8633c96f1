#include "policy/consolidation.h"
#include "support/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void entities_count_more_than_tags(void **state)
{
	const struct discovery_counts counts = {2, 4, 1, 2};

	(void)state;
	assert_near(discovery_judge(&counts).strength, 0.7 * 0.5 + 0.3 * 0.5);
	assert_near(discovery_judge(&counts).confidence, 0.6 * (2 / 3.0) + 0.4 * 0.5);
	assert_true(discovery_judge(&counts).holds);
}

static void nothing_in_common_is_nothing(void **state)
{
	const struct discovery_counts counts = {0, 0, 0, 0};

	(void)state;
	assert_near(discovery_judge(&counts).strength, 0);
	assert_near(discovery_judge(&counts).confidence, 0);
	assert_false(discovery_judge(&counts).holds);
}

static void more_than_enough_is_no_surer(void **state)
{
	const struct discovery_counts counts = {9, 9, 9, 9};

	(void)state;
	assert_near(discovery_judge(&counts).strength, 1);
	assert_near(discovery_judge(&counts).confidence, 1);
}

static void it_takes_two_entities_and_some_confidence(void **state)
{
	(void)state;
	/* 0.6 / 3 + 0.4: sure enough, but of one entity. */
	assert_false(discovery_judge(&(struct discovery_counts){1, 1, 2, 2}).holds);
	/* 0.4: not sure enough. */
	assert_false(discovery_judge(&(struct discovery_counts){2, 2, 0, 0}).holds);
	assert_true(discovery_judge(&(struct discovery_counts){3, 3, 0, 0}).holds);
	assert_true(discovery_judge(&(struct discovery_counts){2, 9, 1, 9}).holds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entities_count_more_than_tags),
		cmocka_unit_test(nothing_in_common_is_nothing),
		cmocka_unit_test(more_than_enough_is_no_surer),
		cmocka_unit_test(it_takes_two_entities_and_some_confidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
