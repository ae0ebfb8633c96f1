#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/version.h"

#include <ctype.h>

/* Three numbers, perhaps with something behind: clients compare versions. */
static void test_version(void **state)
{
	const char *at = version_text();

	(void)state;
	for (int part = 0; part < 3; part++) {
		assert_true(part == 0 || *at++ == '.');
		assert_true(isdigit((unsigned char)*at));
		while (isdigit((unsigned char)*at))
			at++;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
