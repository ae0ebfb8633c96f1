#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/consolidation.h"
#include "support/near.h"

static void a_level_begins_at_its_bound(void **state)
{
	(void)state;
	assert_string_equal(drift_level(1), "none");
	assert_string_equal(drift_level(0.85), "none");
	assert_string_equal(drift_level(0.8499), "low");
	assert_string_equal(drift_level(0.55), "medium");
	assert_string_equal(drift_level(0.40), "high");
	assert_string_equal(drift_level(0.3999), "critical");
	assert_string_equal(drift_level(0), "critical");
}

static void more_members_are_more_sure_up_to_a_hundred(void **state)
{
	(void)state;
	assert_near(pattern_confidence(1, 1, 1), 0.7);
	assert_true(pattern_confidence(0.5, 10, 0.5) > pattern_confidence(0.5, 5, 0.5));
	assert_near(pattern_confidence(1, 100, 1), 1);
	assert_near(pattern_confidence(1, 5000, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_begins_at_its_bound),
		cmocka_unit_test(more_members_are_more_sure_up_to_a_hundred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
