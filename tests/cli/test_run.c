#include "cli/args/command.h"
#include "cli/shell_fixture.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* An operation that fails with the code whose slug it is given, and shows what it knows. */
struct fail_args {
	struct slice slug;
};

static const struct param fail_params[] = {
	{PARAM(TEXT, fail_args, slug), .flags = PARAM_POSITIONAL}};

static int fail_run(const struct call *call, const void *args, struct json_writer *w,
		    struct err *err)
{
	const struct fail_args *given = args;

	for (int code = ERR_NONE + 1; code <= ERR_BUSY; code++) {
		if (slice_is(given->slug, err_slug((enum err_code)code)))
			return err_set(err, (enum err_code)code, "so it is");
	}
	json_write_object(w);
	json_write_member_string(w, "tool", slice_of(call->tool));
	json_write_member_string(w, "client", slice_of(call->client));
	json_write_member_string(w, "session", slice_of(call->session ? call->session : "none"));
	json_write_member_int(w, "now", call->now_ms);
	json_write_end(w);
	return 0;
}

static const struct tool fail_tool = {
	.name = "memory_fail",
	.command = "fail",
	.title = "Fail",
	.summary = "Fail.",
	.params = fail_params,
	.param_count = 1,
	.args_size = sizeof(struct fail_args),
	.run = fail_run,
};

static const struct tool *const fail_tools[] = {&fail_tool, NULL};

static void test_walk(void **state)
{
	(void)state;
	assert_int_equal(mkdir(shell.store, 0700), 0);
	assert_int_equal(shell_run(&shell, "set", "editor", "vim", "with", "tabs", NULL), 0);
	assert_string_equal(shell.out, "set state:editor\n");
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "get", "editor", NULL), 0);
	assert_string_equal(shell.out, "vim with tabs\n");
	assert_int_equal(shell_run(&shell, "update", "editor", "always", NULL), 0);
	assert_string_equal(shell.out, "updated state:editor\n");
	assert_int_equal(shell_run(&shell, "update", "editor", "always", NULL), 0);
	assert_string_equal(shell.out, "state:editor says so already\n");
	assert_int_equal(shell_run(&shell, "mv", "editor", "preferences:Editor", NULL), 0);
	assert_string_equal(shell.out, "moved state:editor to preferences:Editor\n");
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_string_equal(shell.out, "preferences:Editor\n");
	assert_int_equal(shell_run(&shell, "list", "state", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_int_equal(shell_run(&shell, "delete", "editor", NULL), 0);
	assert_string_equal(shell.out, "deleted preferences:Editor\n");
	assert_int_equal(shell_run(&shell, "notes", "went", "well", NULL), 0);
	assert_string_equal(shell.out, "saved state:conversation_notes\n");
	assert_int_equal(shell_run(&shell, "clear-state", NULL), 0);
	assert_string_equal(shell.out, "cleared state: 1 entry archived\n");
	assert_int_equal(shell_run(&shell, "clear-state", NULL), 0);
	assert_string_equal(shell.out, "state is empty already\n");
	assert_int_equal(shell_run(&shell, "archived", NULL), 0);
	assert_non_null(strstr(shell.out, "preferences:Editor@2026-"));
	assert_non_null(strstr(shell.out, "state:conversation_notes@2026-"));
}

/* Nothing is found in a store that is not there, and whoever named it hears of that. */
static void test_named_store_is_absent(void **state)
{
	static const char *const words[][3] = {
		{"get", "anything"}, {"search", "anything"}, {"list"},   {"stats"},
		{"prime"},           {"archived"},           {"export"}, {"log"}};
	char sentence[PATH_MAX + 128];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		snprintf(sentence, sizeof sentence,
			 "kota: %s: there is no %s (KOTA_MEMORY_DIR); the first kota set creates "
			 "it\n",
			 words[i][0], shell.store);
		assert_int_equal(shell_run(&shell, words[i][0], words[i][1], NULL), 1);
		assert_string_equal(shell.err, sentence);
		assert_string_equal(shell.out, "");
		assert_false(tmpdir_has(&shell.dir, "store"));
	}
	/* Nobody has named the person's own place. */
	shell_env("KOTA_MEMORY_DIR", NULL);
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "get", "anything", NULL), 1);
	assert_string_equal(shell.err, "kota: get: nothing found\n");
}

