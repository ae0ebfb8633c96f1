/*
 * What doctor advises works: each command of the program that a remedy names is run on the state
 * that brings the remedy about, and what it is for is so afterwards.
 */
#include "cli/doctor_states.h"
#include "cli/shell_fixture.h"

#include "base/time.h"
#include "git/gitrepo.h"
#include "json/doc.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct doctor_state *const tables[] = {doctor_states_files, doctor_states_around,
						    doctor_states_trust};

#define TABLE_COUNT (sizeof tables / sizeof *tables)

/* A command as the remedy has it, and as a person would type it there. */
struct advice {
	enum finding_kind kind;
	const char *says;
	const char *words[8];
	void (*first)(void); /* what else has happened before; NULL: nothing */
	const char *shows;   /* the command shows this; NULL: the finding is gone after it */
};

static void a_week_later(void)
{
	fake_sys_set_now(SHELL_NOW + 8 * MS_PER_DAY);
}

static void remove_theirs(void)
{
	tmpdir_write(&shell.dir, ".claude.json", "{}");
}

static const struct advice advices[] = {
	{FINDING_STORE_FOREIGN,
	 "kota trust --show",
	 {"trust", "--show"},
	 NULL,
	 "conversation_notes"},
	{FINDING_STORE_FOREIGN, "kota trust makes it your own", {"trust"}, NULL, NULL},
	{FINDING_STORE_UNREVIEWED, "kota trust --show", {"trust", "--show"}, NULL, "patterns.json"},
	{FINDING_STORE_UNREVIEWED, "kota trust puts them in force", {"trust"}, NULL, NULL},
	{FINDING_FILE_DAMAGED, "kota doctor --fix", {"doctor", "--fix"}, NULL, NULL},
	{FINDING_MERGE_MARKERS, "kota resolve merges", {"resolve", "patterns.json"}, NULL, NULL},
	{FINDING_MERGE_DRIVER_MISSING, "kota setup git once", {"setup", "git"}, NULL, NULL},
	{FINDING_MERGE_DRIVER_OUTDATED, "kota setup git once more", {"setup", "git"}, NULL, NULL},
	{FINDING_HISTORY_LOG, "kota doctor --fix has put back", {"doctor", "--fix"}, NULL, NULL},
	{FINDING_CONFLICT, "kota conflicts shows both", {"conflicts"}, NULL, "  lost, "},
	{FINDING_DUE_SHARED, "kota delete KEY", {"delete", "old"}, NULL, NULL},
	{FINDING_LINK_REFUSED,
	 "kota trust --link FILE",
	 {"trust", "--link", "patterns.json"},
	 NULL,
	 NULL},
	{FINDING_LINK_REFUSED,
	 "kota trust --link patterns.json",
	 {"trust", "--link", "patterns.json"},
	 NULL,
	 NULL},
	{FINDING_SETTINGS_HELD, "kota trust. ", {"trust"}, NULL, NULL},
	{FINDING_CHANGED_BY_OTHERS, "kota trust shows them and asks", {"trust"}, NULL, NULL},
	{FINDING_CHANGED_BY_OTHERS, "kota trust you see what is there", {"trust"}, NULL, NULL},
	{FINDING_OVER_PINNED,
	 "kota set KEY VALUE --pinned false",
	 {"set", "a", "1", "--pinned", "false"},
	 NULL,
	 NULL},
	{FINDING_SAME_KEY, "kota mv, ", {"mv", "state:my_editor", "second editor"}, NULL, NULL},
	{FINDING_BLANK_KEY, "kota mv 'CATEGORY: ' NAME", {"mv", "state: ", "name"}, NULL, NULL},
	{FINDING_BLANK_KEY, "kota mv 'state: ' NAME", {"mv", "state: ", "name"}, NULL, NULL},
	{FINDING_EXPIRES_SOON, "kota restore brings back", {"restore", "old"}, a_week_later, NULL},
	{FINDING_LINK_GONE,
	 "kota relate FROM TO TYPE --remove",
	 {"relate", "state:conversation_notes", "state:gone", "causes", "--remove"},
	 NULL,
	 NULL},
	{FINDING_NOTE_MISSING,
	 "kota promote KEY --force --dry-run false",
	 {"promote", "a", "--force", "--dry-run", "false"},
	 NULL,
	 NULL},
	{FINDING_FILE_DAMAGED, "kota doctor --fix; write {}", {"doctor", "--fix"}, NULL, NULL},
	{FINDING_JOURNAL_UNSIGNED,
	 "kota doctor --fix carries it out",
	 {"doctor", "--fix"},
	 NULL,
	 NULL},
	{FINDING_NO_HISTORY, "kota undo.", {"undo"}, NULL, "conversation_notes"},
	{FINDING_HISTORY_REFUSED, "kota undo.", {"undo"}, NULL, "conversation_notes"},
	{FINDING_HISTORY_TIP, "kota doctor --fix sets", {"doctor", "--fix"}, NULL, NULL},
	{FINDING_GIT_LOCK, "kota doctor --fix removes it", {"doctor", "--fix"}, NULL, NULL},
	{FINDING_SECRET_WAITS, "kota doctor --record", {"doctor", "--record"}, NULL, NULL},
	{FINDING_CLIENT_GONE, "kota setup CLIENT.", {"setup", "cursor"}, NULL, NULL},
	{FINDING_CLIENT_GONE,
	 "kota setup cursor --user",
	 {"setup", "cursor", "--user"},
	 NULL,
	 NULL},
	{FINDING_CLIENT_OTHER, "kota setup CLIENT.", {"setup", "codex"}, NULL, NULL},
	{FINDING_CLIENT_OTHER, "kota setup codex --user", {"setup", "codex", "--user"}, NULL, NULL},
	{FINDING_CLIENT_FOREIGN, "kota setup CLIENT, ", {"setup", "claude"}, remove_theirs, NULL},
	{FINDING_CLIENT_TWICE,
	 "kota setup CLIENT --remove",
	 {"setup", "claude", "--remove", "--user"},
	 NULL,
	 NULL},
	{FINDING_CLIENT_TWICE,
	 "kota setup claude --remove",
	 {"setup", "claude", "--remove", "--user"},
	 NULL,
	 NULL},
};

