/* kota trust: what it shows, whom it asks, and what it records. */
#include "cli/shell_fixture.h"
#include "git/gitrepo.h"
#include "mcp/serve.h"
#include "mcp/wire.h"
#include "support/fake_sys.h"
#include "tools/registry.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORE "c/data/kota_memory"
#define REGISTER ".local/state/kota-memory/stores.json"

static char project[PATH_MAX + 8];
static char terminal[PATH_MAX + 8];

static void write_there(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof path, STORE "/%s", name);
	tmpdir_write(&shell.dir, path, text);
}

static void record(struct repo *repo, const char *name, const char *author)
{
	struct recorded_file file = {0};
	struct commit_spec spec = {.files = &file,
				   .count = 1,
				   .message = "one",
				   .author = author,
				   .email = "a@example.org",
				   .time_ms = SHELL_NOW};
	struct recording *recording;
	STR_AUTO path = STR_INIT;
	struct object_id id;
	struct err err;

	str_printf(&path, "data/kota_memory/%s", name);
	file.path = path.ptr;
	if (repo_blob_write(repo, slice_of(author), &file.blob, &err) != 0 ||
	    recording_begin(&recording, repo, &err) != 0 ||
	    recording_add(recording, &spec, &id, &err) != 0 ||
	    recording_finish(recording, &err) != 0)
		fail_msg("%s", err.text);
}

/* A project whose repository tracks its store; what is in the files is not what it has of them. */
static void make_project(void)
{
	struct repo *repo;
	struct err err;

	snprintf(project, sizeof project, "%s/c", shell.dir.path);
	snprintf(terminal, sizeof terminal, "%s/tty", shell.dir.path);
	shell_env("CLAUDE_PROJECT_DIR", project);
	shell_env("KOTA_MEMORY_DIR", NULL);
	mkdirat(shell.dir.fd, "c", 0700);
	mkdirat(shell.dir.fd, "c/data", 0700);
	mkdirat(shell.dir.fd, STORE, 0700);
	write_there("state.json", "{\"task\": \"build\", \"odd\": \"a\\u001b[2Jb\"}\n");
	if (repo_create(&repo, sys_real(), project, &err) != 0)
		fail_msg("%s", err.text);
	record(repo, "state.json", "Mallory \x1b[2J");
	record(repo, "config.json", "Trent");
	repo_close(repo);
}

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	gitrepo_isolate(&shell.dir);
	shell_env("KOTA_MEMORY_GIT", "off");
	make_project();
	return 0;
}

static void assert_has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text ? text : "(nothing)");
}

static void assert_lacks(const char *text, const char *part)
{
	if (text && strstr(text, part))
		fail_msg("\"%s\" is in:\n%s", part, text);
}

/* Sits at the terminal and types this; what the terminal shows, after it, is the caller's. */
static char *type(const char *answer)
{
	tmpdir_write(&shell.dir, "tty", answer);
	shell.cli.terminal = terminal;
	return NULL;
}

static char *screen(void)
{
	return tmpdir_read(&shell.dir, "tty");
}

static void trust(void)
{
	type("y\n");
	if (shell_run(&shell, "trust", NULL) != 0)
		fail_msg("%s", shell.err);
	shell.cli.terminal = NULL;
}

static const char *get(const char *key)
{
	shell_run(&shell, "get", key, "--json", NULL);
	return shell.out;
}

/* ---- who may say so */

static void test_without_a_terminal_nothing_is_trusted(void **state)
{
	(void)state;
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("y\ny\nyes\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 1);
	assert_has(shell.err, "no terminal to ask on");
	assert_false(tmpdir_has(&shell.dir, REGISTER));
	shell.cli.terminal = "/nowhere/tty";
	assert_int_equal(shell_run(&shell, "trust", NULL), 1);
	assert_has(get("task"), "\"from\": \"repository\"");
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 73);
	assert_has(shell.err, "ask the user to run `kota trust`");
}

static void test_there_is_no_switch_that_answers(void **state)
{
	static const char *const switches[] = {"--yes", "-y", "--force", "--trust", NULL};

	(void)state;
	for (size_t i = 0; switches[i]; i++) {
		assert_int_equal(shell_run(&shell, "trust", switches[i], NULL), 2);
		assert_false(tmpdir_has(&shell.dir, REGISTER));
	}
}

