#include "cli/shell_fixture.h"
#include "git/gitrepo.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_GIT", "own");
	gitrepo_isolate(&shell.dir);
	return 0;
}

static void set(const char *key)
{
	assert_int_equal(shell_run(&shell, "set", "--category", "state", key, "1", NULL), 0);
}

static void check(int status, const char *says)
{
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), status);
	if (!strstr(shell.out, says))
		fail_msg("doctor does not say \"%s\":\n%s", says, shell.out);
}

static void test_what_is_recorded(void **state)
{
	(void)state;
	shell_write(&shell, "state.json", "{}");
	check(0, "none yet: it begins with the next change");
	set("a");
	check(0, "store/.git/, made by kota\n");
	check(0, "refs/heads/main\n");
	check(0, ": set state:a\n");
	check(0, "0 changes\n");
	shell_env("KOTA_MEMORY_GIT", "off");
	check(0, "off, by the setting \"git\"\n");
}

static void test_what_waits_and_why(void **state)
{
	(void)state;
	set("a");
	shell_write(&shell, ".git/index.lock", "");
	set("b");
	set("c");
	check(0, "2 changes\n");
	unlinkat(shell.dir.fd, "store/.git/index.lock", 0);
	shell_write(&shell, ".git/MERGE_HEAD", "0123456789012345678901234567890123456789\n");
	check(1, "nothing is recorded now: a merge is under way");
}

static void test_what_is_no_repository(void **state)
{
	(void)state;
	set("a");
	unlinkat(shell.dir.fd, "store/.git/HEAD", 0);
	check(1, "todo: cannot open the history in ");
}

static void test_inside_another_repository(void **state)
{
	struct repo *repo;
	struct err err;

	(void)state;
	shell_env("KOTA_MEMORY_GIT", "");
	shell_write(&shell, "state.json", "{}");
	if (repo_create(&repo, sys_real(), shell.dir.path, &err) != 0)
		fail_msg("%s", err.text);
	repo_close(repo);
	check(0, "note: there is no history, since the store lies in the repository ");
}

/* In two parts, so that nobody takes a test for a leak. */
#define TOKEN_BODY "8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa"
#define TOKEN                                                                                      \
	"ghp"                                                                                      \
	"_" TOKEN_BODY

static void test_secrets_wait_until_the_person_says_so(void **state)
{
	(void)state;
	set("a");
	shell_write(&shell, "state.json", "{\"door\": \"" TOKEN "\"}\n");
	set("b");
	assert_non_null(strstr(shell.err, "state:door holds a secret"));
	check(1, "an edit waits, since a secret was written by hand");
	check(1, "0 changes\n");
	assert_int_equal(shell_run(&shell, "doctor", "--record", "--all", NULL), 1);
	assert_non_null(strstr(shell.out, "0 changes\n"));
	assert_null(strstr(shell.out, TOKEN_BODY));
	set("c");
	assert_string_equal(shell.err, "");
}

/* A repository that is refused: whoever asks for it is told why, and once. */
static void test_a_refused_repository(void **state)
{
	const char *says = "store/.git";
	const char *first;

	(void)state;
	shell_write(&shell, "state.json", "{}");
	shell_write(&shell, ".git", "not a repository\n");
	assert_int_equal(shell_run(&shell, "doctor", "--record", NULL), 69);
	assert_non_null(strstr(shell.err, says));
	assert_null(strstr(shell.err, "there is no history yet"));
	assert_int_equal(shell_run(&shell, "compact", NULL), 0);
	first = strstr(shell.err, says);
	assert_non_null(first);
	assert_null(strstr(first + 1, says));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_what_is_recorded),      TEST(test_what_waits_and_why),
		TEST(test_what_is_no_repository), TEST(test_inside_another_repository),
		TEST(test_a_refused_repository),  TEST(test_secrets_wait_until_the_person_says_so),
	};

	return cmocka_run_group_tests_name("checkup_history", tests, NULL, NULL);
}
