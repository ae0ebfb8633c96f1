/* Each call on a file fails while a person edits: what was typed is never lost. */
#include "cli/shell.h"

#include "base/str.h"
#include "support/fake_sys.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct shell shell;
static char editor[PATH_MAX + 32];

/* Begins anew, with an editor that types this. */
static void set_up(const char *name, const char *before, const char *typed)
{
	STR_AUTO body = STR_INIT;

	shell_init(&shell);
	shell_env("KOTA_MEMORY_GIT", "off");
	shell_write(&shell, name, before);
	str_printf(&body, "touch '%s/ran'\nprintf '%%s' '%s' >\"$1\"\n", shell.dir.path, typed);
	tmpdir_write(&shell.dir, "ed", body.ptr);
	/* By the shell, because the folder may be one from which nothing is run. */
	snprintf(editor, sizeof editor, "sh '%s/ed'", shell.dir.path);
	shell_env("VISUAL", editor);
}

/* The copy that the last line tells of holds this text. */
static void check_kept(const char *expected)
{
	static const char says[] = "kept in ";
	const char *from = strstr(shell.err, says) + strlen(says);
	char path[PATH_MAX];
	char text[256] = "";
	FILE *file;

	snprintf(path, sizeof path, "%.*s", (int)strcspn(from, "\n"), from);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen(expected));
	fclose(file);
	assert_string_equal(text, expected);
}

/* The text that was typed is in the store, or where the last line says. */
static void check_not_lost(unsigned n, int status, const char *name, const char *typed)
{
	char *there = shell_read(&shell, name);
	bool taken = there && strcmp(there, typed) == 0;
	bool ran = tmpdir_has(&shell.dir, "ran");

	free(there);
	if (status == 0 && !taken)
		fail_msg("call %u failed: nothing is in place after %s", n, shell.out);
	if (ran && !taken) {
		if (!strstr(shell.err, "kept in"))
			fail_msg("call %u failed: the text is lost after %s", n, shell.err);
		check_kept(typed);
	}
}

/* Each call fails in turn, from the first look to the last word. */
static void every_fault(const char *word, const char *name, const char *before, const char *typed)
{
	size_t hits = 1;
	unsigned n;

	for (n = 1; hits > 0; n++) {
		int status;

		set_up(name, before, typed);
		fake_sys_quiet(true);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		status = shell_run(&shell, "edit", word, NULL);
		hits = fake_sys_hits();
		check_not_lost(n, status, name, typed);
		shell_release(&shell);
	}
	/* The last one was with no fault, and there were many before. */
	assert_true(n > 50);
}

static void a_category(void **state)
{
	(void)state;
	every_fault("state", "state.json", "{\"a\": 1}", "{\"a\": 5}");
}

static void settings(void **state)
{
	(void)state;
	every_fault("config", "config.json", "{}", "{\"git\": \"off\"}");
}

static void a_broken_file(void **state)
{
	(void)state;
	every_fault("patterns", "patterns.json", "{\"a\": 1,}", "{\"a\": 5}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_category),
		cmocka_unit_test(settings),
		cmocka_unit_test(a_broken_file),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("edit_faults", tests, NULL, NULL);
}
