#include "cli/shell.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static struct shell *shell_of(void **state)
{
	return *state;
}

static int set_up(void **state)
{
	static struct shell shell;

	shell_init(&shell);
	*state = &shell;
	assert_int_equal(shell_run(&shell, "set", "state:editor", "vim", NULL), 0);
	assert_int_equal(shell_run(&shell, "set", "preferences:the font", "12", NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	shell_release(shell_of(state));
	return 0;
}

/* complete -- WORDS... offers exactly these lines. */
#define CHECK(state, expected, ...)                                                                \
	do {                                                                                       \
		assert_int_equal(shell_run(shell_of(state), "complete", "--", __VA_ARGS__, NULL),  \
				 0);                                                               \
		assert_string_equal(shell_of(state)->out, expected);                               \
	} while (0)

static void test_commands(void **state)
{
	CHECK(state, "doctor\n", "do");
	CHECK(state, "", "nothing begins like this");
	CHECK(state, "undo\n", "help", "und");
	CHECK(state, "", "help", "undo", "");
}

static void test_options(void **state)
{
	CHECK(state, "--confidence\n--context\n", "set", "x", "--con");
	CHECK(state, "--tools\n", "serve", "--to");
	CHECK(state, "--dir\n", "list", "--di");
	CHECK(state, "--project\n--print\n", "setup", "claude", "--pr");
	/* Behind one that takes a value comes the value. */
	CHECK(state, "connections\n", "set", "--category", "c");
	CHECK(state, "", "set", "--source", "");
	CHECK(state, "--category\n", "set", "--pinned", "--cat");
}

static void test_values(void **state)
{
	CHECK(state, "patterns\n", "list", "pa");
	CHECK(state, "claude\ncodex\ncursor\nclaude-desktop\n", "setup", "c");
	CHECK(state, "", "setup", "claude", "c");
	CHECK(state, "session-start\nsession-end\n", "hook", "s");
	CHECK(state, "--fix\n", "doctor", "--f");
	CHECK(state, "preferences:the font\nstate:editor\n", "get", "");
	CHECK(state, "state:editor\n", "delete", "st");
	CHECK(state, "state:editor\n", "purge", "state:e");
	CHECK(state, "state:editor\n", "--dir", shell_of(state)->store, "get", "s");
	CHECK(state, "", "--dir", "/nowhere/at/all", "get", "");
	CHECK(state, "", "delete", "state:editor", "");
}

static void test_archived(void **state)
{
	assert_int_equal(shell_run(shell_of(state), "delete", "editor", NULL), 0);
	CHECK(state, "state:editor@2026-11-21T09:30:00.000+00:00\n", "restore", "s");
}

/* A key with something in it that no terminal should see is not offered. */
static void test_what_cannot_be_typed(void **state)
{
	shell_write(shell_of(state), "state.json", "{\"a\\u001bb\": 1, \"ab\": 2}\n");
	CHECK(state, "state:ab\n", "get", "state:");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_commands),
		TEST(test_options),
		TEST(test_values),
		TEST(test_archived),
		TEST(test_what_cannot_be_typed),
	};

	return cmocka_run_group_tests_name("complete", tests, NULL, NULL);
}
