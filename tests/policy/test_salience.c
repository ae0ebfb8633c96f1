#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/salience.h"
#include "support/near.h"

static double score(double age_days, double idle_days, int64_t bytes, int64_t hits,
		    double importance)
{
	const struct salience_facts facts = {age_days, idle_days, importance, bytes, hits};

	return salience_score(&facts);
}

static void what_is_new_and_short_and_wanted_matters_most(void **state)
{
	(void)state;
	assert_near(score(0, 0, 0, 20, 1), 1);
	assert_near(score(1000, 1000, 9999, 0, 0), 0);
}

static void each_part_has_its_weight(void **state)
{
	(void)state;
	assert_near(score(45, 90, 4096, 0, 0), 0.175);
	assert_near(score(90, 90, 2048, 0, 0), 0.10);
	assert_near(score(90, 90, 4096, 10, 0), 0.09);
	assert_near(score(90, 45, 4096, 0, 0), 0.06);
	assert_near(score(90, 90, 4096, 0, IMPORTANCE_UNSET), 0.075);
}

static void what_a_person_wrote_stays_in_range(void **state)
{
	(void)state;
	assert_near(score(-5, -5, 0, INT64_MAX, 7), 1);
	assert_near(score(90, 90, 4096, 0, -7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_new_and_short_and_wanted_matters_most),
		cmocka_unit_test(each_part_has_its_weight),
		cmocka_unit_test(what_a_person_wrote_stays_in_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
