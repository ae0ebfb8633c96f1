#include "cli/shell_fixture.h"

#include "base/str.h"
#include "support/secret_sample.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STATE "{\n\t\"a\":   1,\n\t\"lunch\": \"noon\"\n}"

static char editor[PATH_MAX + 32];

/*
 * The editor is a script; in it $1 is the file, $DIR a folder to write to, and kota the program at
 * the same store.
 */
static void script(const char *name, const char *body)
{
	STR_AUTO text = STR_INIT;
	const char *kota = getenv("KOTA");

	str_printf(&text,
		   "#!/bin/sh\nDIR='%s'\nkota() { KOTA_MEMORY_DIR='%s' '%s' \"$@\" >/dev/null; "
		   "}\n%s\n",
		   shell.dir.path, shell.store, kota ? kota : "./kota", body);
	tmpdir_write(&shell.dir, name, text.ptr);
	snprintf(editor, sizeof editor, "%s/%s", shell.dir.path, name);
	assert_int_equal(chmod(editor, 0700), 0);
	shell_env("VISUAL", editor);
}

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	shell_write(&shell, "state.json", STATE);
	return 0;
}

static void check_file(const char *name, const char *expected)
{
	char *text = shell_read(&shell, name);

	assert_string_equal(text, expected);
	free(text);
}

static void check_told(const char *part)
{
	if (!strstr(shell.err, part))
		fail_msg("%s says nothing of %s", shell.err, part);
}

/* The copy that the last line tells of, and that holds this text. */
static void check_kept(const char *expected)
{
	static const char says[] = "what you wrote is kept in ";
	char *from = strstr(shell.err, says);
	char path[PATH_MAX];
	char text[256] = "";
	FILE *file;

	assert_non_null(from);
	from += strlen(says);
	snprintf(path, sizeof path, "%.*s", (int)strcspn(from, "\n"), from);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen(expected));
	fclose(file);
	assert_string_equal(text, expected);
}

