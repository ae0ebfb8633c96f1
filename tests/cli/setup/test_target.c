/* The form in which a client has program and words in one list, and what is not of that form. */
#include "cli/shell_fixture.h"

#include <stdlib.h>
#include <unistd.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#define FILE_NAME "opencode.json"

/* What setup makes of a file: its status, and its words on both streams. */
static int set_up_with(const char *text, const char *option)
{
	tmpdir_write(&shell.dir, FILE_NAME, text);
	return shell_run(&shell, "setup", "opencode", "--project", option, NULL);
}

static void check_file(const char *wanted)
{
	char *text = tmpdir_read(&shell.dir, FILE_NAME);

	assert_string_equal(text, wanted);
	free(text);
}

/* The program alone is pointed elsewhere. */
static void test_a_path_that_moved(void **state)
{
	const char *moved = "{\"mcp\": {\"memory\": {\"command\": [\"/old/kota\", \"serve\", "
			    "\"--dir\", \"/m\"], \"enabled\": false}}}";
	char program[PATH_MAX] = "";
	char wanted[PATH_MAX + 128];

	(void)state;
	assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
	snprintf(wanted, sizeof wanted,
		 "{\"mcp\": {\"memory\": {\"command\": [\"%s\", \"serve\", "
		 "\"--dir\", \"/m\"], \"enabled\": false}}}",
		 program);
	assert_int_equal(set_up_with(moved, "--check"), 1);
	assert_non_null(strstr(shell.out, "/old/kota serve --dir /m"));
	assert_int_equal(set_up_with(moved, NULL), 0);
	check_file(wanted);
}

static void test_what_is_not_ours(void **state)
{
	const char *other = "{\"mcp\": {\"memory\": {\"command\": [\"npx\", \"m\"]}}}";
	const char *empty = "{\"mcp\": {\"memory\": {\"command\": []}}}";

	(void)state;
	assert_int_equal(set_up_with(other, NULL), 1);
	assert_non_null(strstr(shell.err, "\"memory\" is something else there (npx m)"));
	check_file(other);
	assert_int_equal(set_up_with(empty, NULL), 1);
	check_file(empty);
}

/* Another version reads its servers one level deeper. */
static void test_another_version(void **state)
{
	const char *deeper = "{\"mcp\": {\"servers\": {}}}";

	(void)state;
	assert_int_equal(set_up_with(deeper, NULL), 65);
	assert_non_null(strstr(shell.err, "keeps its servers in mcp.servers"));
	check_file(deeper);
	/* One that is called so is none of that. */
	assert_int_equal(set_up_with("{\"mcp\": {\"servers\": {\"command\": [\"x\"]}}}", NULL), 0);
}

static void check_prints(const char *client, const char *wanted)
{
	assert_int_equal(shell_run(&shell, "setup", client, "--print", NULL), 0);
	if (strncmp(shell.out, wanted, strlen(wanted)) != 0)
		fail_msg("%s", shell.out);
}

static void test_print(void **state)
{
	(void)state;
	check_prints("opencode",
		     "{\n  \"mcp\": {\n    \"memory\": {\n      \"type\": \"local\",\n");
	check_prints("claude-desktop", "{\n  \"mcpServers\": {\n    \"memory\"");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, shell_set_up, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_a_path_that_moved),
		TEST(test_what_is_not_ours),
		TEST(test_another_version),
		TEST(test_print),
	};

	return cmocka_run_group_tests_name("setup_target", tests, NULL, NULL);
}