static void test_only_yes_is_yes(void **state)
{
	static const char *const answers[] = {
		"n\n", "\n", "", "yess\n", " y\n", "Y es\n", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n"};

	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		type(answers[i]);
		assert_int_equal(shell_run(&shell, "trust", NULL), 1);
		assert_has(shell.err, "nothing is changed");
		assert_false(tmpdir_has(&shell.dir, REGISTER));
	}
	type("yes\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 0);
}

/* ---- what is shown */

static void test_the_review_goes_to_the_terminal_with_the_question(void **state)
{
	char *shown;

	(void)state;
	type("n\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 1);
	assert_string_equal(shell.out, "");
	shown = screen();
	assert_has(shown, "it came with the repository ");
	assert_has(shown, "  state:task: \"build\"\n");
	assert_has(shown, "\nTrust this memory? [y/N] ");
	free(shown);
}

static void test_what_is_shown(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	str_adds(&text, "{\"long\": \"");
	for (int i = 0; i < 100; i++)
		str_adds(&text, "0123456789");
	str_adds(&text, "\", \"odd\\u200b\": \"a\\u001b[2Jb\xe2\x80\xae\"}");
	write_there("state.json", text.ptr);
	write_there("config.json", "{\"secrets\": \"off\"}");
	tmpdir_write(&shell.dir, "secret.json", "{\"k\": \"hidden treasure\"}");
	assert_int_equal(symlinkat("../../../secret.json", shell.dir.fd, STORE "/patterns.json"),
			 0);
	assert_int_equal(mkdirat(shell.dir.fd, STORE "/notes", 0700), 0);
	write_there("notes/a.md", "note");
	assert_int_equal(shell_run(&shell, "trust", "--show", NULL), 0);
	assert_has(shell.out, "state:long: \"01234567890");
	assert_has(shell.out, "... (702 more characters)\n");
	assert_has(shell.out, "\\u001b[2Jb\\u{202e}");
	assert_null(memchr(shell.out, '\x1b', shell.out_len));
	assert_has(shell.out, "{\"secrets\": \"off\"}");
	assert_has(shell.out, "not in force as they stand: secrets");
	assert_has(shell.out, "patterns.json leads to ../../../secret.json (is not followed");
	assert_lacks(shell.out, "treasure");
	assert_has(shell.out, "notes/a.md, 4 bytes");
	assert_has(shell.out, "  Trent <a@example.org>: 1 commit, the last on 2026-11-21\n");
	assert_has(shell.out, "  Mallory \\x1b[2J <a@example.org>: 1 commit, ");
	assert_false(tmpdir_has(&shell.dir, REGISTER));
}

static void test_no_history_is_no_failure(void **state)
{
	(void)state;
	assert_int_equal(unlinkat(shell.dir.fd, "c/.git/refs/heads/main", 0), 0);
	assert_int_equal(shell_run(&shell, "trust", "--show", NULL), 0);
	assert_has(shell.out, "nobody: it is in no commit yet");
	tmpdir_write(&shell.dir, "c/.git/HEAD", "nonsense");
	assert_int_equal(shell_run(&shell, "trust", "--show", NULL), 0);
	assert_has(shell.out, "cannot be said: ");
	trust();
}

static void test_the_programs_own_files_are_named(void **state)
{
	struct repo *repo;
	struct err err;

	(void)state;
	assert_int_equal(repo_open(&repo, sys_real(), project, &err), 0);
	record(repo, "usage.jsonl", "Trent");
	record(repo, ".pending", "Trent");
	repo_close(repo);
	assert_int_equal(shell_run(&shell, "trust", "--show", NULL), 0);
	assert_has(shell.out, "  .pending usage.jsonl (never believed)\n");
}

/* ---- what it does */

static void test_a_trusted_store_is_the_persons_own(void **state)
{
	(void)state;
	trust();
	assert_has(shell.out, "trusted; kota trust --remove takes it back");
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 0);
	assert_lacks(get("task"), "\"from\"");
	assert_lacks(get("a"), "\"from\"");
	shell.cli.terminal = NULL;
	assert_int_equal(shell_run(&shell, "trust", NULL), 0);
	assert_has(shell.out, "you have trusted it since 2026-11-21, and others have changed "
			      "nothing since; nothing to do");
}

/* A pull: other values, a new entry, an archive of theirs. */
static void test_what_others_change_is_marked_until_it_is_trusted(void **state)
{
	char *shown;

	(void)state;
	trust();
	assert_int_equal(shell_run(&shell, "set", "mine", "1", NULL), 0);
	write_there("patterns.json", "{\"lunch\": \"theirs\"}\n");
	write_there("shortcuts.json", "{\"s\": {\n \"value\": \"x\"}}\n");
	write_there("state.json", "{\"task\": \"build\", \"odd\": \"other\"}\n");
	write_there("archive.json", "{\"state\": [{\"key\": \"gone@2026-11-01T00:00:00.000Z\", "
				    "\"originalKey\": \"gone\", \"reason\": \"expiry\", "
				    "\"entry\": {\"value\": \"theirs\"}}]}\n");
	assert_has(get("lunch"), "\"from\": \"changed by others\"");
	assert_has(get("odd"), "\"from\": \"changed by others\"");
	assert_has(get("gone"), "\"from\": \"changed by others\"");
	assert_lacks(get("task"), "\"from\"");
	shell_run(&shell, "search", "theirs", "--json", NULL);
	assert_has(shell.out,
		   "\"ref\": \"patterns:lunch\",\n      \"from\": \"changed by others\"");
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 0);
	shown = screen();
	assert_has(shown, "Entries that others changed\n  patterns:lunch: \"theirs\" (changed by");
	assert_has(shown, "others changed some of them");
	assert_has(shown, "Trust these changes? [y/N]");
	assert_lacks(shown, "task");
	free(shown);
	assert_lacks(get("lunch"), "\"from\"");
	assert_lacks(get("gone"), "\"from\"");
}

