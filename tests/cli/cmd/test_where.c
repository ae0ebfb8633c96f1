#include "cli/shell_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Nothing says where the store is. */
static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_DIR", NULL);
	return 0;
}

static void make(const char *folder)
{
	assert_int_equal(mkdirat(shell.dir.fd, folder, 0700), 0);
}

/* A work tree with a store, and the working folder below its root. */
static void enter_project(void)
{
	make("project");
	make("project/.git");
	make("project/data");
	make("project/data/kota_memory");
	make("project/src");
	assert_int_equal(chdir("project/src"), 0);
}

static void test_own_place(void **state)
{
	char text[4 * PATH_MAX];

	(void)state;
	assert_int_equal(shell_run(&shell, "where", NULL), 0);
	snprintf(
		text, sizeof text,
		"%s/.local/share/kota_memory\n"
		"chosen by ~/.local/share/kota_memory; the first kota set creates it\n"
		"not by --dir: not set\n"
		"not by the plugin's option: not set\n"
		"not by KOTA_MEMORY_DIR: not set\n"
		"not by $CLAUDE_PROJECT_DIR: not set\n"
		"not by the working folder, %s: no data/kota_memory in it, and no work tree around "
		"it\n"
		"not by $XDG_DATA_HOME/kota_memory: XDG_DATA_HOME is not set\n",
		shell.dir.path, shell.dir.path);
	assert_string_equal(shell.out, text);
	assert_string_equal(shell.err, "");
	assert_int_equal(tmpdir_count(&shell.dir), 0);
}

static void test_project(void **state)
{
	char path[PATH_MAX + 64];
	char line[2 * PATH_MAX];

	(void)state;
	enter_project();
	snprintf(path, sizeof path, "%s/project/data/kota_memory\n", shell.dir.path);
	assert_int_equal(shell_run(&shell, "where", NULL), 0);
	assert_memory_equal(shell.out, path, strlen(path));
	assert_non_null(strstr(shell.out,
			       "\nchosen because the project of the working folder has it; "
			       "the first kota set creates it\n"));
	/* What is stored from there is where it says. */
	assert_int_equal(shell_run(&shell, "set", "lost", "1", NULL), 0);
	assert_true(tmpdir_has(&shell.dir, "project/data/kota_memory/state.json"));
	assert_false(tmpdir_has(&shell.dir, ".local/share/kota_memory"));
	assert_int_equal(shell_run(&shell, "where", NULL), 0);
	assert_non_null(strstr(shell.out, "; it is there\n"));
	assert_int_equal(shell_run(&shell, "doctor", "--all", NULL), 0);
	snprintf(line, sizeof line, "store             %s", path);
	assert_non_null(strstr(shell.out, line));
	assert_non_null(strstr(shell.out, "chosen because    the project of the working folder has "
					  "it\n"));
}

static void test_json(void **state)
{
	(void)state;
	enter_project();
	assert_int_equal(shell_run(&shell, "where", "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"kind\": \"project\""));
	assert_non_null(strstr(shell.out, "\"exists\": false"));
	assert_non_null(strstr(shell.out, "/project\",\n  \"project\": \""));
	assert_non_null(strstr(shell.out, "\"what\": \"KOTA_MEMORY_DIR\",\n"
					  "      \"verdict\": \"not set\""));
	assert_int_equal(shell_run(&shell, "where", "--json", "--dir", "/x", NULL), 0);
	assert_non_null(strstr(shell.out, "\"store\": \"/x\",\n  \"why\": \"--dir\",\n"
					  "  \"kind\": \"named\",\n  \"project\": \""));
	assert_non_null(strstr(shell.out, "\"considered\": []"));
}

