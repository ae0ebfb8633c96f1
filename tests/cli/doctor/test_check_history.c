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
	char *commit;

	(void)state;
	set("a");
	shell_write(&shell, ".git/index.lock", "");
	set("b");
	set("c");
	check(0, "2 changes\n");
	/* A lock that is young may be somebody's: it is named, and nothing is promised. */
	check(0, "note: 2 changes are not in the history yet: another program is at work in the "
		 "history (");
	check(0, "If no git is at work there, remove that file.\n");
	check(0, "Nothing needs doing.\n");
	assert_null(strstr(shell.out, "kota doctor --fix records"));
	unlinkat(shell.dir.fd, "store/.git/index.lock", 0);
	check(0, "kota doctor --fix records what waits.\n");
	shell_write(&shell, ".git/MERGE_HEAD", "0123456789012345678901234567890123456789\n");
	check(1, "nothing is recorded now: a merge is under way");
	check(1, "/store status says how to end that. Until then changes are still made");
	check(1, "kota doctor --fix does nothing about that.\n");
	unlinkat(shell.dir.fd, "store/.git/MERGE_HEAD", 0);
	commit = tmpdir_read(&shell.dir, "store/.git/refs/heads/main");
	shell_write(&shell, ".git/HEAD", commit);
	free(commit);
	check(1, "how to end that, and git switch BRANCH puts HEAD back on one. Until");
}

static void test_what_is_no_repository(void **state)
{
	(void)state;
	set("a");
	unlinkat(shell.dir.fd, "store/.git/config", 0);
	shell_write(&shell, ".git/config", "[core\n");
	check(1, "todo: ");
	check(1, "/store/.git/config cannot be understood\n");
	check(1, "Put that right, or move .git away: then the next change begins a new history.");
}

static void test_a_lost_head(void **state)
{
	static const char *const heads[] = {"nonsense\n", NULL};
	static const char *const keys[] = {"b", "c"};

	(void)state;
	set("a");
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		unlinkat(shell.dir.fd, "store/.git/HEAD", 0);
		if (heads[i])
			shell_write(&shell, ".git/HEAD", heads[i]);
		set(keys[i]);
		assert_non_null(strstr(shell.err, "not recorded in the history: "));
		check(65, "is in the files and the archive is safe\n");
		check(65, "kota doctor --fix sets the branch to the last whole commit and records "
			  "what waits.\n");
		assert_null(strstr(shell.out, "todo:"));
		assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 0);
		assert_non_null(strstr(shell.out, "fixed: "));
		check(0, ": set state:");
		assert_non_null(strstr(shell.out, "waiting           0 changes\n"));
	}
	set("d");
	assert_string_equal(shell.err, "");
}

/* Who has taken it away, or a copy without it, is told once, and before that when asked. */
static void test_a_history_that_is_gone(void **state)
{
	static const char *const gone = "store/.git is gone, and a new history begins; the entries "
					"and the archive are safe.";
	STR_AUTO command = STR_INIT;

	(void)state;
	set("a");
	str_printf(&command, "rm -r '%s/store/.git'", shell.dir.path);
	assert_int_equal(system(command.ptr), 0);
	check(1, "store/.git is gone, in which the history was\n");
	check(1, "If there is a copy of .git, put it back; otherwise the next change begins a new");
	assert_int_equal(shell_run(&shell, "log", NULL), 69);
	assert_non_null(strstr(shell.err, gone));
	/* A command that fails says it, too: it has begun the new one. */
	assert_int_equal(shell_run(&shell, "undo", NULL), 1);
	assert_non_null(strstr(shell.err, gone));
	set("b");
	assert_string_equal(shell.err, "");
	check(0, ": set state:b\n");
}

/* What could never be recorded is no history that is gone. */
static void test_a_history_that_never_was(void **state)
{
	(void)state;
	shell_write(&shell, ".git", "not a repository\n");
	set("a");
	unlinkat(shell.dir.fd, "store/.git", 0);
	check(0, "none yet: it begins with the next change");
	set("b");
	assert_string_equal(shell.err, "");
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
		TEST(test_what_is_recorded),
		TEST(test_what_waits_and_why),
		TEST(test_what_is_no_repository),
		TEST(test_inside_another_repository),
		TEST(test_a_lost_head),
		TEST(test_a_history_that_is_gone),
		TEST(test_a_history_that_never_was),
		TEST(test_a_refused_repository),
		TEST(test_secrets_wait_until_the_person_says_so),
	};

	return cmocka_run_group_tests_name("checkup_history", tests, NULL, NULL);
}