/* What a client reads by name. */
static char *resource(const char *uri)
{
	struct mcp_session *session;
	STR_AUTO line = STR_INIT;
	struct place place;
	struct err err;
	char *answer;

	assert_int_equal(place_find(&place, shell.cli.sys, shell.cli.env, NULL, &err), 0);
	session = mcp_session_new_at(shell.cli.sys, shell.cli.env, &place, tools_all(), NULL);
	str_printf(&line,
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":"
		   "{\"uri\":\"memory://%s\"," WIRE_META "}}",
		   uri);
	answer = wire_answer(session, str_slice(&line));
	mcp_session_free(session);
	place_release(&place);
	return answer;
}

static void assert_resource(const char *uri, const char *part, bool has)
{
	char *answer = resource(uri);

	(has ? assert_has : assert_lacks)(answer, part);
	free(answer);
}

static void test_it_is_marked_wherever_a_model_meets_it(void **state)
{
	(void)state;
	trust();
	assert_resource("category/state", "from", false);
	write_there("state.json", "{\"task\": \"build\", \"odd\": \"other\"}\n");
	assert_resource("key/state/odd", "\\\"from\\\": \\\"changed by others\\\"", true);
	assert_resource("key/state/task", "from", false);
	assert_resource("category/state", "\\\"from\\\": \\\"changed by others\\\"", true);
	assert_resource("category/state", "\\\"changed\\\": [\\n    \\\"odd\\\"\\n  ]", true);
	assert_resource("category/state", "\\\"task\\\": \\\"build\\\"", true);
	assert_resource("category/patterns", "from", false);
	assert_int_equal(shell_run(&shell, "prime", NULL), 0);
	assert_has(shell.out, "- (changed by others) odd: other\n");
	assert_has(shell.out, "- task: build\n");
	assert_int_equal(shell_run(&shell, "get", "odd", NULL), 0);
	assert_has(shell.err, "others have changed this since you trusted it");
}

/* Upkeep that keeps what others said does not make it the person's word. */
static void test_what_keeps_their_value_stays_theirs(void **state)
{
	(void)state;
	trust();
	write_there("state.json", "{\"odd\": {\"value\": \"other\"}}\n");
	assert_int_equal(shell_run(&shell, "set", "odd", "other", "--pinned", NULL), 0);
	assert_has(get("odd"), "\"from\": \"changed by others\"");
	assert_int_equal(shell_run(&shell, "set", "odd", "mine", NULL), 0);
	assert_lacks(get("odd"), "\"from\"");
}

/* Settings that are read once more after the answer must be those that were seen. */
static void change_config(void *context)
{
	(void)context;
	write_there("config.json", "{\"secrets\": \"off\"}");
}

static void test_what_changes_while_the_person_looks_is_not_trusted(void **state)
{
	(void)state;
	type("y\n");
	fake_sys_before(FAKE_WRITE, 1, change_config, NULL);
	assert_int_equal(shell_run(&shell, "trust", NULL), 75);
	assert_has(shell.err, "config.json was changed during the review");
	assert_false(tmpdir_has(&shell.dir, REGISTER));
}

