/*
 * The shell of a test program that has one, made anew for each test:
 *
 *	cmocka_unit_test_setup_teardown(test, shell_set_up, shell_tear_down)
 *
 * A test that needs more has a set-up of its own, which begins with shell_init(&shell).
 */
#ifndef KOTA_TESTS_SHELL_FIXTURE_H
#define KOTA_TESTS_SHELL_FIXTURE_H

#include "cli/shell.h"

static struct shell shell;

static inline int shell_set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	return 0;
}

/* The same with a state folder beside the store. */
static inline int shell_set_up_with_state(void **state)
{
	static char state_home[PATH_MAX + 16];

	shell_set_up(state);
	snprintf(state_home, sizeof state_home, "%s/state", shell.dir.path);
	shell_env("XDG_STATE_HOME", state_home);
	return 0;
}

static inline int shell_tear_down(void **state)
{
	(void)state;
	shell_release(&shell);
	return 0;
}

#endif
