/* Each kind of finding: the state it is about is made, and doctor says so; before, it did not. */
#include "cli/doctor_states.h"
#include "cli/shell_fixture.h"

#include "git/gitrepo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

static const struct doctor_state *const tables[] = {doctor_states_files, doctor_states_around,
						    doctor_states_trust};

#define TABLE_COUNT (sizeof tables / sizeof *tables)

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	gitrepo_isolate(&shell.dir);
	return 0;
}

static bool says(const char *text)
{
	return strstr(shell.out, text) != NULL;
}

static void begin(void)
{
	shell_env("KOTA_MEMORY_GIT", "own");
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	assert_int_equal(shell_run(&shell, "notes", "b", NULL), 0);
	assert_int_equal(shell_run(&shell, "doctor", "--json", NULL), 0);
	if (!says("\"findings\": []"))
		fail_msg("doctor finds something in a healthy store:\n%s", shell.out);
	assert_int_equal(shell_run(&shell, "doctor", NULL), 0);
	assert_true(says("Nothing needs doing.\n"));
}

static void check_state(const struct doctor_state *row)
{
	STR_AUTO kind = STR_INIT;
	int status;

	if (row->kind == FINDING_FOREIGN_OWNER && geteuid() != 0) {
		print_message("foreign-owner: skipped, it takes root\n");
		return;
	}
	begin();
	row->make(&shell);
	status = shell_run(&shell, "doctor", "--json", NULL);
	str_printf(&kind, "\"kind\": \"%s\"", finding_row(row->kind)->name);
	if (!says(kind.ptr) || !says(row->says) || status != row->status)
		fail_msg("%s: expected status %d and \"%s\", got %d:\n%s\n%s", kind.ptr,
			 row->status, row->says, status, shell.out, shell.err);
	assert_int_equal(shell_run(&shell, "doctor", NULL), row->status);
	assert_true(says(finding_row(row->kind)->severity == SEVERITY_NOTE   ? "note: "
			 : finding_row(row->kind)->severity == SEVERITY_TODO ? "todo: "
									     : "broken: "));
}

static void test_each(void **state)
{
	for (size_t t = 0; t < TABLE_COUNT; t++) {
		for (const struct doctor_state *row = tables[t]; row->make; row++) {
			check_state(row);
			shell_tear_down(state);
			set_up(state);
		}
	}
}

static void test_none_is_left_out(void **state)
{
	bool seen[FINDING_KIND_COUNT] = {false};

	(void)state;
	for (size_t t = 0; t < TABLE_COUNT; t++) {
		for (const struct doctor_state *row = tables[t]; row->make; row++)
			seen[row->kind] = true;
	}
	for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		if (!seen[kind])
			fail_msg("no row makes %s", finding_row((enum finding_kind)kind)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each, set_up, shell_tear_down),
		cmocka_unit_test(test_none_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
