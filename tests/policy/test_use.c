#include "policy/decay.h"
#include "support/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void each_reason_adds_a_tenth(void **state)
{
	(void)state;
	assert_near(use_strength(1, false, false), 1);
	assert_near(use_strength(1, true, false), 1.1);
	assert_near(use_strength(1, false, true), 1.1);
	assert_near(use_strength(1, true, true), 1.2);
}

static void there_is_a_most(void **state)
{
	(void)state;
	assert_near(use_strength(1.95, true, false), 2);
	assert_near(use_strength(1.95, true, true), 2);
	assert_near(use_strength(2, true, true), 2);
	/* What a person made stronger is not made weaker. */
	assert_near(use_strength(2.5, true, true), 2.5);
}

static void another_field_has_other_tags(void **state)
{
	(void)state;
	assert_true(use_crosses(0, 1, 1));
	assert_true(use_crosses(0.29, 2, 5));
	assert_false(use_crosses(0.3, 3, 7));
	assert_false(use_crosses(0, 0, 3));
	assert_false(use_crosses(0, 3, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_adds_a_tenth),
		cmocka_unit_test(there_is_a_most),
		cmocka_unit_test(another_field_has_other_tags),
	};

	return cmocka_run_group_tests_name("use", tests, NULL, NULL);
}
