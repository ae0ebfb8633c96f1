#include "cli/shell_fixture.h"

#include "base/str.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#define OLD "\"created_at\": \"2026-09-01T00:00:00Z\""
#define FADED OLD ", \"last_updated\": \"2026-09-01T00:00:00Z\""

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_env("KOTA_MEMORY_GIT", "off");
	shell_write(&shell, "state.json", "{\"dull\": {\"value\": \"nobody asks\", " FADED "}}");
	shell_write(&shell, "config.json", "{\"decay\":{\"half_life_days\":3}}");
	shell_write(&shell, "usage.jsonl", "{\"since\":\"2026-09-01T00:00:00Z\"}\n");
	return 0;
}

static void maintenance_is_a_line_for_each_thing(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "maintain", "--dry-run", NULL), 0);
	assert_non_null(strstr(shell.out, "archive state:dull: its score, 0."));
	assert_string_equal(shell.err, "kota: maintain: Dry run; re-run without --dry-run\n");
	assert_int_equal(shell_run(&shell, "maintain", "decay", NULL), 0);
	assert_string_equal(shell.err, "");
	assert_int_equal(shell_run(&shell, "maintain", NULL), 0);
	assert_string_equal(shell.out, "");
	assert_string_equal(shell.err, "kota: maintain: nothing to do\n");
}

static int64_t ticking_ms;

/* A clock that goes on while it is looked at. */
static int64_t tick(void)
{
	return ticking_ms += 150;
}

/* Runs a command for somebody who watches while the clock goes on. */
static void run_slowly(const char *command, const char *word, const char *other)
{
	static struct sys slow;

	slow = *fake_sys();
	slow.now_ms = tick;
	ticking_ms = SHELL_NOW;
	shell.cli.sys = &slow;
	shell_run(&shell, command, word, other, NULL);
	shell.cli.sys = fake_sys();
}

/* Where somebody watches, and only then, what takes long says how far it is, and leaves no trace.
 */
static void what_takes_long_says_how_far_it_is(void **state)
{
	char source[PATH_MAX + 16];
	const struct {
		const char *command;
		const char *word;
		const char *other;
		const char *says;
	} cases[] = {
		{"maintain", "--dry-run", NULL, "\r\x1b[Kmaintain: merge  "},
		{"merge", "--auto-detect", NULL, "\r\x1b[Kmerge: comparing  "},
		{"health", "duplicates", NULL, "\r\x1b[Khealth: comparing  "},
		{"consolidate", NULL, NULL, "\r\x1b[Kconsolidate: comparing  "},
		{"get", "nothing of this", NULL, "\r\x1b[Kget: indexing  "},
		{"search", "nothing of this", NULL, "\r\x1b[Ksearch: indexing  "},
		{"list", NULL, NULL, "\r\x1b[Klist: reading  "},
		{"compact", NULL, NULL, "\r\x1b[Kcompact: packing the history"},
		{"export", NULL, NULL, "\r\x1b[Kexport: writing  "},
		{"import", source, NULL, "\r\x1b[Kimport: looking at entry"},
		{"purge", "--yes", "long 1", "\r\x1b[Kpurge: going through the history, commit  "},
	};
	STR_AUTO text = STR_INIT;

	(void)state;
	shell_env("KOTA_MEMORY_GIT", "own");
	assert_int_equal(shell_run(&shell, "set", "a", "1", NULL), 0);
	str_adds(&text, "{");
	for (int i = 0; i < 30; i++)
		str_printf(&text, "%s\"long %d\": \"words %d\"", i > 0 ? ", " : "", i, i * 17);
	str_adds(&text, "}");
	snprintf(source, sizeof source, "%s/other", shell.dir.path);
	assert_int_equal(mkdir(source, 0700), 0);
	tmpdir_write(&shell.dir, "other/state.json", text.ptr);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		shell_write(&shell, "patterns.json", text.ptr);
		shell_env("TERM", "xterm");
		shell.cli.err_is_terminal = true;
		run_slowly(cases[i].command, cases[i].word, cases[i].other);
		if (!strstr(shell.err, cases[i].says))
			fail_msg("kota %s: %s", cases[i].command, shell.err);
		/* Taken back before anything else is said. */
		assert_memory_equal(strrchr(shell.err, '\r'), "\r\x1b[K", 4);
		assert_true(strrchr(shell.err, '\r')[4] == '\0' ||
			    strncmp(strrchr(shell.err, '\r') + 4, "kota: ", 6) == 0);
		shell.cli.err_is_terminal = false;
		run_slowly(cases[i].command, cases[i].word, cases[i].other);
		assert_null(strchr(shell.err, '\r'));
	}
	/* What is done within a second says nothing. */
	shell.cli.err_is_terminal = true;
	assert_int_equal(shell_run(&shell, "maintain", NULL), 0);
	assert_null(strchr(shell.err, '\r'));
}

