#include "cli/shell_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define OLD "\"created_at\": \"2026-09-01T00:00:00Z\", \"last_updated\": \"2026-09-01T00:00:00Z\""

/* Two that say the same, and one that contradicts another. */
static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_GIT", "off");
	shell_write(&shell, "state.json",
		    "{\"a b\": {\"value\": \"User prefers dark mode\", " OLD "},"
		    "\"b a\": {\"value\": \"user prefers dark mode\", " OLD "},"
		    "\"c\": {\"value\": \"Logs are kept for 30 days\", " OLD "},"
		    "\"d\": {\"value\": \"Logs are kept for 90 days\", " OLD "}}");
	shell_write(&shell, "usage.jsonl", "{\"since\":\"2026-09-01T00:00:00Z\"}\n");
	return 0;
}

static void a_preview_shows_what_would_be(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "merge", "a b", "b a", NULL), 0);
	assert_string_equal(shell.out, "would merge state:a b + state:b a -> state:a b\n"
				       "  User prefers dark mode\n");
	assert_string_equal(shell.err, "kota: merge: Dry run; re-run with --mode apply\n");
	assert_int_equal(shell_run(&shell, "merge", "c", "d", NULL), 0);
	assert_non_null(strstr(shell.out, "\n  contradict each other: state:c + state:d: one says "
					  "\"30\", the other \"90\"\n"));
	assert_int_equal(shell_run(&shell, "merge", "a b", "b a", "--mode", "apply", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "kota: merge: Merged 2 memories into state:a b\n");
}

static void what_is_found_is_a_line_each(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "merge", "--auto-detect", "--mode", "apply", NULL), 0);
	assert_non_null(strstr(shell.out, "merged state:a b + state:b a -> state:a b\n"));
	assert_int_equal(
		shell_run(&shell, "merge", "--auto-detect", "--cohesion-threshold", "1", NULL), 0);
	assert_string_equal(shell.err, "kota: merge: nothing is similar enough\n");
}

static void optimizing_is_a_line_each(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "optimize", "consolidate_similar", NULL), 0);
	assert_non_null(strstr(shell.out, "would merge state:a b + state:b a -> state:a b"));
	assert_int_equal(shell_run(&shell, "optimize", "consolidate_similar", "--no-dry-run", NULL),
			 0);
	assert_non_null(strstr(shell.out, "merged state:a b + state:b a -> state:a b"));
	assert_int_equal(shell_run(&shell, "optimize", "top_accessed", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_non_null(strstr(shell.err, "kota: optimize: nothing to do\n"));
}

static void consolidating_is_summed_up(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "consolidate", "rem", NULL), 0);
	assert_non_null(strstr(shell.out, "would merge state:a b + state:b a -> state:a b\n"));
	assert_string_equal(shell.err, "kota: consolidate: 1 merged, 0 archived, 0 linked; 3 would "
				       "remain; dry run, re-run with --no-dry-run\n");
	assert_int_equal(shell_run(&shell, "consolidate", "light", "--no-dry-run", NULL), 0);
	assert_string_equal(shell.out, "merged state:a b + state:b a -> state:a b\n");
	assert_string_equal(shell.err,
			    "kota: consolidate: 1 merged, 0 archived, 0 linked; 3 remain\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_preview_shows_what_would_be),
		TEST(what_is_found_is_a_line_each),
		TEST(optimizing_is_a_line_each),
		TEST(consolidating_is_summed_up),
	};

	return cmocka_run_group_tests_name("render_merges", tests, NULL, NULL);
}
