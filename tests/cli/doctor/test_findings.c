#include "cli/doctor/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static const struct paint plain = {"", "", "", ""};
static const struct findings_mended not_asked = {NULL, false};

static void test_status(void **state)
{
	struct findings found = {0};

	(void)state;
	assert_int_equal(findings_status(&found), 0);
	findings_add(&found, FINDING_LATER_TIMES, NULL, "note");
	assert_int_equal(findings_status(&found), 0);
	findings_add(&found, FINDING_CLOCK, NULL, "todo");
	assert_int_equal(findings_status(&found), 1);
	findings_add(&found, FINDING_FILE_BROKEN, NULL, "broken");
	findings_add(&found, FINDING_LATER_TIMES, NULL, "note");
	assert_int_equal(findings_status(&found), 65);
	findings_release(&found);
	assert_int_equal(findings_status(&found), 0);
}

static void assert_printed(const struct findings *found, bool all, const char *expected)
{
	STR_AUTO out = STR_INIT;

	findings_print(found, &not_asked, all, &plain, &out);
	assert_string_equal(out.ptr, expected);
}

static void assert_ends(const struct findings *found, const char *end)
{
	STR_AUTO out = STR_INIT;

	findings_print(found, &(struct findings_mended){NULL, false}, false, &plain, &out);
	assert_true(out.len > strlen(end));
	assert_string_equal(out.ptr + out.len - strlen(end), end);
}

/* The last line says what --fix does, and that it does nothing where a person has to. */
static void test_nothing_to_fix(void **state)
{
	struct findings found = {0};

	(void)state;
	findings_add(&found, FINDING_CLOCK, NULL, "a");
	assert_ends(&found, "\n1 thing is to be put right.\n"
			    "kota doctor --fix does nothing about that.\n");
	findings_release(&found);
}

static void test_print(void **state)
{
	struct findings found = {0};

	(void)state;
	findings_fact(&found, GROUP_FILES, "size", "%d", 7);
	findings_fact(&found, GROUP_STORE, "store", "%s", "/x\x1b[0m");
	findings_detail(&found, GROUP_FILES, "more", "of it");
	findings_add(&found, FINDING_LATER_TIMES, "Leave it.", "%d things", 2);
	assert_printed(&found, false,
		       "store             /x\\x1b[0m\n\nsize              7\nnote: 2 things\n"
		       "      Leave it.\n\nNothing needs doing.\n");
	assert_printed(&found, true,
		       "store             /x\\x1b[0m\n\nsize              7\nmore              of "
		       "it\nnote: 2 things\n      Leave it.\n\nNothing needs doing.\n");
	/* What is to be done brings the details of its group along. */
	findings_add(&found, FINDING_CLOCK, "Do\nit.", "a");
	findings_add(&found, FINDING_METADATA_STALE, NULL, "b");
	assert_printed(&found, false,
		       "store             /x\\x1b[0m\n\nsize              7\nmore              of "
		       "it\nnote: 2 things\n      Leave it.\ntodo: a\n      Do\\x0ait.\nnote: b\n"
		       "      Nothing depends on it, and the next change rewrites it.\n"
		       "\n1 thing is to be put right.\n"
		       "kota doctor --fix rewrites metadata.json.\n");
	findings_add(&found, FINDING_UNRECORDED, NULL, "c");
	findings_add(&found, FINDING_METADATA_STALE, NULL, "d");
	findings_add(&found, FINDING_MARKS_MISSING, NULL, "e");
	assert_ends(&found,
		    "\n1 thing is to be put right.\nkota doctor --fix rewrites metadata.json, "
		    "records what waits and completes .kota and .gitignore.\n");
	findings_release(&found);
}

static void test_mended(void **state)
{
	struct findings before = {0};
	struct findings found = {0};
	STR_AUTO out = STR_INIT;

	(void)state;
	findings_add(&before, FINDING_METADATA_STALE, NULL, "torn");
	findings_add(&before, FINDING_CLOCK, NULL, "late");
	findings_add(&before, FINDING_LEFTOVER, NULL, "left");
	findings_add(&found, FINDING_LEFTOVER, NULL, "left");
	findings_print(&found, &(struct findings_mended){&before, false}, false, &plain, &out);
	assert_non_null(strstr(out.ptr, "fixed: torn\n      --fix rewrites metadata.json.\n\n"));
	assert_null(strstr(out.ptr, "fixed: late"));
	assert_null(strstr(out.ptr, "fixed: left"));
	str_clear(&out);
	findings_print(&before, &(struct findings_mended){&before, true}, false, &plain, &out);
	assert_non_null(strstr(out.ptr, "would fix: torn\n"));
	assert_non_null(strstr(out.ptr, "would fix: left\n"));
	assert_null(strstr(out.ptr, "would fix: late"));
	str_clear(&out);
	findings_print(&found, &(struct findings_mended){&found, false}, false, &plain, &out);
	assert_non_null(strstr(out.ptr, "There is nothing that --fix could do.\n"));
	findings_release(&before);
	findings_release(&found);
}

static void test_json(void **state)
{
	struct findings before = {0};
	struct findings found = {0};
	STR_AUTO out = STR_INIT;

	(void)state;
	findings_add(&before, FINDING_METADATA_STALE, "x", "torn");
	findings_fact(&found, GROUP_STORE, "store", "/x");
	findings_detail(&found, GROUP_STORE, "lock", "free");
	findings_add(&found, FINDING_FILE_BROKEN, "Mend \"it\".", "state.json:1:1");
	findings_print_json(&found, &(struct findings_mended){&before, false}, &out);
	assert_string_equal(
		out.ptr,
		"{\n  \"facts\": {\n    \"store\": \"/x\",\n    \"lock\": \"free\"\n  },\n"
		"  \"findings\": [\n    {\n      \"kind\": \"file-broken\",\n"
		"      \"severity\": \"broken\",\n      \"what\": \"state.json:1:1\",\n"
		"      \"remedy\": \"Mend \\\"it\\\".\"\n    }\n  ],\n"
		"  \"fixed\": [\n    {\n      \"kind\": \"metadata-stale\",\n"
		"      \"severity\": \"note\",\n      \"what\": \"torn\",\n"
		"      \"remedy\": \"x\",\n      \"fix\": \"rewrites metadata.json\"\n    }\n  ],\n"
		"  \"status\": 65\n}\n");
	findings_release(&before);
	findings_release(&found);
}

/* Each kind has a name of its own, and sentences; the page has them all. */
static void test_table(void **state)
{
	STR_AUTO page = STR_INIT;

	(void)state;
	findings_write_page(&page);
	for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		const struct finding_row *row = finding_row((enum finding_kind)kind);
		STR_AUTO cell = STR_INIT;

		str_printf(&cell, "| %s | ", row->name);
		assert_non_null(strstr(page.ptr, cell.ptr));
		assert_null(strchr(row->meaning, '|'));
		assert_int_equal(row->meaning[strlen(row->meaning) - 1], '.');
		for (int other = 0; other < kind; other++)
			assert_string_not_equal(row->name,
						finding_row((enum finding_kind)other)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),         cmocka_unit_test(test_print),
		cmocka_unit_test(test_nothing_to_fix), cmocka_unit_test(test_mended),
		cmocka_unit_test(test_json),           cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