/* Somebody else's folder: nothing of it is read as a memory, and nothing is made in it. */
static void test_named_folder_is_no_store(void **state)
{
	(void)state;
	shell_write(&shell, "letter.txt", "Dear Sir");
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_non_null(strstr(shell.err, "store is not a memory store and not empty "
					  "(it has letter.txt): "));
	assert_int_equal(shell_run(&shell, "get", "a", NULL), 1);
	assert_int_equal(shell_run(&shell, "search", "a", NULL), 1);
	assert_int_equal(shell_run(&shell, "prime", NULL), 0);
	assert_int_equal(shell_run(&shell, "set", "a", "b", NULL), 65);
	assert_string_equal(shell.out, "");
	assert_non_null(strstr(shell.err, "kota: set: "));
	assert_non_null(strstr(shell.err, "is not a memory store"));
	assert_int_equal(shell_run(&shell, "init", "--dir", shell.store, NULL), 65);
	assert_int_equal(shell_run(&shell, "doctor", "--fix", NULL), 65);
	assert_non_null(strstr(shell.out, "is not a memory store"));
	/* Removing fails where something was made in it. */
	assert_int_equal(unlinkat(shell.dir.fd, "store/letter.txt", 0), 0);
	assert_int_equal(unlinkat(shell.dir.fd, "store", AT_REMOVEDIR), 0);
}

static void test_nothing_found(void **state)
{
	(void)state;
	shell_write(&shell, "state.json", "{}");
	assert_int_equal(shell_run(&shell, "get", "anything", NULL), 1);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "kota: get: nothing found\n");
	assert_int_equal(shell_run(&shell, "get", "anything", "--json", NULL), 1);
	assert_string_equal(shell.out, "{\n  \"result\": null\n}\n");
	assert_int_equal(shell_run(&shell, "delete", "anything", NULL), 1);
	assert_true(strncmp(shell.err, "kota: delete: KEY: \"anything\"", 28) == 0);
}

static void test_input(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "b", "-", NULL), 2);
	assert_string_equal(shell.err,
			    "kota: set: VALUE: standard input is empty; give '\"\"' for an "
			    "empty text\n");
	shell.input = slice_of("{\"a\":\n1.0}\n");
	assert_int_equal(shell_run(&shell, "set", "doc", "-", NULL), 0);
	assert_int_equal(shell_run(&shell, "get", "doc", NULL), 0);
	assert_string_equal(shell.out, "{\n  \"a\": 1.0\n}\n");
	assert_int_equal(shell_run(&shell, "--json", "get", "doc", NULL), 0);
	assert_non_null(strstr(shell.out, "\"value\": {\n    \"a\": 1.0\n  }"));
}

/* What was there is told, under whatever spelling it was replaced. */
static void test_set_says_what_it_replaced(void **state)
{
	(void)state;
	shell_run(&shell, "set", "Main Editor", "vim", NULL);
	assert_int_equal(shell_run(&shell, "set", "Main Editor", "vim", NULL), 0);
	assert_string_equal(shell.out, "set state:Main Editor\n");
	assert_int_equal(shell_run(&shell, "set", "Main Editor", "false", NULL), 0);
	assert_string_equal(shell.out, "set state:Main Editor, replaced \"vim\"\n");
	assert_int_equal(shell_run(&shell, "set", "main_editor", "false", NULL), 0);
	assert_string_equal(shell.out, "set state:Main Editor, replaced false\n");
}

/* Done as it was typed, and said on standard error; an agent's call is no typing error. */
static void test_hints(void **state)
{
	(void)state;
	shell_run(&shell, "set", "a", "1", NULL);
	assert_int_equal(shell_run(&shell, "set", "draft", "{'a':1", NULL), 0);
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "set", "draft", "{\"a\":1", NULL), 0);
	assert_string_equal(shell.out, "set state:draft, replaced \"{'a':1\"\n");
	assert_string_equal(shell.err,
			    "kota: set: VALUE looks like JSON but is none (1:7: ends in the "
			    "middle of an object): taken as text\n");
	assert_int_equal(shell_run(&shell, "set", "prefs:theme", "dark", NULL), 0);
	assert_string_equal(shell.out, "set preferences:prefs:theme\n");
	assert_string_equal(shell.err,
			    "kota: set: \"prefs\" is not a category: stored as "
			    "preferences:prefs:theme; the categories are preferences, connections, "
			    "patterns, shortcuts, state\n");
	assert_int_equal(shell_run(&shell, "set", "prefs:theme", "light", NULL), 0);
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "set", "todo: call", "Ada", NULL), 0);
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "set", "http://x", "y", "--category", "state", NULL), 0);
	assert_string_equal(shell.err, "");
}

