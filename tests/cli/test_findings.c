#include "cli/findings.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static const struct paint plain = {"", "", "", ""};

static void test_status(void **state)
{
	struct findings found = {0};

	(void)state;
	assert_int_equal(findings_status(&found), 0);
	findings_add(&found, SEVERITY_NOTE, "Fine.", "note");
	assert_int_equal(findings_status(&found), 0);
	findings_add(&found, SEVERITY_TODO, "Do it.", "todo");
	assert_int_equal(findings_status(&found), 1);
	findings_add(&found, SEVERITY_BROKEN, "Mend it.", "broken");
	findings_add(&found, SEVERITY_NOTE, "Fine.", "note");
	assert_int_equal(findings_status(&found), 65);
	findings_release(&found);
	assert_int_equal(findings_status(&found), 0);
}

static void test_print(void **state)
{
	struct findings found = {0};
	struct str out = STR_INIT;

	(void)state;
	findings_fact(&found, "store", "%s", "/x\x1b[0m");
	findings_add(&found, SEVERITY_NOTE, "Leave it.", "%d things", 2);
	findings_print(&found, &plain, &out);
	assert_string_equal(out.ptr,
			    "store             /x\\x1b[0m\n\nnote: 2 things\n      Leave it.\n"
			    "\nNothing needs doing.\n");
	str_clear(&out);
	findings_add(&found, SEVERITY_TODO, "Do\nit.", "a");
	findings_print(&found, &plain, &out);
	assert_non_null(strstr(out.ptr, "todo: a\n      Do\\x0ait.\n"));
	assert_non_null(strstr(out.ptr, "\n1 thing is to be put right.\n"));
	str_clear(&out);
	findings_add(&found, SEVERITY_BROKEN, "Mend it.", "b");
	findings_print(&found, &plain, &out);
	assert_non_null(strstr(out.ptr, "\n2 things are to be put right.\n"));
	findings_release(&found);
	str_release(&out);
}

static void test_json(void **state)
{
	struct findings found = {0};
	struct str out = STR_INIT;

	(void)state;
	findings_print_json(&found, &out);
	assert_string_equal(out.ptr,
			    "{\n  \"facts\": {},\n  \"findings\": [],\n  \"status\": 0\n}\n");
	str_clear(&out);
	findings_fact(&found, "store", "a\"b");
	findings_add(&found, SEVERITY_TODO, "Do it.", "c");
	findings_print_json(&found, &out);
	assert_string_equal(out.ptr, "{\n  \"facts\": {\n    \"store\": \"a\\\"b\"\n  },\n"
				     "  \"findings\": [\n    {\n      \"severity\": \"todo\",\n"
				     "      \"what\": \"c\",\n      \"remedy\": \"Do it.\"\n    }\n"
				     "  ],\n  \"status\": 1\n}\n");
	findings_release(&found);
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
