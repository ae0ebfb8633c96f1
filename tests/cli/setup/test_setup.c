#include "cli/setup/clients.h"
#include "cli/shell_fixture.h"
#include "support/fake_sys.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static char program[PATH_MAX];

static int set_up(void **state)
{
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

	(void)state;
	assert_true(len > 0);
	program[len] = '\0';
	shell_init(&shell);
	return 0;
}

static void check_file(const char *name, const char *wanted)
{
	char *text = tmpdir_read(&shell.dir, name);

	if (!wanted != !text)
		fail_msg("%s: %s", name, text ? text : "not there");
	if (wanted)
		assert_string_equal(text, wanted);
	free(text);
}

static void check_begins(const char *wanted)
{
	if (strncmp(shell.out, wanted, strlen(wanted)) != 0)
		fail_msg("%s", shell.out);
}

static bool has(const char *name, const char *part)
{
	char *text = tmpdir_read(&shell.dir, name);
	bool found = text && strstr(text, part);

	free(text);
	return found;
}

/* A file of each client as people have it, and where it is. */
struct example {
	const char *client;
	const char *scope;
	const char *folder; /* to be made, or NULL */
	const char *file;
	const char *text;
};

static const struct example examples[] = {
	{"claude", "--user", NULL, ".claude.json",
	 "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": "
	 "\"x\"\n"
	 "    }\n  },\n  \"projects\": {}\n}"},
	{"claude", "--local", NULL, ".claude.json",
	 "{\n  \"numStartups\": 3,\n  \"projects\": {}\n}"},
	{"claude", "--project", NULL, ".mcp.json",
	 "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"url\": \"http://x//y\"}\r\n\t}\r\n}\r\n"},
	{"codex", "--user", ".codex", ".codex/config.toml",
	 "model = \"o\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n"},
	{"codex", "--project", ".codex", ".codex/config.toml", "[profiles.a]\nb = '''\n[c]'''"},
	{"gemini", "--user", ".gemini", ".gemini/settings.json",
	 "\xEF\xBB\xBF{\n  // how it looks\n  \"ui\": {\"theme\": \"dark\",}, // yes\n}\n"},
	{"gemini", "--project", ".gemini", ".gemini/settings.json", "{}\n"},
	{"vscode", "--project", ".vscode", ".vscode/mcp.json",
	 "{\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"a\": {}, // b\n\t\t/* \"memory\": {} */\n"
	 "\t},\n}\n"},
	{"cursor", "--user", ".cursor", ".cursor/mcp.json", "{\"mcpServers\": {\"a\": {}}}"},
	{"cursor", "--project", ".cursor", ".cursor/mcp.json", NULL},
	{"opencode", "--user", NULL, ".config/opencode/opencode.json", NULL},
	{"opencode", "--project", NULL, "opencode.json",
	 "{\n  \"$schema\": \"https://opencode.ai/config.json\", // mine\n  \"mcp\": {\n"
	 "    \"a\": {\"type\": \"local\", \"command\": [\"x\"]},\n  },\n}\n"},
	{"claude-desktop", "--user", NULL, ".config/Claude/claude_desktop_config.json", NULL},
};

static void check_example(const struct example *example)
{
	char *after;

	if (example->folder)
		mkdir(example->folder, 0755);
	if (example->text)
		tmpdir_write(&shell.dir, example->file, example->text);
	assert_int_equal(
		shell_run(&shell, "setup", example->client, example->scope, "--check", NULL), 1);
	assert_non_null(strstr(shell.out, "server missing"));
	assert_int_equal(shell_run(&shell, "setup", example->client, example->scope, NULL), 0);
	assert_non_null(strstr(shell.out, example->file));
	assert_non_null(strstr(shell.out, ": server added\n"));
	assert_non_null(strstr(shell.out, program));
	after = tmpdir_read(&shell.dir, example->file);
	assert_non_null(strstr(after, program));
	assert_int_equal(shell_run(&shell, "setup", example->client, example->scope, NULL), 0);
	assert_non_null(strstr(shell.out, "server already there\n"));
	check_file(example->file, after);
	free(after);
	assert_int_equal(
		shell_run(&shell, "setup", example->client, example->scope, "--check", NULL), 0);
	assert_non_null(strstr(shell.out, "server registered: "));
	assert_int_equal(
		shell_run(&shell, "setup", example->client, example->scope, "--remove", NULL), 0);
	assert_non_null(strstr(shell.out, "server removed\n"));
	check_file(example->file, example->text);
	assert_int_equal(
		shell_run(&shell, "setup", example->client, example->scope, "--remove", NULL), 0);
	assert_non_null(strstr(shell.out, "server not there\n"));
	check_file(example->file, example->text);
	unlink(example->file);
}