#define ADVICE_COUNT (sizeof advices / sizeof *advices)

static int set_up(void **state)
{
	(void)state;
	shell_init(&shell);
	gitrepo_isolate(&shell.dir);
	return 0;
}

/* The next command of the program in a text, or NULL. */
static const char *next_command(const char *text)
{
	for (const char *at = text; (at = strstr(at, "kota ")) != NULL; at++) {
		/* "another kota than", "what an interrupted kota edit has left" are no advice. */
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    strncmp(at, "kota than", 9) != 0)
			return at;
	}
	return NULL;
}

static bool is_advice(const struct advice *advice, enum finding_kind kind, const char *command)
{
	return advice->kind == kind && strncmp(command, advice->says, strlen(advice->says)) == 0;
}

/* Each command in a remedy has a row above. */
static void check_known(enum finding_kind kind, const char *remedy)
{
	for (const char *at = remedy; (at = next_command(at)) != NULL; at++) {
		bool known = false;

		for (size_t i = 0; i < ADVICE_COUNT; i++)
			known = known || is_advice(&advices[i], kind, at);
		if (!known)
			fail_msg("nobody tries what %s advises: %s", finding_row(kind)->name, at);
	}
}

static void begin(void)
{
	shell_env("KOTA_MEMORY_GIT", "own");
	assert_int_equal(shell_run(&shell, "notes", "a", NULL), 0);
	assert_int_equal(shell_run(&shell, "notes", "b", NULL), 0);
}

/* The remedy of what doctor finds of this kind, decoded; absent: it finds none. */
static bool find_remedy(enum finding_kind kind, struct str *remedy)
{
	JSON_AUTO doc = {0};
	struct json_fault fault;
	bool found = false;

	str_clear(remedy);
	shell_run(&shell, "doctor", "--json", NULL);
	if (json_parse(&doc, slice_of(shell.out), &json_file_bounds, &fault) != 0)
		fail_msg("%s: %s", fault.what, shell.out);
	for (uint32_t n = json_first(&doc, json_member(&doc, JSON_ROOT, "findings"));
	     n != JSON_NONE; n = json_next(&doc, n)) {
		STR_AUTO scratch = STR_INIT;

		if (!slice_is(json_string(&doc, json_member(&doc, n, "kind"), &scratch),
			      finding_row(kind)->name))
			continue;
		found = true;
		str_add(remedy, json_string(&doc, json_member(&doc, n, "remedy"), &scratch));
		str_addc(remedy, '\n');
	}
	return found;
}

