#include "cli/shell_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	assert_int_equal(shell_run(&shell, "set", "state:token", "zebra", NULL), 0);
	return 0;
}

static void check_there(bool expected)
{
	char *text = shell_read(&shell, "state.json");

	assert_int_equal(strstr(text, "zebra") != NULL, expected);
	free(text);
}

static void test_asks_on_a_terminal(void **state)
{
	(void)state;
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("n\n");
	assert_int_equal(shell_run(&shell, "purge", "token", NULL), 2);
	assert_non_null(strstr(shell.out, "state:token and all its past values"));
	assert_non_null(strstr(shell.err, "nothing was purged"));
	check_there(true);
	shell.input = slice_of("");
	assert_int_equal(shell_run(&shell, "purge", "token", NULL), 2);
	check_there(true);
	shell.input = slice_of("yes\n");
	assert_int_equal(shell_run(&shell, "purge", "token", NULL), 0);
	assert_non_null(strstr(shell.out, "1 in the category file"));
	check_there(false);
}

static void test_refuses_where_nobody_can_be_asked(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "purge", "token", NULL), 2);
	assert_non_null(strstr(shell.err, "--yes"));
	check_there(true);
	assert_int_equal(shell_run(&shell, "purge", "--yes", "token", "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"purged\": \"state:token\""));
	assert_non_null(strstr(shell.out, "\"entries\": 1"));
	check_there(false);
}

static void test_says_what_is_missing(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "purge", "--yes", NULL), 2);
	assert_non_null(strstr(shell.err, "KEY is missing"));
	assert_int_equal(shell_run(&shell, "purge", "nobody", "--yes", NULL), 1);
	assert_non_null(strstr(shell.err, "no such key"));
	assert_int_equal(shell_run(&shell, "purge", "state:", "--yes", NULL), 2);
	assert_int_equal(shell_run(&shell, "purge", "state:nobody", "--yes", NULL), 0);
	assert_non_null(strstr(shell.out, "nothing was left of it here"));
}

/* A link may name the key alone, which means the first category that has it. */
static void test_links_that_name_the_key_alone(void **state)
{
	static const char links[] = "{\"a\": {\"from\": \"Token\", \"to\": \"state:b\"},\n"
				    " \"b\": {\"from\": \"state:c\", \"to\": \"token\"},\n"
				    " \"c\": {\"from\": \"state:c\", \"to\": \"state:b\"}}\n";
	char *text;

	(void)state;
	tmpdir_write(&shell.dir, "store/relations.json", links);
	assert_int_equal(shell_run(&shell, "set", "preferences:token", "hers", NULL), 0);
	assert_int_equal(shell_run(&shell, "purge", "state:token", "--yes", NULL), 0);
	text = shell_read(&shell, "relations.json");
	assert_string_equal(text, links);
	free(text);
	assert_int_equal(shell_run(&shell, "purge", "token", "--yes", NULL), 0);
	assert_non_null(strstr(shell.out, "2 in relations.json"));
	text = shell_read(&shell, "relations.json");
	assert_string_equal(text, "{\"c\": {\"from\": \"state:c\", \"to\": \"state:b\"}}\n");
	free(text);
}

/* A key that stands in two categories: a person says which, and nobody else guesses. */
static void test_asks_which(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "connections:token", "heron", NULL), 0);
	assert_int_equal(shell_run(&shell, "purge", "token", "--yes", NULL), 2);
	assert_non_null(strstr(shell.err, "connections:token or state:token"));
	check_there(true);
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("3\n");
	assert_int_equal(shell_run(&shell, "purge", "token", NULL), 2);
	assert_non_null(strstr(shell.out, "1 connections:token, 2 state:token. Which"));
	assert_non_null(strstr(shell.err, "nothing was purged"));
	check_there(true);
	shell.input = slice_of("2\ny\n");
	assert_int_equal(shell_run(&shell, "purge", "token", NULL), 0);
	assert_non_null(strstr(shell.out, "state:token: purged"));
	check_there(false);
}

static void test_says_what_it_was_called(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "state:token", "zebra-2", NULL), 0);
	assert_int_equal(shell_run(&shell, "mv", "token", "ticket", NULL), 0);
	assert_int_equal(shell_run(&shell, "purge", "ticket", "--yes", "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"earlier_names\": [\n    \"state:token\"\n  ]"));
	check_there(false);
}

static void test_without_a_store(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "--dir", "/nonexistent/x", "purge", "a", "--yes", NULL),
			 1);
	assert_non_null(strstr(shell.err, "there is no store"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_asks_on_a_terminal),      TEST(test_refuses_where_nobody_can_be_asked),
		TEST(test_says_what_is_missing),    TEST(test_links_that_name_the_key_alone),
		TEST(test_without_a_store),         TEST(test_asks_which),
		TEST(test_says_what_it_was_called),
	};

	return cmocka_run_group_tests_name("purge", tests, NULL, NULL);
}