static void test_there_and_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		check_example(&examples[i]);
}

static void test_what_claude_gets(void **state)
{
	char wanted[PATH_MAX + 256];

	(void)state;
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 0);
	snprintf(
		wanted, sizeof wanted,
		"{\n  \"mcpServers\": {\n    \"memory\": {\n      \"type\": \"stdio\",\n"
		"      \"command\": \"%s\",\n      \"args\": [\n        \"serve\"\n      ]\n    }\n"
		"  }\n}\n",
		program);
	check_file(".claude.json", wanted);
}

/* The client knows a project by its repository, however deep one is in it. */
static void test_local_is_the_repository(void **state)
{
	char wanted[PATH_MAX + 64];

	(void)state;
	mkdir(".git", 0755);
	mkdir("sub", 0755);
	assert_int_equal(chdir("sub"), 0);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--local", NULL), 0);
	snprintf(wanted, sizeof wanted, "    \"%s\": {\n      \"mcpServers\"", shell.dir.path);
	assert_true(has(".claude.json", wanted));
}

#define SETTINGS                                                                                   \
	"{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n"            \
	"        \"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]\n      }\n    ]\n  "  \
	"}\n}\n"

static void test_hooks(void **state)
{
	(void)state;
	mkdir(".claude", 0755);
	tmpdir_write(&shell.dir, ".claude/settings.json", SETTINGS);
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 0);
	check_file(".claude/settings.json", SETTINGS);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", NULL), 0);
	assert_non_null(strstr(shell.out, ": hook missing"));
	assert_null(strstr(shell.out, "end hook"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", "--hooks", NULL), 1);
	assert_non_null(strstr(shell.out, ": end hook missing"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--hooks", NULL), 0);
	assert_non_null(strstr(shell.out, "server already there"));
	assert_non_null(strstr(shell.out, ": hook added"));
	assert_non_null(strstr(shell.out, ": end hook added"));
	assert_true(
		has(".claude/settings.json", "    \"SessionEnd\": [\n      {\n        \"hooks\""));
	assert_true(has(".claude/settings.json", "\"session-end\""));
	assert_true(has(".claude/settings.json",
			"        \"matcher\": \"startup|resume|clear|compact|fork\",\n"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", "--hooks", NULL), 0);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--hooks", NULL), 0);
	assert_non_null(strstr(shell.out, ": hook already there"));
	assert_non_null(strstr(shell.out, "end hook already there"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--remove", NULL), 0);
	assert_non_null(strstr(shell.out, "end hook removed"));
	check_file(".claude/settings.json", SETTINGS);
	check_file(".claude.json", NULL);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--remove", NULL), 0);
	assert_null(strstr(shell.out, "end hook"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--local", "--hooks", NULL), 0);
	assert_true(has(".claude/settings.local.json", "session-start"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--local", "--remove", NULL), 0);
	check_file(".claude/settings.local.json", NULL);
}

/* Notes as Claude Code writes them, for a project at this path. */
static void write_note(const char *project, const char *name, const char *text)
{
	STR_AUTO path = STR_INIT;

	mkdir(".claude", 0755);
	mkdir(".claude/projects", 0755);
	str_printf(&path, ".claude/projects/%s", project);
	mkdir(path.ptr, 0755);
	str_adds(&path, "/memory");
	mkdir(path.ptr, 0755);
	str_printf(&path, "/%s", name);
	tmpdir_write(&shell.dir, path.ptr, text);
}

/* How the client calls the folder that the tests run in. */
static const char *own_project(void)
{
	static char name[PATH_MAX];

	snprintf(name, sizeof name, "%s", shell.dir.path);
	for (char *at = name; *at; at++)
		*at = isalnum((unsigned char)*at) ? *at : '-';
	return name;
}

#define NOTE                                                                                       \
	"---\nname: package manager\ndescription: pnpm, never npm\ntype: feedback\n---\n"          \
	"Use pnpm here.\n"

/* What the client has noted is taken over before it is told to note no more. */
static void test_only_memory(void **state)
{
	(void)state;
	write_note(own_project(), "pnpm.md", NOTE);
	write_note("-else", "proxy.md", "# Proxy\n\nRestart it first.\n");
	write_note("-else", "../no-memory", "x");
	tmpdir_write(&shell.dir, ".claude/settings.json", SETTINGS);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--only-memory", NULL), 2);
	assert_non_null(strstr(shell.err, "there is no terminal to ask on; --yes does it"));
	assert_non_null(strstr(shell.out, "package manager"));
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("n\n");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--only-memory", NULL), 2);
	assert_non_null(strstr(shell.err, "Import the notes of 2 folders, and turn Claude Code's "
					  "own memory off in "));
	check_file(".claude/settings.json", SETTINGS);
	check_file(".claude.json", NULL);
	assert_int_equal(shell_run(&shell, "list", NULL), 1);
	assert_string_equal(shell.out, "");
	shell.input = slice_of("y\n");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--only-memory", NULL), 0);
	assert_non_null(strstr(shell.out, "settings.json: own memory turned off\n"));
	assert_true(has(".claude/settings.json", "\"autoMemoryEnabled\": false"));
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_string_equal(shell.out, "preferences:package manager\nstate:proxy\n");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", "--only-memory", NULL), 0);
	assert_non_null(strstr(shell.out, "own memory off\n"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--remove", NULL), 0);
	assert_non_null(strstr(shell.out, "own memory turned on again\n"));
	check_file(".claude/settings.json", SETTINGS);
}

/* In a project's scope only its own notes; and a value that somebody gave the setting is theirs. */
static void test_only_memory_of_a_project(void **state)
{
	(void)state;
	write_note(own_project(), "pnpm.md", NOTE);
	write_note("-else", "proxy.md", "# Proxy\n\nRestart it first.\n");
	tmpdir_write(&shell.dir, ".claude/settings.local.json", "{\"autoMemoryEnabled\": true}\n");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--local", "--remove", NULL), 0);
	check_file(".claude/settings.local.json", "{\"autoMemoryEnabled\": true}\n");
	assert_int_equal(
		shell_run(&shell, "setup", "claude", "--local", "--only-memory", "--check", NULL),
		1);
	assert_non_null(strstr(shell.out, "own memory on\n"));
	assert_int_equal(
		shell_run(&shell, "setup", "claude", "--local", "--only-memory", "--yes", NULL), 0);
	check_file(".claude/settings.local.json", "{\"autoMemoryEnabled\": false}\n");
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_string_equal(shell.out, "preferences:package manager\n");
}

/* Notes in a folder that the settings name; and none at all. */
static void test_only_memory_elsewhere(void **state)
{
	(void)state;
	mkdir(".claude", 0755);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--only-memory", "--yes", NULL), 0);
	assert_non_null(strstr(shell.err, "Claude Code has no notes of its own here"));
	mkdir("notes", 0755);
	tmpdir_write(&shell.dir, "notes/pnpm.md", NOTE);
	tmpdir_write(&shell.dir, ".claude/settings.json", "{\"autoMemoryDirectory\": \"~/notes\"}");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--only-memory", "--yes", NULL), 0);
	assert_int_equal(shell_run(&shell, "list", NULL), 0);
	assert_string_equal(shell.out, "preferences:package manager\n");
}

/* Each client in its own form: a line of the shell, and Gemini CLI's milliseconds and events. */
static void test_hooks_of_others(void **state)
{
	static const struct {
		const char *client;
		const char *file;
		const char *timeout;
		const char *prompt;
	} rows[] = {
		{"codex", ".codex/hooks.json", "\"timeout\": 5\n", "\"UserPromptSubmit\": ["},
		{"gemini", ".gemini/settings.json", "\"timeout\": 5000\n", "\"BeforeAgent\": ["},
	};
	STR_AUTO line = STR_INIT;

	(void)state;
	str_printf(&line, "\"command\": \"%s hook user-prompt\"", program);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *client = rows[i].client;

		assert_int_equal(shell_run(&shell, "setup", client, "--hooks", NULL), 0);
		assert_true(has(rows[i].file, "hook session-start\""));
		assert_true(has(rows[i].file, "\"SessionEnd\": ["));
		assert_true(has(rows[i].file, "hook session-end\""));
		assert_false(has(rows[i].file, rows[i].prompt));
		assert_false(has(rows[i].file, "matcher"));
		assert_int_equal(
			shell_run(&shell, "setup", client, "--check", "--hooks=prompt", NULL), 1);
		assert_int_equal(shell_run(&shell, "setup", client, "--hooks=prompt", NULL), 0);
		assert_non_null(strstr(shell.out, "hook already there"));
		assert_non_null(strstr(shell.out, "prompt hook added"));
		assert_true(has(rows[i].file, rows[i].timeout));
		assert_true(has(rows[i].file, rows[i].prompt));
		assert_true(has(rows[i].file, line.ptr));
		assert_int_equal(
			shell_run(&shell, "setup", client, "--check", "--hooks=prompt", NULL), 0);
		assert_int_equal(shell_run(&shell, "setup", client, "--remove", NULL), 0);
		check_file(rows[i].file, NULL);
	}
}

/* A line of the shell is read as it was written, whatever the path. */
static void test_a_line_of_the_shell(void **state)
{
	static const struct {
		const char *path;
		const char *line;
	} rows[] = {
		{"/usr/bin/kota", "/usr/bin/kota hook session-start"},
		{"/a b/kota", "'/a b/kota' hook session-start"},
		{"/it's/kota", "'/it'\\''s/kota' hook session-start"},
		{"/$HOME;x/kota", "'/$HOME;x/kota' hook session-start"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		STR_AUTO line = STR_INIT;
		STR_AUTO path = STR_INIT;

		setup_add_hook_line(&line, EVENT_START, slice_of(rows[i].path));
		assert_string_equal(line.ptr, rows[i].line);
		assert_true(setup_hook_program(str_slice(&line), EVENT_START, &path));
		assert_string_equal(path.ptr, rows[i].path);
		assert_false(setup_hook_program(str_slice(&line), EVENT_PROMPT, &path));
	}
}

/* Another kota is replaced by this one; what else was said there stays. */
static void test_a_path_that_moved(void **state)
{
	(void)state;
	tmpdir_write(&shell.dir, ".claude.json",
		     "{\"mcpServers\": {\"memory\": {\"env\": {\"A\": \"b\"}, \"command\": "
		     "\"/old/kota\", \"args\": [\"serve\", \"--tools\", \"core\"]}}}");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", NULL), 1);
	assert_non_null(strstr(shell.out, "server another path: /old/kota serve --tools core\n"));
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 0);
	assert_non_null(strstr(shell.out, "server changed\n"));
	assert_false(has(".claude.json", "/old"));
	assert_true(has(".claude.json", "\"args\": [\"serve\", \"--tools\", \"core\"]}}}"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", NULL), 0);
	mkdir(".codex", 0755);
	tmpdir_write(&shell.dir, ".codex/config.toml",
		     "[mcp_servers.memory]\ncommand = '/old/kota' # x\nargs = [\"serve\"]\n");
	assert_int_equal(shell_run(&shell, "setup", "codex", NULL), 0);
	assert_true(has(".codex/config.toml", "\" # x\nargs"));
	assert_int_equal(shell_run(&shell, "setup", "codex", "--check", NULL), 0);
}

/* Another server of this name is somebody's choice. */
static void test_what_is_not_ours(void **state)
{
	const char *text =
		"{\"mcpServers\": {\"memory\": {\"command\": \"npx\", \"args\": [\"m\"]}}}";

	(void)state;
	tmpdir_write(&shell.dir, ".claude.json", text);
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 1);
	assert_non_null(strstr(shell.err, "\"memory\" is something else there (npx m)"));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--remove", NULL), 1);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--check", NULL), 1);
	check_file(".claude.json", text);
}

/* Nothing is written while one of the two files is broken. */
static void test_a_broken_file(void **state)
{
	(void)state;
	mkdir(".claude", 0755);
	tmpdir_write(&shell.dir, ".claude/settings.json", "{\n  \"a\": 1,,\n}");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--hooks", NULL), 65);
	assert_non_null(strstr(shell.err, ".claude/settings.json:2:10: "));
	check_file(".claude.json", NULL);
	tmpdir_write(&shell.dir, ".claude.json", "{\"mcpServers\": []}");
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 65);
	assert_non_null(strstr(shell.err, ".claude.json:1:16: an object expected"));
	mkdir(".codex", 0755);
	tmpdir_write(&shell.dir, ".codex/config.toml", "[mcp_servers]\nmemory = {}\n");
	assert_int_equal(shell_run(&shell, "setup", "codex", NULL), 65);
	assert_non_null(strstr(shell.err, "config.toml:2: "));
	tmpdir_write(&shell.dir, ".codex/config.toml", "a = \"b\n");
	assert_int_equal(shell_run(&shell, "setup", "codex", NULL), 65);
	assert_non_null(strstr(shell.err, "config.toml:1:5: "));
}

/* As editors and dotfile managers leave them. */
static void test_an_empty_file(void **state)
{
	static const char *const texts[] = {"", " \r\n\t\n"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tmpdir_write(&shell.dir, ".mcp.json", texts[i]);
		assert_int_equal(shell_run(&shell, "setup", "claude", "--project", NULL), 0);
		assert_true(has(".mcp.json", "\"mcpServers\""));
		shell_run(&shell, "setup", "claude", "--project", "--remove", NULL);
		check_file(".mcp.json", NULL);
	}
}

/* A person who keeps such files elsewhere, and to themselves, goes on doing so. */
static void test_links_and_modes_stay(void **state)
{
	struct stat st;

	(void)state;
	mkdir("dotfiles", 0755);
	tmpdir_write(&shell.dir, "dotfiles/claude.json", "{}");
	assert_int_equal(chmod("dotfiles/claude.json", 0640), 0);
	assert_int_equal(symlink("dotfiles/claude.json", ".claude.json"), 0);
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 0);
	assert_int_equal(lstat(".claude.json", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat("dotfiles/claude.json", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_true(has("dotfiles/claude.json", "\"memory\""));
	assert_int_equal(shell_run(&shell, "setup", "claude", "--remove", NULL), 0);
	check_file("dotfiles/claude.json", "{}");
	assert_int_equal(unlink(".claude.json"), 0);
	assert_int_equal(symlink("nowhere", ".claude.json"), 0);
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 65);
}

/* Whichever call fails: the file is the old or the new one, the link a link, and nothing is left.
 */
static void test_each_call_fails(void **state)
{
	unsigned failures = 0;
	unsigned n = 1;

	(void)state;
	mkdir("dotfiles", 0755);
	assert_int_equal(symlink("dotfiles/claude.json", ".claude.json"), 0);
	for (;; n++) {
		struct stat st;
		int status;

		tmpdir_write(&shell.dir, "dotfiles/claude.json", "{}");
		fake_sys_reset(SHELL_NOW);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		status = shell_run(&shell, "setup", "claude", NULL);
		if (fake_sys_hits() == 0)
			break;
		assert_int_equal(lstat(".claude.json", &st), 0);
		assert_true(S_ISLNK(st.st_mode));
		fake_sys_reset(SHELL_NOW);
		failures += status != 0;
		if (status != 0)
			check_file("dotfiles/claude.json", "{}");
		else
			assert_true(has("dotfiles/claude.json", program));
		unlink("dotfiles/claude.json");
		assert_int_equal(rmdir("dotfiles"), 0);
		mkdir("dotfiles", 0755);
	}
	assert_true(failures > 5);
}

/* Somebody writes between our reading and our writing. */
static void change_it(void *context)
{
	(void)context;
	tmpdir_write(&shell.dir, ".claude.json", "{\"b\": 2}");
}

static void test_it_changes_meanwhile(void **state)
{
	(void)state;
	tmpdir_write(&shell.dir, ".claude.json", "{}");
	fake_sys_before(FAKE_FSYNC, 1, change_it, NULL);
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 75);
	assert_non_null(strstr(shell.err, "in the meantime"));
	check_file(".claude.json", "{\"b\": 2}");
	assert_int_equal(tmpdir_count(&shell.dir), 1);
}

static void test_other_homes(void **state)
{
	static char folder[PATH_MAX + 64];

	(void)state;
	snprintf(folder, sizeof folder, "%s/else", shell.dir.path);
	shell_env("CLAUDE_CONFIG_DIR", folder);
	shell_env("CODEX_HOME", folder);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--hooks", NULL), 0);
	assert_int_equal(shell_run(&shell, "setup", "codex", NULL), 0);
	assert_true(has("else/.claude.json", "memory"));
	assert_true(has("else/settings.json", "session-start"));
	assert_true(has("else/config.toml", "memory"));
	shell_env("HOME", NULL);
	assert_int_equal(shell_run(&shell, "setup", "cursor", NULL), 1);
	assert_non_null(strstr(shell.err, "HOME is not set"));
}

/* The client's own program is asked, where there is one, and what it says of a failure is told. */
static void test_through_the_program(void **state)
{
	static char folder[PATH_MAX + 64];

	(void)state;
	mkdir("bin", 0755);
	tmpdir_write(&shell.dir, "bin/claude",
		     "#!/bin/sh\necho \"$@\" >>log\n[ ! -e refuse ] || { echo 'no, not so'; exit "
		     "3; }\n");
	assert_int_equal(chmod("bin/claude", 0755), 0);
	snprintf(folder, sizeof folder, "bin:/nowhere:%s/bin", shell.dir.path);
	shell_env("PATH", folder);
	assert_int_equal(shell_run(&shell, "setup", "claude", "--project", NULL), 0);
	assert_non_null(
		strstr(shell.out, "server added\n  claude mcp add --scope project memory -- /"));
	assert_true(has("log", "mcp add --scope project memory -- /"));
	assert_true(has("log", "/test_setup serve\n"));
	check_file(".mcp.json", NULL);
	unlink("log");
	tmpdir_write(&shell.dir, ".mcp.json",
		     "{\"mcpServers\": {\"memory\": {\"command\": \"/a/kota\", \"args\": "
		     "[\"serve\"]}}}");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--project", "--remove", NULL), 0);
	check_file("log", "mcp remove --scope project memory\n");
	tmpdir_write(&shell.dir, "refuse", "");
	assert_int_equal(shell_run(&shell, "setup", "claude", NULL), 74);
	assert_non_null(strstr(shell.err, "/bin/claude failed: no, not so"));
}

static void test_print(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "setup", "codex", "--print", NULL), 0);
	check_begins("[mcp_servers.memory]\ncommand = \"/");
	assert_int_equal(shell_run(&shell, "setup", "whatever", "--print", NULL), 0);
	check_begins("{\n  \"mcpServers\": {\n    \"memory\"");
	assert_int_equal(shell_run(&shell, "setup", "claude", "--print", "--hooks", NULL), 0);
	assert_non_null(strstr(shell.out, "\"SessionStart\": ["));
	assert_non_null(strstr(shell.out, "\"SessionEnd\": ["));
	assert_null(strstr(shell.out, "\"UserPromptSubmit\": ["));
	assert_int_equal(tmpdir_count(&shell.dir), 0);
}

/* What a project brings is used once a person has said so: they are told, and only then. */
static void test_what_is_left_to_the_person(void **state)
{
	static const char *const clients[][2] = {
		{"claude", "next: start claude in this project and approve the server"},
		{"codex", "next: start codex in this project and trust the folder"},
		{"gemini", "next: start gemini in this project and trust the folder"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof clients / sizeof clients[0]; i++) {
		const char *name = clients[i][0];

		assert_int_equal(shell_run(&shell, "setup", name, "--project", NULL), 0);
		assert_non_null(strstr(shell.out, clients[i][1]));
		assert_int_equal(shell_run(&shell, "setup", name, "--project", NULL), 0);
		assert_non_null(strstr(shell.out, "already there\nnext: "));
		assert_int_equal(shell_run(&shell, "setup", name, "--project", "--json", NULL), 0);
		assert_non_null(strstr(shell.out, "\"next\": \"start "));
		assert_int_equal(shell_run(&shell, "setup", name, "--project", "--check", NULL), 0);
		assert_null(strstr(shell.out, "next:"));
		assert_int_equal(shell_run(&shell, "setup", name, "--project", "--remove", NULL),
				 0);
		assert_null(strstr(shell.out, "next:"));
		assert_int_equal(shell_run(&shell, "setup", name, NULL), 0);
		assert_null(strstr(shell.out, "next:"));
	}
}

static void test_json(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "--json", "setup", "cursor", "--project", NULL), 0);
	check_begins("[\n  {\n    \"what\": \"server\",\n    \"file\": \".cursor/mcp.json\",\n"
		     "    \"state\": \"added\",\n    \"lines\": \"{\\n");
	assert_int_equal(
		shell_run(&shell, "setup", "cursor", "--project", "--check", "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"found\": \"/"));
}

static void check_refused(const char *first, const char *second, const char *third, const char *why)
{
	assert_int_equal(shell_run(&shell, "setup", first, second, third, NULL), 2);
	if (!strstr(shell.err, why))
		fail_msg("%s", shell.err);
}

static void test_refusals(void **state)
{
	(void)state;
	check_refused(NULL, NULL, NULL, "CLIENT is missing: one of claude, codex, ");
	check_refused("foo", NULL, NULL, "unknown client \"foo\"");
	check_refused("claude", "more", NULL, "unexpected argument");
	check_refused("claude", "--global", NULL, "unknown option --global");
	check_refused("claude", "--print", "--check", "only one of");
	check_refused("codex", "--local", NULL, "Codex has no --local");
	check_refused("vscode", "--hooks", NULL,
		      "--hooks works with claude, codex and gemini only");
	check_refused("claude", "--hooks=all", NULL, "--hooks takes no value except prompt");
	check_refused("codex", "--only-memory", NULL, "--only-memory works with claude only");
	check_refused("git", "--only-memory", NULL, "setup git takes only");
	check_refused("claude-desktop", "--project", NULL, "Claude Desktop has no --project");
	assert_int_equal(shell_run(&shell, "setup", "--help", NULL), 0);
	assert_non_null(strstr(shell.out, "usage: kota setup "));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_there_and_back),
		TEST(test_what_claude_gets),
		TEST(test_local_is_the_repository),
		TEST(test_hooks),
		TEST(test_only_memory),
		TEST(test_only_memory_of_a_project),
		TEST(test_only_memory_elsewhere),
		TEST(test_hooks_of_others),
		TEST(test_a_line_of_the_shell),
		TEST(test_a_path_that_moved),
		TEST(test_what_is_not_ours),
		TEST(test_a_broken_file),
		TEST(test_an_empty_file),
		TEST(test_links_and_modes_stay),
		TEST(test_each_call_fails),
		TEST(test_it_changes_meanwhile),
		TEST(test_other_homes),
		TEST(test_through_the_program),
		TEST(test_print),
		TEST(test_what_is_left_to_the_person),
		TEST(test_json),
		TEST(test_refusals),
	};

	return cmocka_run_group_tests_name("setup", tests, NULL, NULL);
}