/* A link in place of the store stops everything but the session that begins, and is told of. */
static void test_link(void **state)
{
	static const char sentence[] = "/project/data/kota_memory is a link: ";
	static const char *const words[][3] = {
		{"list"}, {"get", "a"}, {"set", "a", "b"}, {"report"}, {"init"}};

	(void)state;
	enter_project();
	assert_int_equal(unlinkat(shell.dir.fd, "project/data/kota_memory", AT_REMOVEDIR), 0);
	make("elsewhere");
	assert_int_equal(symlinkat("../../elsewhere", shell.dir.fd, "project/data/kota_memory"), 0);
	assert_int_equal(chdir(".."), 0);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		assert_int_equal(shell_run(&shell, words[i][0], words[i][1], words[i][2], NULL),
				 65);
		assert_non_null(strstr(shell.err, sentence));
		assert_string_equal(shell.out, "");
	}
	assert_int_equal(shell_run(&shell, "where", NULL), 65);
	assert_non_null(strstr(shell.err, sentence));
	assert_non_null(strstr(shell.out, "not by the working folder, "));
	assert_int_equal(shell_run(&shell, "where", "--json", NULL), 65);
	assert_non_null(strstr(shell.out, "{\n  \"error\": \"/"));
	assert_int_equal(shell_run(&shell, "hook", "session-start", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_int_equal(shell_run(&shell, "doctor", NULL), 1);
	assert_non_null(strstr(shell.out, sentence));
	assert_int_equal(shell_run(&shell, "set", "a", "b", "--dir", "../elsewhere", NULL), 0);
	assert_true(tmpdir_has(&shell.dir, "elsewhere/.kota"));
}

/* A named folder that is not there is made by what is stored, and that is said once. */
static void test_made(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "a", "1", "--dir", "named", NULL), 0);
	assert_string_equal(shell.out, "set state:a\n");
	assert_string_equal(shell.err, "kota: set: created named\n");
	assert_int_equal(shell_run(&shell, "set", "a", "2", "--dir", "named", NULL), 0);
	assert_string_equal(shell.err, "");
	/* Nobody has named the person's own place. */
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	assert_string_equal(shell.err, "");
}

/* What one project stores here today and there tomorrow is missed one day. */
static void test_elsewhere(void **state)
{
	char warning[3 * PATH_MAX];

	(void)state;
	enter_project();
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	assert_string_equal(shell.err, "");
	make("other");
	shell_env("KOTA_MEMORY_DIR", "../../other");
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	snprintf(warning, sizeof warning,
		 "kota: set: warning: stored in %s/other; the last memory from this project went "
		 "to %s/project/data/kota_memory (kota where says why)\n",
		 shell.dir.path, shell.dir.path);
	assert_string_equal(shell.err, warning);
	assert_int_equal(shell_run(&shell, "set", "a", "2", NULL), 0);
	assert_string_equal(shell.err, "");
	shell_env("KOTA_MEMORY_DIR", "");
	assert_int_equal(shell_run(&shell, "notes", "went well", NULL), 0);
	assert_non_null(strstr(shell.err, "/other (kota where says why)\n"));
	/* Without a project there is nothing to compare with. */
	assert_int_equal(chdir("../.."), 0);
	assert_int_equal(shell_run(&shell, "set", "a", "3", "--dir", "x", NULL), 0);
	assert_string_equal(shell.err, "kota: set: created x\n");
	assert_int_equal(shell_run(&shell, "set", "a", "3", "--dir", "other", NULL), 0);
	assert_string_equal(shell.err, "");
}

static void test_something_else(void **state)
{
	(void)state;
	enter_project();
	tmpdir_write(&shell.dir, "project/data/kota_memory/main.c", "");
	assert_int_equal(shell_run(&shell, "where", NULL), 0);
	assert_non_null(strstr(shell.out, "is not a memory store and not empty (it has main.c)"));
	assert_int_equal(shell_run(&shell, "where", "--json", NULL), 0);
	assert_non_null(strstr(shell.out, "\"exists\": false"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_place, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_project, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_json, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_link, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_made, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_elsewhere, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_something_else, set_up, shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