/* What is piped into an import is read once, however often the source is gone through. */
static void test_import_of_standard_input(void **state)
{
	char *exported;

	(void)state;
	shell_run(&shell, "set", "a", "1", NULL);
	shell_run(&shell, "set", "b", "2", NULL);
	assert_int_equal(shell_run(&shell, "export", NULL), 0);
	exported = strdup(shell.out);
	shell_run(&shell, "delete", "b", NULL);
	shell.input = slice_of(exported);
	assert_int_equal(shell_run(&shell, "import", "-", "--yes", NULL), 0);
	assert_string_equal(shell.out, "added state:b\ntook 1 of 2: 1 there already\n");
	shell.input = slice_of("# Pages\n\nSome text of it\n");
	assert_int_equal(shell_run(&shell, "import", "-", "--format", "markdown", NULL), 0);
	assert_non_null(strstr(shell.out, "would take 1 of 1"));
	free(exported);
}

static void test_every_exit_status(void **state)
{
	(void)state;
	shell.tools = fail_tools;
	for (int code = ERR_NONE + 1; code <= ERR_BUSY; code++) {
		const char *slug = err_slug((enum err_code)code);

		assert_int_equal(shell_run(&shell, "fail", slug, NULL),
				 err_exit_status((enum err_code)code));
		assert_string_equal(shell.out, "");
		assert_string_equal(shell.err, "kota: fail: so it is\n");
	}
}

static void test_usage(void **state)
{
	static const struct {
		const char *words[4];
		const char *err;
	} lines[] = {
		{{"gte", "x"},
		 "kota: unknown command \"gte\"; did you mean get? "
		 "kota help lists all commands\n"},
		{{"frobnicate"},
		 "kota: unknown command \"frobnicate\"; kota help lists all commands\n"},
		{{"\x1b[31m"},
		 "kota: unknown command \"\\x1b[31m\"; kota help lists all commands\n"},
		{{"set"}, "kota: set: KEY: missing; give a short name, or category:key\n"},
		{{"--verson"},
		 "kota: unknown option --verson; did you mean --version? "
		 "kota help lists the options\n"},
		{{"--dir"}, "kota: --dir needs a value\n"},
		{{"doctor", "x"},
		 "kota: doctor: unexpected argument \"x\"; see kota help doctor\n"},
		{{"doctor", "--nonsense"},
		 "kota: doctor: unknown option --nonsense; "
		 "kota help doctor lists the options\n"},
		{{"help", "gte"},
		 "kota: help: unknown command \"gte\"; kota help lists all commands\n"},
		{{"help", "a", "b"}, "kota: help: unexpected argument \"b\"; see kota help help\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		assert_int_equal(shell_run(&shell, lines[i].words[0], lines[i].words[1],
					   lines[i].words[2], lines[i].words[3], NULL),
				 2);
		assert_string_equal(shell.err, lines[i].err);
		assert_string_equal(shell.out, "");
	}
	assert_int_equal(shell_run(&shell, "list", "colours", NULL), 2);
	assert_non_null(strstr(shell.err, "CATEGORY: \"colours\" is none of preferences,"));
}

/* In two parts, so that nobody takes a test for a leak. */
#define TOKEN                                                                                      \
	"ghp"                                                                                      \
	"_8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa"

static void test_broken_file_is_named(void **state)
{
	char *text;

	(void)state;
	shell_write(&shell, "state.json", "{\n  \"a\": 1,\n}\n");
	assert_int_equal(shell_run(&shell, "set", "state:a", "2", NULL), 65);
	assert_non_null(strstr(shell.err, "state.json:2:9: "));
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_non_null(strstr(shell.err, "kota: list: warning: "));
	assert_non_null(strstr(shell.err, "state.json:2:9: "));
	text = shell_read(&shell, "state.json");
	assert_string_equal(text, "{\n  \"a\": 1,\n}\n");
	free(text);
}

