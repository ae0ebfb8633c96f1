#include "cli/shell.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#define OLD "\"created_at\": \"2026-09-01T00:00:00Z\""
#define FADED OLD ", \"last_updated\": \"2026-09-01T00:00:00Z\""

static struct shell shell;

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_GIT", "off");
	shell_write(&shell, "state.json", "{\"dull\": {\"value\": \"nobody asks\", " FADED "}}");
	shell_write(&shell, "usage.jsonl", "{\"since\":\"2026-09-01T00:00:00Z\"}\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shell_release(&shell);
	return 0;
}

static void maintenance_is_a_line_for_each_thing(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "maintain", "--dry-run", NULL), 0);
	assert_non_null(strstr(shell.out, "archive state:dull: its score, 0."));
	assert_string_equal(shell.err, "kota: maintain: nothing of this is done yet\n");
	assert_int_equal(shell_run(&shell, "maintain", "decay", NULL), 0);
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "maintain", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "kota: maintain: nothing to do\n");
}

/* Where somebody watches, the steps are told; a file gets none of that. */
static void progress_is_for_a_terminal(void **state)
{
	(void)state;
	shell.cli.out_is_terminal = true;
	assert_int_equal(shell_run(&shell, "maintain", NULL), 0);
	assert_non_null(strstr(shell.err, "kota: maintain: looking: decay\n"));
	assert_non_null(strstr(shell.err, "kota: maintain: decay: 1 to do\n"));
	assert_int_equal(shell_run(&shell, "maintain", "--json", NULL), 0);
	assert_null(strstr(shell.err, "looking"));
}

static void a_schedule_says_when(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "maintain", "--scheduled", NULL), 0);
	assert_int_equal(shell_run(&shell, "maintain", "--scheduled", NULL), 0);
	assert_non_null(
		strstr(shell.err, "kota: maintain: it is not time yet; next run 2026-11-21T"));
}

static void compacting_says_the_bytes(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "compact", NULL), 0);
	assert_non_null(strstr(shell.out, "usage.jsonl "));
	assert_non_null(strstr(shell.out, "cold archive           0 -> 0 bytes\n"));
	assert_non_null(strstr(shell.err, "kota: compact: the history is left as it is: "));
}

static void what_is_taken_over_is_counted(void **state)
{
	char folder[PATH_MAX + 32];

	(void)state;
	tmpdir_write(&shell.dir, "memory.jsonl",
		     "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\","
		     "\"observations\":[\"likes tea\"]}\nnonsense\n");
	snprintf(folder, sizeof folder, "%s/memory.jsonl", shell.dir.path);
	assert_int_equal(shell_run(&shell, "migrate", folder, "--dry-run", NULL), 0);
	assert_string_equal(shell.out, "would take over 1 of 2\n");
	assert_int_equal(shell_run(&shell, "migrate", folder, NULL), 0);
	assert_string_equal(shell.out, "took over 1 of 2\n");
	assert_non_null(strstr(shell.err, "kota: migrate: left out line:2: column 1: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(maintenance_is_a_line_for_each_thing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(progress_is_for_a_terminal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_schedule_says_when, set_up, tear_down),
		cmocka_unit_test_setup_teardown(compacting_says_the_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_taken_over_is_counted, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