static void test_trust_can_be_taken_back(void **state)
{
	(void)state;
	trust();
	assert_int_equal(shell_run(&shell, "trust", "--remove", NULL), 0);
	assert_has(shell.out, "trusted no more; it came with the repository");
	assert_has(get("task"), "\"from\": \"repository\"");
	assert_int_equal(shell_run(&shell, "trust", "--remove", NULL), 1);
	assert_has(shell.err, "was not trusted");
	/* Its list, its lock, and nothing of the store. */
	assert_int_equal(shell_run(&shell, "trust", "--list", NULL), 0);
	assert_string_equal(shell.out, "No store is trusted, and none was made in a project.\n");
}

static void test_the_list(void **state)
{
	STR_AUTO line = STR_INIT;

	(void)state;
	trust();
	str_printf(&line, "%s/data/kota_memory: trusted since 2026-11-21\n", project);
	assert_int_equal(shell_run(&shell, "trust", "--list", NULL), 0);
	assert_string_equal(shell.out, line.ptr);
	shell_env("CLAUDE_PROJECT_DIR", NULL);
	shell_env("KOTA_MEMORY_DIR", shell.store);
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 0);
	assert_int_equal(shell_run(&shell, "trust", "--list", "--json", NULL), 0);
	assert_has(shell.out, "\"trusted\": true,\n      \"since\": \"2026-11-21T");
	assert_has(shell.out, "/store\",\n      \"trusted\": false,\n");
}

/* Its first commit is known when it is made: then the path and that commit tell it. */
static void test_what_was_made_here_is_known_after_a_restore(void **state)
{
	STR_AUTO copy = STR_INIT;

	(void)state;
	shell_env("CLAUDE_PROJECT_DIR", NULL);
	shell_env("KOTA_MEMORY_DIR", shell.store);
	shell_env("KOTA_MEMORY_GIT", "own");
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 0);
	str_printf(&copy, "mv %s %s.old && cp -a %s.old %s && rm -r %s.old", shell.store,
		   shell.store, shell.store, shell.store, shell.store);
	assert_int_equal(system(copy.ptr), 0);
	assert_int_equal(shell_run(&shell, "trust", "--show", NULL), 0);
	assert_has(shell.out, "you made it here on 2026-11-21");
}

/* ---- links */

static void make_own_store_with_link(void)
{
	shell_env("CLAUDE_PROJECT_DIR", NULL);
	shell_env("KOTA_MEMORY_DIR", shell.store);
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 0);
	tmpdir_write(&shell.dir, "real.json", "{\"linked\": \"value\"}");
	assert_int_equal(symlinkat("../real.json", shell.dir.fd, "store/patterns.json"), 0);
}

static void test_a_link_is_followed_once_the_person_says_so(void **state)
{
	char *shown;

	(void)state;
	make_own_store_with_link();
	assert_int_equal(shell_run(&shell, "trust", "--link", "patterns.json", NULL), 1);
	assert_has(shell.err, "no terminal to ask on");
	assert_lacks(get("linked"), "\"value\": \"value\"");
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", "--link", "patterns.json", NULL), 0);
	assert_has(shell.out, "/real.json: recorded");
	shown = screen();
	assert_has(shown, "store/patterns.json leads to ");
	assert_has(shown, "Let kota read and write there? [y/N] ");
	free(shown);
	assert_has(get("linked"), "\"value\": \"value\"");
	shell.cli.terminal = NULL;
	assert_int_equal(shell_run(&shell, "trust", "--link", "patterns.json", NULL), 0);
	assert_has(shell.out, "as recorded; nothing to do");
	assert_int_equal(shell_run(&shell, "trust", "--list", NULL), 0);
	assert_has(shell.out, "\n  patterns.json leads to ");
}

/* Without a file's name all that is there is shown and asked about. */
static void test_trust_records_the_links_that_are_there(void **state)
{
	char *shown;

	(void)state;
	make_own_store_with_link();
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 0);
	shown = screen();
	assert_has(shown, "patterns.json leads to ../real.json (kota reads and writes there, once");
	assert_lacks(shown, "value");
	free(shown);
	assert_has(get("linked"), "\"value\": \"value\"");
	assert_int_equal(shell_run(&shell, "trust", NULL), 0);
	assert_has(shell.out, "nothing to do");
}