static void test_all_are_tried(void **state)
{
	(void)state;
	for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
		check_known((enum finding_kind)kind, finding_row((enum finding_kind)kind)->remedy);
	for (size_t t = 0; t < TABLE_COUNT; t++) {
		for (const struct doctor_state *row = tables[t]; row->make; row++) {
			STR_AUTO remedy = STR_INIT;

			begin();
			row->make(&shell);
			if (find_remedy(row->kind, &remedy))
				check_known(row->kind, remedy.ptr);
			shell_tear_down(state);
			set_up(state);
		}
	}
}

/* The person answers yes at the terminal. */
static void answer(void)
{
	static char terminal[PATH_MAX + 16];

	tmpdir_write(&shell.dir, "tty", "y\n");
	snprintf(terminal, sizeof terminal, "%s/tty", shell.dir.path);
	shell.cli.terminal = terminal;
	shell.input = slice_of("y\n");
}

static void run_advice(const struct advice *advice)
{
	STR_AUTO remedy = STR_INIT;
	const char *const *w = advice->words;
	int status;

	answer();
	if (advice->first)
		advice->first();
	status = shell_run(&shell, w[0], w[1], w[2], w[3], w[4], w[5], w[6], NULL);
	shell.cli.terminal = NULL;
	if (strcmp(w[0], "doctor") != 0 && status != 0)
		fail_msg("%s: status %d: %s%s", advice->says, status, shell.out, shell.err);
	if (advice->shows && !strstr(shell.out, advice->shows) && !strstr(shell.err, advice->shows))
		fail_msg("%s: shows %s%s", advice->says, shell.out, shell.err);
	if (!advice->shows && find_remedy(advice->kind, &remedy))
		fail_msg("%s: is found still: %s", advice->says, shell.out);
}

/* The state in which doctor says it; where none has its words, that of the kind. */
static const struct doctor_state *state_for(const struct advice *advice, void **state)
{
	const struct doctor_state *of_kind = NULL;

	for (size_t t = 0; t < TABLE_COUNT; t++) {
		for (const struct doctor_state *row = tables[t]; row->make; row++) {
			STR_AUTO remedy = STR_INIT;
			bool said;

			if (row->kind != advice->kind)
				continue;
			begin();
			row->make(&shell);
			said = find_remedy(row->kind, &remedy) && strstr(remedy.ptr, advice->says);
			shell_tear_down(state);
			set_up(state);
			if (said)
				return row;
			of_kind = of_kind ? of_kind : row;
		}
	}
	return of_kind;
}

static void test_each(void **state)
{
	for (size_t i = 0; i < ADVICE_COUNT; i++) {
		const struct doctor_state *row = state_for(&advices[i], state);

		assert_non_null(row);
		begin();
		row->make(&shell);
		run_advice(&advices[i]);
		shell_tear_down(state);
		set_up(state);
	}
}

/* A path with a blank in it is one word of the command. */
static void test_words_for_the_shell(void **state)
{
	STR_AUTO spaced = STR_INIT;
	STR_AUTO remedy = STR_INIT;
	char *command;

	(void)state;
	str_printf(&spaced, "%s/it's my store", shell.dir.path);
	begin();
	assert_int_equal(rename(shell.store, spaced.ptr), 0);
	snprintf(shell.store, sizeof shell.store, "%s", spaced.ptr);
	assert_int_equal(chmod(shell.store, 0755), 0);
	assert_true(find_remedy(FINDING_OPEN_TO_OTHERS, &remedy));
	command = strstr(remedy.ptr, "chmod");
	assert_non_null(command);
	assert_int_equal(system(command), 0);
	assert_false(find_remedy(FINDING_OPEN_TO_OTHERS, &remedy));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_are_tried, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_each, set_up, shell_tear_down),
		cmocka_unit_test_setup_teardown(test_words_for_the_shell, set_up, shell_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