/* Nothing is left of a copy. */
static void check_gone(void)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof path, "%s/.local/state/kota-memory/edit/2026-11-21.1",
		 shell.dir.path);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void a_file_is_what_was_typed(void **state)
{
	(void)state;
	script("ed", "cp \"$1\" $DIR/copy\n"
		     "printf '{ \"a\" : 2.0\\r\\n , \"b\":3}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	assert_string_equal(shell.out, "changed state:a\nadded state:b\nremoved state:lunch\n");
	assert_string_equal(shell.err, "");
	check_file("state.json", "{ \"a\" : 2.0\r\n , \"b\":3}");
	check_file("../copy", STATE);
	check_gone();
	script("ed", "stat -c %a \"$1\" \"${1%/*}\" | tr '\\n' ' ' >$DIR/seen; echo \"${1##*/}\" "
		     ">>$DIR/seen");
	assert_int_equal(shell_run(&shell, "edit", "STATE", NULL), 0);
	assert_string_equal(shell.out, "nothing is changed\n");
	check_file("../seen", "600 700 state.json\n");
	check_file("state.json", "{ \"a\" : 2.0\r\n , \"b\":3}");
	check_gone();
}

static void others_go_on_meanwhile(void **state)
{
	(void)state;
	script("ed", "kota set dinner seven; kota set a 9\n"
		     "sed -i s/noon/one/ \"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	assert_string_equal(shell.out, "changed state:lunch\n");
	check_told("changed by others meanwhile, and kept so: state:a, state:dinner\n");
	assert_int_equal(shell_run(&shell, "get", "state:a", NULL), 0);
	assert_string_equal(shell.out, "9\n");
	assert_int_equal(shell_run(&shell, "get", "state:dinner", NULL), 0);
	assert_string_equal(shell.out, "seven\n");
	assert_int_equal(shell_run(&shell, "get", "state:lunch", NULL), 0);
	assert_string_equal(shell.out, "one\n");
}

static void both_change_one(void **state)
{
	(void)state;
	script("ed", "kota set lunch two\nsed -i s/noon/one/ \"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "lunch", NULL), 0);
	assert_string_equal(shell.out, "changed state:lunch\n");
	check_told(
		"changed by others as well: state:lunch; yours is in the file, the other text in "
		"the archive (replaced)\n");
	assert_int_equal(shell_run(&shell, "get", "lunch", NULL), 0);
	assert_string_equal(shell.out, "one\n");
	assert_int_equal(shell_run(&shell, "archived", NULL), 0);
	assert_non_null(strstr(shell.out, "state:lunch@"));
}

static void a_broken_text_is_opened_again(void **state)
{
	char *args;

	(void)state;
	script("vim", "echo \"$1\" >>$DIR/args\n"
		      "case $1 in +*) shift; printf '{\"a\": 2}' >\"$1\";;\n"
		      "*) printf '{\"a\": 2,\\n}' >\"$1\";; esac");
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("\n");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	check_told("/state.json:1:8: ");
	check_told("Open it again there? [Y/n] ");
	check_file("state.json", "{\"a\": 2}");
	args = shell_read(&shell, "../args");
	assert_non_null(strstr(args, "/state.json\n+call cursor(1,8)\n"));
	free(args);
	check_gone();
	/* Who has had enough loses nothing. */
	script("vim", "printf '{\"a\": 3,\\n}' >\"$1\"");
	shell.input = slice_of("n\n");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 65);
	check_kept("{\"a\": 3,\n}");
	check_file("state.json", "{\"a\": 2}");
}

static void without_a_terminal_nobody_is_asked(void **state)
{
	(void)state;
	script("ed", "echo x >>$DIR/times; printf '{\"a\": 2,}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 65);
	check_told("/state.json:1:8: ");
	check_kept("{\"a\": 2,}");
	check_file("state.json", STATE);
	check_file("../times", "x\n");
	/* The next edit tells of it. */
	script("ed", "true");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	check_told("an earlier edit that was not applied is in ");
	check_told("/2026-11-21.1/state.json\n");
	/* And so does who destroys an entry. */
	assert_int_equal(shell_run(&shell, "purge", "--yes", "lunch", NULL), 0);
	check_told("not looked at: ");
}

static void an_editor_that_fails_changes_nothing(void **state)
{
	(void)state;
	script("ed", "printf '{}' >\"$1\"; exit 3");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 74);
	check_told("ended with status 3; nothing is changed; ");
	check_kept("{}");
	check_file("state.json", STATE);
	script("ed", "printf '{\"b\"' >\"$1\"; kill -9 $$");
	assert_int_equal(shell_run(&shell, "edit", "lunch", NULL), 74);
	check_told("ended by signal 9; nothing is changed; ");
	check_kept("{\"b\"");
	check_file("state.json", STATE);
	/* Nothing is promised that is not there. */
	script("ed", "rm \"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 65);
	check_told("/2026-11-21.3/state.json is gone: nothing is changed\n");
	assert_false(tmpdir_has(&shell.dir, ".local/state/kota-memory/edit/2026-11-21.3"));
	/* There is nothing to keep where nothing was written. */
	script("ed", "exit 1");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 74);
	assert_null(strstr(shell.err, "kept in"));
	shell_env("VISUAL", "/nowhere/editor");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 74);
	check_told("the editor \"/nowhere/editor\" cannot be run: ");
}

/* What cannot be put in place stays with the person as well. */
static void a_store_that_cannot_take_it(void **state)
{
	(void)state;
	script("ed", "printf '{,' >\"${0%/*}/store/state.json\"; printf '{\"a\": 5}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 65);
	check_told("store/state.json:1:2: ");
	check_kept("{\"a\": 5}");
	check_file("state.json", "{,");
	/* And may be mended. */
	script("ed", "printf '{\"a\": 6}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	check_file("state.json", "{\"a\": 6}");
}

static void one_entry(void **state)
{
	(void)state;
	script("ed", "echo \"${1##*/}\" >$DIR/seen; cat \"$1\" >>$DIR/seen; printf 'half \"past\"' "
		     ">\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "State:Lunch", NULL), 0);
	assert_string_equal(shell.out, "changed state:lunch\n");
	check_file("../seen", "lunch.txt\nnoon\n");
	check_file("state.json", "{\n\t\"a\":   1,\n\t\"lunch\": \"half \\\"past\\\"\"\n}");
	script("ed", "echo \"${1##*/}\" >$DIR/seen; printf '{\\n  \"value\": 1,\\n  \"tags\": "
		     "[\"t\"]\\n}\\n' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "a", "--as", "entry", NULL), 0);
	check_file("../seen", "a.json\n");
	check_file("state.json", "{\n\t\"a\":   {\n\t  \"value\": 1,\n\t  \"tags\": [\"t\"]\n\t},\n"
				 "\t\"lunch\": \"half \\\"past\\\"\"\n}");
	/* One that is called like a file. */
	assert_int_equal(shell_run(&shell, "set", "config", "x", NULL), 0);
	script("ed", "printf y >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "state:config", NULL), 0);
	assert_string_equal(shell.out, "changed state:config\n");
	script("ed", "printf '[1,' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "a", NULL), 65);
	check_told("/a.json:1:4: ");
	script("ed", "printf ' \\n' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "a", NULL), 65);
	check_told("the text is empty, so nothing was changed");
}

/* Whatever the layout of the value, what was not typed stays to the byte. */
static void a_value_keeps_its_layout(void **state)
{
	static const char *const files[] = {
		"{\n    \"a\": {\"value\": [\n1,\n  2,\n      3\n    ]}\n}\n",
		"{\n  \"a\": {\"value\": [\n    1,\n\n    3\n  ]}\n}\n",
		"{\n  \"a\": {\"value\": [\n    1,\n  \n    3\n  ]}\n}\n",
		"{\r\n  \"a\": {\"value\": [\r\n    1,\r\n\r\n    3\r\n  ]}\r\n}\r\n",
		"{\r\n  \"a\": {\"value\": [\n    1,\r\n    3\n  ]}\r\n}\r\n",
		"{\n  \"a\": {\"value\": [\n    1,\r\n    3,\r  7\n  ]}\n}\n",
	};

	(void)state;
	script("ed", "sed 's/3/4/' \"$1\" >\"$1.x\"; mv \"$1.x\" \"$1\"");
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		STR_AUTO expected = STR_INIT;

		str_adds(&expected, files[i]);
		*strchr(expected.ptr, '3') = '4';
		shell_write(&shell, "state.json", files[i]);
		assert_int_equal(shell_run(&shell, "edit", "a", NULL), 0);
		check_file("state.json", expected.ptr);
	}
}

static void an_entry_that_is_not_there(void **state)
{
	(void)state;
	script("ed", "printf 'two\\nlines\\n' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "lnch", NULL), 1);
	assert_string_equal(shell.err,
			    "kota: edit: there is no entry \"lnch\"; nearest: state:lunch; "
			    "kota set KEY VALUE creates one\n");
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("\n");
	assert_int_equal(shell_run(&shell, "edit", "patterns:tea", NULL), 1);
	check_told("there is no entry \"patterns:tea\". Make it? [y/N] ");
	shell.input = slice_of("y\n");
	assert_int_equal(shell_run(&shell, "edit", "patterns:tea", NULL), 0);
	assert_string_equal(shell.out, "made patterns:tea\n");
	assert_int_equal(shell_run(&shell, "get", "tea", NULL), 0);
	assert_string_equal(shell.out, "two\nlines\n");
}

/* What others make of it while it is written stays. */
static void an_entry_that_others_make_meanwhile(void **state)
{
	(void)state;
	shell.cli.in_is_terminal = true;
	shell.input = slice_of("y\n");
	script("ed", "kota set patterns:tea green; printf 'black\n' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "patterns:Tea", NULL), 75);
	check_told("patterns:tea was made by somebody else in the meantime; ");
	check_kept("black\n");
	assert_int_equal(shell_run(&shell, "get", "tea", NULL), 0);
	assert_string_equal(shell.out, "green\n");
}

static void limits_and_secrets_are_told(void **state)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO secret = STR_INIT;
	uint64_t seed = 7;

	(void)state;
	script("ed", "head -c 5000 /dev/zero | tr '\\0' x >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "lunch", NULL), 0);
	check_told("warning: state:lunch has 5012 bytes, over the limit of 4096: it stays, and may "
		   "only shrink\n");
	shell_env("KOTA_MEMORY_LIMITS_ENTRIES_PER_CATEGORY", "2");
	script("ed", "printf '{\"a\": 1, \"b\": 2, \"c\": 3}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "patterns", NULL), 0);
	check_told("warning: patterns has 3 entries, over the limit of 2: ");
	secret_make("ghp_%A36;", &seed, &secret);
	str_printf(&body, "printf '{\"token\": \"%s\"}' >\"$1\"", secret.ptr);
	script("ed", body.ptr);
	assert_int_equal(shell_run(&shell, "edit", "connections", NULL), 0);
	assert_null(strstr(shell.err, secret.ptr));
}

static void settings_are_checked(void **state)
{
	(void)state;
	script("ed", "printf '{\\n \"gti\": \"own\"}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "config", NULL), 65);
	check_told("/config.json:2:");
	check_told("there is no setting \"gti\"");
	assert_false(tmpdir_has(&shell.dir, "store/config.json"));
	script("ed", "cat \"$1\" >$DIR/seen; printf '{\"git\": \"off\"}' >\"$1\"");
	assert_int_equal(shell_run(&shell, "edit", "config", NULL), 0);
	assert_string_equal(shell.out, "changed config.json\n");
	check_file("../seen", "{}\n");
	check_file("config.json", "{\"git\": \"off\"}");
	/* While they are not valid nothing else is opened, since nothing else could be stored. */
	shell_write(&shell, "config.json", "{\"gti\": \"off\"}");
	script("ed", "echo opened >$DIR/seen");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 65);
	check_told("there is no setting \"gti\"");
	assert_int_equal(shell_run(&shell, "edit", "lunch", NULL), 65);
	check_file("../seen", "{}\n");
	assert_int_equal(shell_run(&shell, "edit", "config", NULL), 0);
	check_file("../seen", "opened\n");
}

static void which_editor(void **state)
{
	(void)state;
	script("one", "echo \"one $1\" >$DIR/seen");
	shell_env("VISUAL", "");
	shell_env("PATH", shell.dir.path);
	shell_env("EDITOR", "sh -c 'echo \"$1\" >\"$0\"; exit 4' /dev/null x");
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 74);
	check_told("ended with status 4");
	shell_env("EDITOR", NULL);
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 2);
	check_told("no editor was found; name one with EDITOR");
	script("nano", "echo nano >$DIR/seen");
	shell_env("VISUAL", NULL);
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	check_file("../seen", "nano\n");
	script("vi", "echo vi >$DIR/seen");
	shell_env("VISUAL", NULL);
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 0);
	check_file("../seen", "vi\n");
	assert_int_equal(shell_run(&shell, "edit", NULL), 2);
	check_told("name a key, or one of the files preferences, ");
	assert_int_equal(shell_run(&shell, "edit", "a", "--as=x", NULL), 2);
	shell_env("HOME", NULL);
	assert_int_equal(shell_run(&shell, "edit", "state", NULL), 73);
	check_told("set HOME or XDG_STATE_HOME");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, shell_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_what_was_typed),
		TEST(others_go_on_meanwhile),
		TEST(both_change_one),
		TEST(a_broken_text_is_opened_again),
		TEST(without_a_terminal_nobody_is_asked),
		TEST(an_editor_that_fails_changes_nothing),
		TEST(a_store_that_cannot_take_it),
		TEST(one_entry),
		TEST(a_value_keeps_its_layout),
		TEST(an_entry_that_is_not_there),
		TEST(an_entry_that_others_make_meanwhile),
		TEST(limits_and_secrets_are_told),
		TEST(settings_are_checked),
		TEST(which_editor),
	};

	return cmocka_run_group_tests_name("edit", tests, NULL, NULL);
}