/* Nor does a sentence about a file repeat a secret of it. */
static void test_broken_file_keeps_its_secret(void **state)
{
	(void)state;
	shell_write(&shell, "state.json", TOKEN "\n");
	assert_int_equal(shell_run(&shell, "set", "state:a", "2", NULL), 65);
	assert_non_null(strstr(shell.err, "state.json:1:1: \"[withheld: GitHub token]\" without"));
	assert_null(strstr(shell.err, TOKEN));
	assert_int_equal(shell_run(&shell, "list", "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "[withheld: GitHub token]"));
	assert_null(strstr(shell.out, TOKEN));
	assert_int_equal(shell_run(&shell, "doctor", NULL), 65);
	assert_non_null(strstr(shell.out, "[withheld: GitHub token]"));
	assert_null(strstr(shell.out, TOKEN));
	assert_int_equal(shell_run(&shell, TOKEN, NULL), 2);
	assert_non_null(strstr(shell.err, "unknown command \"[withheld: GitHub token]\""));
	assert_null(strstr(shell.err, TOKEN));
}

static void test_too_deep(void **state)
{
	char deep[101];

	(void)state;
	memset(deep, '[', 50);
	memset(deep + 50, ']', 50);
	deep[100] = '\0';
	assert_int_equal(shell_run(&shell, "set", "a", deep, NULL), 65);
	assert_true(strncmp(shell.err, "kota: set: the arguments are too large: ", 40) == 0);
	assert_int_equal(shell_run(&shell, "get", "a", NULL), 1);
}

static void test_busy(void **state)
{
	char path[PATH_MAX + 32];
	int fd;

	(void)state;
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	snprintf(path, sizeof path, "%s/.lock", shell.store);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(shell_run(&shell, "set", "a", "2", NULL), 75);
	assert_true(strncmp(shell.err, "kota: set: another process", 26) == 0);
	assert_int_equal(shell_run(&shell, "get", "a", NULL), 0);
	assert_string_equal(shell.out, "1\n");
	close(fd);
}

static void test_full_disk(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	fake_sys_fail(FAKE_WRITE, 1, ENOSPC, FAKE_ALWAYS);
	assert_int_equal(shell_run(&shell, "set", "a", "2", NULL), 73);
	assert_non_null(strstr(shell.err, "No space left on device"));
}

static void test_meta(void **state)
{
	(void)state;
	shell.tools = fail_tools;
	assert_int_equal(shell_run(&shell, "fail", NULL), 0);
	assert_string_equal(shell.out, "{\n  \"tool\": \"memory_fail\",\n  \"client\": \"kota\",\n"
				       "  \"session\": \"none\",\n  \"now\": 1795253400000\n}\n");
	shell_env("CLAUDE_CODE_SESSION_ID", "s1");
	assert_int_equal(shell_run(&shell, "fail", NULL), 0);
	assert_non_null(strstr(shell.out, "\"session\": \"s1\""));
}

static void test_dir(void **state)
{
	char path[PATH_MAX + 16];

	(void)state;
	snprintf(path, sizeof path, "%s/other", shell.dir.path);
	assert_int_equal(shell_run(&shell, "--dir", path, "set", "a", "1", NULL), 0);
	assert_true(tmpdir_has(&shell.dir, "other/state.json"));
	assert_false(tmpdir_has(&shell.dir, "store"));
	assert_int_equal(shell_run(&shell, "get", "a", "--dir", path, NULL), 0);
	assert_int_equal(shell_run(&shell, "get", "a", NULL), 1);
}

static void test_no_place(void **state)
{
	(void)state;
	shell_env("KOTA_MEMORY_DIR", NULL);
	shell_env("HOME", NULL);
	assert_int_equal(shell_run(&shell, "list", NULL), 2);
	assert_non_null(strstr(shell.err, "--dir or KOTA_MEMORY_DIR"));
	assert_int_equal(shell_run(&shell, "help", NULL), 0);
	assert_int_equal(shell_run(&shell, "doctor", NULL), 2);
}

static void test_output_fails(void **state)
{
	(void)state;
	shell.cli.out = fopen("/dev/full", "w");
	assert_int_equal(shell_run(&shell, "version", NULL), 74);
	assert_string_equal(shell.err, "kota: version: cannot write to standard output: "
				       "No space left on device\n");
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 74);
	fclose(shell.cli.out);
	shell.cli.out = NULL;
	assert_int_equal(shell_run(&shell, "get", "a", NULL), 0);
}

static void test_reader_went_away(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	shell.cli.out = fdopen(ends[1], "w");
	assert_int_equal(shell_run(&shell, "help", NULL), 74);
	assert_string_equal(shell.err, "");
	fclose(shell.cli.out);
	shell.cli.out = NULL;
}

static void test_no_escape_reaches_a_terminal(void **state)
{
	static const char *const commands[] = {"get", "list", "archived", "delete", "doctor"};

	(void)state;
	shell_env("NO_COLOR", "1");
	shell_write(&shell, "state.json",
		    "{\"a\\u001b[2Jb\":\"x\\u001b]0;t\\u0007y\\u009bz\",\"c\":[\"\\u202e\","
		    "\"\xe2\x80\xae\"]}");
	for (int terminal = 0; terminal < 2; terminal++) {
		for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
			const char *word = i == 0 || i == 3 ? "a\x1b[2Jb" : NULL;

			shell.cli.out_is_terminal = terminal;
			shell_run(&shell, commands[i], word, NULL);
			assert_null(strchr(shell.err, '\x1b'));
			/* The value is given as it is where it is piped. */
			if (i > 0 || terminal)
				assert_null(strchr(shell.out, '\x1b'));
		}
	}
	shell.cli.out_is_terminal = true;
	shell_run(&shell, "get", "state:c", NULL);
	assert_null(strstr(shell.out, "\xe2\x80\xae"));
	shell_run(&shell, "get", "c", "--json", NULL);
	assert_null(strstr(shell.out, "\xe2\x80\xae"));
}

