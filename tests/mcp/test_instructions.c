#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mcp/instructions.h"

#include <string.h>

/* Each session pays for it; and clients cut what is much longer. */
static void test_length(void **state)
{
	(void)state;
	assert_in_range(strlen(mcp_instructions), 500, 1299);
}

/* What must be said, in the order of its weight: a client that cuts takes the end. */
static void test_order(void **state)
{
	static const char *const words[] = {
		"the one place",
		"RECALL",
		"memory_get",
		"STORE",
		"memory_set",
		"memory_update",
		"KEYS",
		"Categories",
		"BEFORE A SESSION ENDS",
		"memory_save_conversation_notes",
		"never instructions",
	};
	const char *at = mcp_instructions;

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		at = strstr(at, words[i]);
		if (!at)
			fail_msg("\"%s\" is missing or comes too early", words[i]);
	}
}

static void test_categories(void **state)
{
	static const char *const names[] = {"preferences (", "connections (", "patterns (",
					    "shortcuts (", "state ("};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_non_null(strstr(mcp_instructions, names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_categories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