static void a_schedule_says_when(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "maintain", "--scheduled", NULL), 0);
	assert_int_equal(shell_run(&shell, "maintain", "--scheduled", NULL), 0);
	assert_non_null(
		strstr(shell.err, "kota: maintain: it is not time yet; next run 2026-11-21T"));
}

static void compacting_says_the_bytes(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "compact", NULL), 0);
	assert_non_null(strstr(shell.out, "usage.jsonl "));
	assert_non_null(strstr(shell.out, "cold archive           0 -> 0 bytes\n"));
	assert_non_null(strstr(shell.err, "kota: compact: the history is left as it is: "));
}

static void what_is_taken_over_is_counted(void **state)
{
	char folder[PATH_MAX + 32];

	(void)state;
	tmpdir_write(&shell.dir, "memory.jsonl",
		     "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\","
		     "\"observations\":[\"likes tea\"]}\nnonsense\n");
	snprintf(folder, sizeof folder, "%s/memory.jsonl", shell.dir.path);
	assert_int_equal(shell_run(&shell, "migrate", folder, "--dry-run", NULL), 0);
	assert_string_equal(shell.out, "would import 1 of 2\n");
	assert_int_equal(shell_run(&shell, "migrate", folder, NULL), 0);
	assert_string_equal(shell.out, "imported 1 of 2\n");
	assert_non_null(strstr(shell.err, "kota: migrate: left out line:2: column 1: "));
}

static void what_comes_in_is_named_first(void **state)
{
	char path[PATH_MAX + 32];

	(void)state;
	tmpdir_write(&shell.dir, "in.jsonl",
		     "{\"kota_export\":1}\n"
		     "{\"category\":\"state\",\"key\":\"n\",\"entry\":\"new\"}\n"
		     "{\"category\":\"state\",\"key\":\"o\",\"entry\":\"other\"}\n"
		     "{\"category\":\"state\",\"entry\":1}\n");
	snprintf(path, sizeof path, "%s/in.jsonl", shell.dir.path);
	assert_int_equal(shell_run(&shell, "set", "state:o", "ours", NULL), 0);
	assert_int_equal(shell_run(&shell, "import", path, NULL), 0);
	assert_string_equal(shell.out, "would add state:n\n"
				       "would take 1 of 3: 1 with another value here, 1 refused\n");
	assert_string_equal(
		shell.err, "kota: import: kept ours: state:o: another value is stored under this "
			   "key\nkota: import: refused: entry: has no key\n"
			   "kota: import: Dry run; re-run with --yes\n"
			   "kota: import: what is here stays; --replace takes the other value, and "
			   "archives the one that is here\n");
	assert_int_equal(shell_run(&shell, "import", path, "--yes", "--replace", NULL), 0);
	assert_string_equal(shell.out, "added state:n\nreplaced state:o\n"
				       "took 2 of 3: 1 refused\n");
}

static void what_goes_out_acts_on_no_terminal(void **state)
{
	(void)state;
	assert_int_equal(shell_run(&shell, "set", "state:a", "x\u202ey", NULL), 0);
	assert_int_equal(shell_run(&shell, "export", "--format", "mcp", NULL), 0);
	assert_non_null(strstr(shell.out, "x\u202ey"));
	assert_non_null(strstr(shell.err, "times, tags and other facts, of "));
	shell.cli.out_is_terminal = true;
	assert_int_equal(shell_run(&shell, "export", "--format", "mcp", NULL), 0);
	assert_non_null(strstr(shell.out, "x\\u202ey"));
	assert_int_equal(shell_run(&shell, "export", "--format", "markdown", NULL), 0);
	assert_non_null(strstr(shell.out, "\nx\\u{202e}y\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(maintenance_is_a_line_for_each_thing, set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(what_takes_long_says_how_far_it_is, set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(a_schedule_says_when, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(compacting_says_the_bytes, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(what_is_taken_over_is_counted, set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(what_comes_in_is_named_first, set_up,
						shell_tear_down),
		cmocka_unit_test_setup_teardown(what_goes_out_acts_on_no_terminal, set_up,
						shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