static void test_help_everywhere(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, NULL), 2);
	assert_non_null(strstr(shell.out, "usage: kota"));
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "--help", NULL), 0);
	assert_int_equal(shell_run(&shell, "set", "x", "--help", NULL), 0);
	assert_non_null(strstr(shell.out, "usage: kota set KEY VALUE"));
	assert_int_equal(shell_run(&shell, "doctor", "--help", NULL), 0);
	assert_non_null(strstr(shell.out, "usage: kota doctor [--fix [--dry-run]] [--all]\n"));
	assert_int_equal(shell_run(&shell, "--version", NULL), 0);
	assert_true(strncmp(shell.out, "kota ", 5) == 0);
	assert_int_equal(shell_run(&shell, "version", "--json", NULL), 0);
	assert_true(strncmp(shell.out, "{\n  \"version\": \"", 16) == 0);
}

static void test_secrets(void **state)
{
	char *text;

	(void)state;
	assert_int_equal(shell_run(&shell, "set", "a", TOKEN, NULL), 2);
	assert_string_equal(shell.err, "kota: set: VALUE: holds a secret (GitHub token); leave it "
				       "out, or keep it with --allow-secret\n");
	assert_false(tmpdir_has(&shell.dir, "store"));
	assert_int_equal(shell_run(&shell, "set", "a", "1", "--tags", TOKEN, NULL), 2);
	assert_int_equal(shell_run(&shell, "set", "a", TOKEN, "--no-allow-secret", NULL), 2);
	shell.input = slice_of(TOKEN "\n");
	assert_int_equal(shell_run(&shell, "set", "a", "-", NULL), 2);
	assert_int_equal(mkdir(shell.store, 0700), 0);
	assert_int_equal(shell_run(&shell, "set", "a", TOKEN, "--allow-secret", NULL), 0);
	assert_string_equal(shell.err, "");
	text = shell_read(&shell, "state.json");
	assert_non_null(strstr(text, TOKEN));
	free(text);
	assert_int_equal(shell_run(&shell, "update", "a", TOKEN "x", NULL), 2);
	assert_int_equal(shell_run(&shell, "update", "--allow-secret", "a", TOKEN "x", NULL), 0);
	assert_int_equal(shell_run(&shell, "notes", TOKEN, NULL), 2);
	assert_int_equal(shell_run(&shell, "notes", TOKEN, "--allow-secret", NULL), 0);
	assert_int_equal(shell_run(&shell, "mv", "a", TOKEN, NULL), 2);
	assert_int_equal(shell_run(&shell, "mv", "--allow-secret", "a", TOKEN, NULL), 0);
	shell_env("KOTA_MEMORY_SECRETS", "warn");
	assert_int_equal(shell_run(&shell, "set", "b", TOKEN, NULL), 0);
	assert_string_equal(shell.out, "set state:b\n");
	assert_string_equal(shell.err,
			    "kota: set: warning: value: holds a secret (GitHub token), which "
			    "everything that reads the store can read\n");
}

/* Errors of operations name arguments; who types sees options, also in the middle of a sentence. */
static void test_options_as_typed(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "merge", NULL), 2);
	assert_string_equal(shell.err,
			    "kota: merge: REFS: missing; give two or more, or --auto-detect\n");
	assert_int_equal(shell_run(&shell, "promote", "auto_detect", NULL), 1);
	assert_non_null(strstr(shell.err, "\"auto_detect\""));
	assert_int_equal(shell_run(&shell, "search", "--window-days", "x", NULL), 2);
	assert_string_equal(shell.err, "kota: search: --window-days needs a number, 0 to 36500\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walk, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_named_store_is_absent, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_named_folder_is_no_store, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_found, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_input, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_set_says_what_it_replaced, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_hints, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_import_of_standard_input, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_every_exit_status, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_usage, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_broken_file_is_named, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_broken_file_keeps_its_secret, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_too_deep, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_busy, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_full_disk, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_meta, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_dir, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_no_place, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_output_fails, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_reader_went_away, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_no_escape_reaches_a_terminal, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_help_everywhere, shell_set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(test_secrets, shell_set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_options_as_typed, shell_set_up,
						shell_tear_down),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