static void test_links_that_are_refused(void **state)
{
	(void)state;
	make_own_store_with_link();
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", "--link", "state.json", NULL), 1);
	assert_has(shell.err, "state.json is not a link");
	assert_int_equal(shell_run(&shell, "trust", "--link=usage.jsonl", NULL), 2);
	assert_has(shell.err, "is never followed; choose a file of entries");
	assert_int_equal(symlinkat("nowhere", shell.dir.fd, "store/shortcuts.json"), 0);
	assert_int_equal(shell_run(&shell, "trust", "--link", "shortcuts.json", NULL), 1);
	assert_has(shell.err, "leads nowhere");
	assert_int_equal(shell_run(&shell, "trust", "--link", NULL), 2);
}

static void test_no_link_in_a_store_that_a_repository_tracks(void **state)
{
	(void)state;
	tmpdir_write(&shell.dir, "real.json", "{\"linked\": \"value\"}");
	assert_int_equal(symlinkat("../../../real.json", shell.dir.fd, STORE "/patterns.json"), 0);
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", "--link", "patterns.json", NULL), 1);
	assert_has(shell.err, "is not yours yet");
	trust();
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", "--link", "patterns.json", NULL), 2);
	assert_has(shell.err, "a repository tracks ");
	assert_lacks(get("linked"), "\"value\": \"value\"");
}

/* ---- what cannot be trusted, or need not */

static void test_the_persons_own_place_needs_no_trust(void **state)
{
	(void)state;
	shell_env("CLAUDE_PROJECT_DIR", NULL);
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 0);
	assert_int_equal(shell_run(&shell, "trust", NULL), 0);
	assert_has(shell.out, "it is your own place; nothing to do");
	assert_int_equal(shell_run(&shell, "trust", "--remove", NULL), 2);
	assert_has(shell.err, "needs no trust");
}

static void test_a_store_of_another_user(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: it takes root\n");
		return;
	}
	assert_int_equal(fchownat(shell.dir.fd, STORE "/state.json", 65534, (gid_t)-1, 0), 0);
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 1);
	assert_has(shell.err, "belongs to another user and cannot be trusted");
	assert_false(tmpdir_has(&shell.dir, REGISTER));
}

static void test_no_store(void **state)
{
	(void)state;
	shell_env("CLAUDE_PROJECT_DIR", NULL);
	shell_env("KOTA_MEMORY_DIR", shell.store);
	assert_int_equal(shell_run(&shell, "trust", NULL), 1);
	assert_has(shell.err, "there is no store");
	shell_env("KOTA_MEMORY_DIR", "/etc");
	type("y\n");
	assert_int_equal(shell_run(&shell, "trust", NULL), 1);
	assert_has(shell.err, "/etc: there is no store");
	assert_false(tmpdir_has(&shell.dir, REGISTER));
}

static void test_the_command_line(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "trust", "--show", "--remove", NULL), 2);
	assert_has(shell.err, "use only one of");
	assert_int_equal(shell_run(&shell, "trust", "word", NULL), 2);
	assert_int_equal(shell_run(&shell, "trust", "--json", NULL), 2);
	assert_has(shell.err, "--json needs --list");
	assert_int_equal(shell_run(&shell, "trust", "--shwo", NULL), 2);
	assert_has(shell.err, "--show");
	assert_int_equal(shell_run(&shell, "trust", "--help", NULL), 0);
	assert_has(shell.out, "--link FILE");
	assert_int_equal(shell_run(&shell, "complete", "--", "kota", "trust", "--", NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_a_terminal_nothing_is_trusted),
		TEST(test_there_is_no_switch_that_answers),
		TEST(test_only_yes_is_yes),
		TEST(test_the_review_goes_to_the_terminal_with_the_question),
		TEST(test_what_is_shown),
		TEST(test_no_history_is_no_failure),
		TEST(test_the_programs_own_files_are_named),
		TEST(test_a_trusted_store_is_the_persons_own),
		TEST(test_what_others_change_is_marked_until_it_is_trusted),
		TEST(test_it_is_marked_wherever_a_model_meets_it),
		TEST(test_what_keeps_their_value_stays_theirs),
		TEST(test_what_changes_while_the_person_looks_is_not_trusted),
		TEST(test_trust_can_be_taken_back),
		TEST(test_the_list),
		TEST(test_what_was_made_here_is_known_after_a_restore),
		TEST(test_a_link_is_followed_once_the_person_says_so),
		TEST(test_trust_records_the_links_that_are_there),
		TEST(test_links_that_are_refused),
		TEST(test_no_link_in_a_store_that_a_repository_tracks),
		TEST(test_the_persons_own_place_needs_no_trust),
		TEST(test_a_store_of_another_user),
		TEST(test_no_store),
		TEST(test_the_command_line),
	};

	return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
