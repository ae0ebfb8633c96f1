#include "cli/report.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static const struct paint plain = {"", "", "", ""};

static void test_status(void **state)
{
	struct report report = {0};

	(void)state;
	assert_int_equal(report_status(&report), 0);
	report_finding(&report, SEVERITY_NOTE, "Fine.", "note");
	assert_int_equal(report_status(&report), 0);
	report_finding(&report, SEVERITY_TODO, "Do it.", "todo");
	assert_int_equal(report_status(&report), 1);
	report_finding(&report, SEVERITY_BROKEN, "Mend it.", "broken");
	report_finding(&report, SEVERITY_NOTE, "Fine.", "note");
	assert_int_equal(report_status(&report), 65);
	report_release(&report);
	assert_int_equal(report_status(&report), 0);
}

static void test_print(void **state)
{
	struct report report = {0};
	struct str out = STR_INIT;

	(void)state;
	report_fact(&report, "store", "%s", "/x\x1b[0m");
	report_finding(&report, SEVERITY_NOTE, "Leave it.", "%d things", 2);
	report_print(&report, &plain, &out);
	assert_string_equal(out.ptr,
			    "store             /x\\x1b[0m\n\nnote: 2 things\n      Leave it.\n"
			    "\nNothing needs doing.\n");
	str_clear(&out);
	report_finding(&report, SEVERITY_TODO, "Do\nit.", "a");
	report_print(&report, &plain, &out);
	assert_non_null(strstr(out.ptr, "todo: a\n      Do\\x0ait.\n"));
	assert_non_null(strstr(out.ptr, "\n1 thing is to be put right.\n"));
	str_clear(&out);
	report_finding(&report, SEVERITY_BROKEN, "Mend it.", "b");
	report_print(&report, &plain, &out);
	assert_non_null(strstr(out.ptr, "\n2 things are to be put right.\n"));
	report_release(&report);
	str_release(&out);
}

static void test_json(void **state)
{
	struct report report = {0};
	struct str out = STR_INIT;

	(void)state;
	report_print_json(&report, &out);
	assert_string_equal(out.ptr,
			    "{\n  \"facts\": {},\n  \"findings\": [],\n  \"status\": 0\n}\n");
	str_clear(&out);
	report_fact(&report, "store", "a\"b");
	report_finding(&report, SEVERITY_TODO, "Do it.", "c");
	report_print_json(&report, &out);
	assert_string_equal(out.ptr, "{\n  \"facts\": {\n    \"store\": \"a\\\"b\"\n  },\n"
				     "  \"findings\": [\n    {\n      \"severity\": \"todo\",\n"
				     "      \"what\": \"c\",\n      \"remedy\": \"Do it.\"\n    }\n"
				     "  ],\n  \"status\": 1\n}\n");
	report_release(&report);
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
