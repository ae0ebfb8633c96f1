#include "base/utf8.h"
#include "cli/args/command.h"
#include "cli/commands.h"
#include "cli/examples.h"
#include "cli/shell_fixture.h"
#include "tools/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* No line of the page is wider than this. */
static void assert_fits(const char *page, size_t width)
{
	while (*page) {
		size_t len = strcspn(page, "\n");

		if (utf8_columns(slice_make(page, len)) > width)
			fail_msg("wider than %zu: %.*s", width, (int)len, page);
		page += len + (page[len] == '\n');
	}
}

static void test_list_names_everything(void **state)
{
	char name[64];

	(void)state;
	assert_int_equal(shell_run(&shell, "help", NULL), 0);
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		snprintf(name, sizeof name, "\n  %s", (*tool)->command);
		assert_non_null(strstr(shell.out, name));
		assert_non_null(strstr(shell.out, (*tool)->title));
	}
	for (const struct command *const *command = commands_all; *command; command++) {
		snprintf(name, sizeof name, "\n  %s", (*command)->name);
		assert_non_null(strstr(shell.out, name));
	}
	assert_null(strchr(shell.out, '\x1b'));
}

/* Every operation is under its own heading, and each heading stands once. */
static void test_sections(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "help", NULL), 0);
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		char heading[64];
		char row[64];
		const char *at;
		const char *end;

		snprintf(heading, sizeof heading, "\n\n%s\n", (*tool)->section);
		snprintf(row, sizeof row, "\n  %s", (*tool)->command);
		at = strstr(shell.out, heading);
		assert_non_null(at);
		assert_null(strstr(at + 1, heading));
		end = strstr(at + strlen(heading), "\n\n");
		at = strstr(at, row);
		assert_true(at && at < end);
	}
}

static void test_every_page(void **state)
{
	(void)state;
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		assert_int_equal(shell_run(&shell, "help", (*tool)->command, NULL), 0);
		assert_true(strncmp(shell.out, "usage: kota ", 12) == 0);
		assert_fits(shell.out, 80);
		for (size_t i = 0; i < (*tool)->param_count; i++) {
			if (!((*tool)->params[i].flags & PARAM_POSITIONAL))
				assert_non_null(strstr(shell.out, "--"));
		}
	}
	for (const struct command *const *command = commands_all; *command; command++) {
		assert_int_equal(shell_run(&shell, "help", (*command)->name, NULL), 0);
		assert_non_null(strstr(shell.out, (*command)->description));
		assert_fits(shell.out, 80);
	}
}

/* What an option means is said by its row, or for people alone. */
static void test_every_option(void **state)
{
	(void)state;
	for (const struct tool *const *tool = tools_all(); *tool; tool++) {
		for (size_t i = 0; i < (*tool)->param_count; i++) {
			const struct param *param = &(*tool)->params[i];

			if (!param->help && !param->choices &&
			    !option_text_find((*tool)->command, param->name))
				fail_msg("%s: nothing says what %s means", (*tool)->command,
					 param->name);
		}
	}
	assert_string_equal(option_text_find("gc", "limit"), "archive at most this many");
	assert_null(option_text_find("gc", "none"));
}

static void test_width(void **state)
{
	(void)state;
	shell.cli.columns = 50;
	shell_run(&shell, "help", "set", NULL);
	assert_fits(shell.out, 50);
	shell.cli.columns = 0;
	shell_run(&shell, "help", "set", NULL);
	assert_fits(shell.out, 50);
	shell.cli.columns = 1000;
	shell_run(&shell, "help", "set", NULL);
	assert_fits(shell.out, 90);
}

static void test_colour(void **state)
{
	(void)state;
	shell_env("TERM", "xterm");
	shell.cli.out_is_terminal = true;
	shell_run(&shell, "help", NULL);
	assert_non_null(strstr(shell.out, "\x1b[1mMemories\x1b[0m"));
	shell_env("NO_COLOR", "1");
	shell_run(&shell, "help", NULL);
	assert_null(strchr(shell.out, '\x1b'));
}

static void test_set_page(void **state)
{
	(void)state;
	shell_run(&shell, "set", "--help", NULL);
	assert_non_null(strstr(shell.out, "usage: kota set KEY VALUE [OPTION...]\n"));
	assert_non_null(strstr(shell.out, "\n  --[no-]pinned"));
	assert_non_null(strstr(shell.out, "\n  --tags TEXT"));
	assert_non_null(strstr(shell.out, "Agents call this memory_set.\n"));
	assert_non_null(strstr(shell.out, "joined by spaces"));
	shell_run(&shell, "mv", "--help", NULL);
	assert_null(strstr(shell.out, "Agents call"));
	shell_run(&shell, "list", "--help", NULL);
	assert_null(strstr(shell.out, "joined by spaces"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_list_names_everything, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_sections, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_every_page, shell_set_up, shell_tear_down),
		cmocka_unit_test(test_every_option),
		cmocka_unit_test_setup_teardown(test_width, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_colour, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_set_page, shell_set_up, shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
