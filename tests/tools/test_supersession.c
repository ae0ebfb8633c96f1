/*
 * What happens to an entry whose place another one took: it answers no more, its successor does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/carry.h"
#include "support/toolcall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define TEST_WITH_HISTORY(name)                                                                    \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)

static void set(struct teststore *t, const char *arguments)
{
	toolcall_later();
	toolcall_replies(t, "set", arguments, NULL);
}

/* preferences:terminal superseded preferences:shell. */
static void supersede(struct teststore *t)
{
	set(t, "{'key':'preferences:shell','value':'works in zsh with starship'}");
	toolcall_later();
	toolcall_reply_has(t, "set",
			   "{'key':'preferences:terminal','value':'fish from now on',"
			   "'supersedes':['preferences:shell']}",
			   "'superseded':['preferences:shell']");
}

static void the_successor_answers(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	toolcall_replies(t, "list", "{}", "{'refs':['preferences:terminal']}");
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}",
			   "'value':'fish from now on','confidence':1,"
			   "'answers_for':'preferences:shell'");
	toolcall_reply_has(t, "get", "{'query':'starship zsh'}", "'value':'fish from now on'");
	toolcall_reply_has(t, "search", "{'query':'starship'}",
			   "{'ref':'preferences:terminal','value':'fish from now on',"
			   "'answers_for':'preferences:shell'");
	toolcall_reply_has(t, "search", "{'refs':['preferences:shell']}",
			   "{'ref':'preferences:terminal','value':'fish from now on',"
			   "'answers_for':'preferences:shell'");
}

/* Both are found by the same words: the successor is shown once, and named beside nothing. */
static void the_successor_answers_once(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;

	set(t, "{'key':'preferences:main editor','value':'vim'}");
	set(t, "{'key':'preferences:editor main','value':'helix',"
	       "'supersedes':['preferences:main editor']}");
	toolcall_reply_has(t, "search", "{'query':'main editor'}", "{'count':1,");
	toolcall_reply(t, "get", "{'query':'editor'}", &reply);
	assert_non_null(strstr(reply.ptr, "helix"));
	assert_null(strstr(reply.ptr, "also"));
}

/* The old key is too little of a question about something else. */
static void an_old_key_is_no_answer_to_more(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'state:cellar','value':'Barrels lie in the vault under Linden street'}");
	set(t, "{'key':'state:storage hall','value':'We left the vault, all lies in hall 2',"
	       "'supersedes':['state:cellar']}");
	toolcall_reply_has(t, "get", "{'query':'which cellar do we use'}",
			   "'answers_for':'state:cellar'");
	toolcall_reply_has(t, "get", "{'query':'cellar on Linden street'}",
			   "'answers_for':'state:cellar'");
	toolcall_reply_has(t, "get", "{'query':'which cellar does Ada use'}",
			   "'answers_for':'state:cellar'");
	toolcall_reply_has(t, "get", "{'query':'umbrella cellar'}", "'result':null");
}

/* The old text lies in the cold archive, which a search does not read for what an entry answers. */
static void an_old_key_leads_a_search(void **state)
{
	struct teststore *t = *state;
	STR_AUTO long_text = STR_INIT;
	char *archive;

	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':1200}}");
	set(t, "{'key':'state:cellar','value':'Barrels lie in the vault under Linden street'}");
	set(t, "{'key':'state:storage hall','value':'We left the vault, all lies in hall 2',"
	       "'supersedes':['state:cellar']}");
	str_adds(&long_text, "{'key':'state:notice','value':'the cellar lamp ");
	for (int i = 0; i < 60; i++)
		str_adds(&long_text, "hall two ");
	str_adds(&long_text, "'}");
	set(t, long_text.ptr);
	archive = tmpdir_read(&t->dir, "archive.json");
	assert_null(strstr(archive, "Linden"));
	free(archive);
	toolcall_reply_has(t, "search", "{'query':'cellar'}", "'ref':'state:notice'");
	toolcall_reply_has(t, "search", "{'query':'cellar'}", "'ref':'state:storage hall'");
}

static void the_old_one_is_shown_on_demand(void **state)
{
	supersede(*state);
	toolcall_reply_has(*state, "search", "{'query':'starship','scope':['archived']}",
			   "'value':'works in zsh with starship',"
			   "'superseded_by':'preferences:terminal'");
}

static void one_undo_takes_it_back(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_replies(t, "list", "{}", "{'refs':['preferences:shell']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	toolcall_reply_has(t, "get", "{'query':'shell'}", "'value':'works in zsh with starship'");
	toolcall_file_is(t, "relations.json", "{}\n");
}

static void it_goes_through_several(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	set(t, "{'key':'preferences:prompt','value':'nushell',"
	       "'supersedes':['preferences:terminal']}");
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}",
			   "'value':'nushell','confidence':1,"
			   "'answers_for':'preferences:shell'");
}

/* Each took the other's place: the one that did last holds. */
static void there_is_no_circle(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	set(t, "{'key':'preferences:shell','value':'bash',"
	       "'supersedes':['preferences:terminal']}");
	toolcall_reply_has(t, "get", "{'query':'preferences:terminal'}", "'value':'bash'");
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}", "'value':'bash'");
	toolcall_replies(t, "delete", "{'key':'preferences:shell'}", NULL);
	toolcall_write_file(t, "relations.json",
			    "{'a':{'from':'preferences:shell','to':'preferences:terminal',"
			    "'type':'supersedes'},'b':{'from':'preferences:terminal',"
			    "'to':'preferences:shell','type':'supersedes'}}");
	toolcall_reply_has(t, "get", "{'query':'preferences:terminal'}", "'result':null");
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}", "'result':null");
}

static void a_deleted_successor_takes_its_predecessors_along(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	toolcall_replies(t, "delete", "{'key':'preferences:terminal'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}", "'result':null");
	toolcall_replies(t, "restore", "{'key':'preferences:terminal'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}", "'value':'fish from now on'");
}

static void an_expired_successor_answers_as_archived(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'state:host','value':'on alder'}");
	set(t, "{'key':'state:machine','value':'on birch','supersedes':['state:host']}");
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_reply_has(t, "get", "{'query':'state:host'}", "'answers_for':'state:host'");
	toolcall_reply_has(t, "get", "{'query':'state:host'}", "'archived':true");
}

/* Also from the cold archive, where the old text lies beside that of its successor. */
static void a_cold_successor_answers_as_archived(void **state)
{
	struct teststore *t = *state;
	char *archive;

	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':600}}");
	set(t, "{'key':'state:host','value':'on alder'}");
	set(t, "{'key':'state:machine','value':'on birch','supersedes':['state:host']}");
	toolcall_replies(t, "clear-state", "{}", NULL);
	set(t,
	    "{'key':'state:notice','value':'the printer of the second floor has no paper; there is "
	    "more in the cupboard beside the stairs, left of the window, below the old maps'}");
	set(t, "{'key':'state:lift','value':'the lift of the second floor waits for a part; the "
	       "engineer comes when it is there, and calls at the porter before that'}");
	archive = tmpdir_read(&t->dir, "archive.json");
	assert_null(strstr(archive, "birch"));
	free(archive);
	toolcall_reply_has(t, "get", "{'query':'state:host'}",
			   "{'key':'machine','category':'state','value':'on birch'");
	toolcall_reply_has(t, "get", "{'query':'state:host'}", "'answers_for':'state:host'");
	toolcall_replies(t, "restore", "{'key':'state:machine'}", NULL);
	toolcall_replies(t, "delete", "{'key':'state:machine'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'state:host'}", "'result':null");
}

static void it_survives_a_new_name_and_a_merge(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	toolcall_replies(t, "mv", "{'key':'preferences:terminal','new':'preferences:console'}",
			 NULL);
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}",
			   "{'key':'console','category':'preferences'");
	set(t, "{'key':'preferences:tty','value':'fish from now on with the long prompt'}");
	toolcall_replies(t, "merge",
			 "{'refs':['preferences:tty','preferences:console'],'mode':'apply',"
			 "'keep':'first'}",
			 NULL);
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}",
			   "'answers_for':'preferences:shell'");
}

/* What is in service again was not superseded. */
static void what_comes_back_answers_for_itself(void **state)
{
	struct teststore *t = *state;

	supersede(t);
	toolcall_replies(t, "restore", "{'key':'preferences:shell'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}",
			   "'value':'works in zsh with starship'");
	toolcall_file_is(t, "relations.json", "{}\n");
}

/* Also of a folder that was exported, and of an entry that was archived and restored since. */
static void it_survives_export_import_and_restore(void **state)
{
	struct teststore *t = *state;
	struct teststore other;

	supersede(t);
	free(carry_export(t, "jsonl", "x.jsonl"));
	teststore_open(&other);
	carry_import_has(&other, t, "x.jsonl", ",'yes':true", "'added':['preferences:terminal']");
	toolcall_reply_has(&other, "get", "{'query':'preferences:shell'}",
			   "'answers_for':'preferences:shell'");
	teststore_close(&other);
	toolcall_replies(t, "delete", "{'key':'preferences:terminal'}", NULL);
	toolcall_replies(t, "restore", "{'key':'preferences:terminal'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'preferences:shell'}",
			   "'answers_for':'preferences:shell'");
}

/* The ref by which memory_list_archived lists what is out of service. */
static void refuses_a_record(struct teststore *t)
{
	STR_AUTO archived = STR_INIT;
	STR_AUTO call = STR_INIT;
	STR_AUTO says = STR_INIT;
	const char *ref;
	int len;

	toolcall_reply(t, "archived", "{}", &archived);
	ref = strstr(archived.ptr, "preferences:shell@");
	assert_non_null(ref);
	len = (int)strcspn(ref, "\"");
	str_printf(&call, "{'key':'state:x','value':1,'supersedes':['%.*s']}", len, ref);
	str_printf(&says, "supersedes: %.*s is already archived; leave it out", len, ref);
	toolcall_refused(t, "set", call.ptr, ERR_NOT_FOUND, says.ptr);
}

static void refuses_what_cannot_give_way(void **state)
{
	struct teststore *t = *state;
	STR_AUTO many = STR_INIT;

	supersede(t);
	toolcall_refused(t, "set", "{'key':'state:x','value':1,'supersedes':['state:nothing']}",
			 ERR_NOT_FOUND, "supersedes: \"nothing\" is not in state");
	toolcall_refused(
		t, "set", "{'key':'state:x','value':1,'supersedes':['state:x']}", ERR_BAD_VALUE,
		"supersedes: state:x is the entry being set; its old value is archived anyway");
	toolcall_refused(t, "set", "{'key':'state:x','value':1,'supersedes':['preferences:shell']}",
			 ERR_NOT_FOUND,
			 "supersedes: preferences:shell is already archived; "
			 "leave it out");
	/* Of another store, a note, a record: none of them is an entry that is active here. */
	toolcall_refused(t, "set", "{'key':'state:x','value':1,'supersedes':['elsewhere:state:a']}",
			 ERR_NOT_FOUND, "supersedes: \"elsewhere:state:a\" is not in the store");
	toolcall_refused(t, "set", "{'key':'state:x','value':1,'supersedes':['notes/plan.md']}",
			 ERR_NOT_FOUND, "supersedes: \"notes/plan.md\" is not in the store");
	toolcall_refused(
		t, "set",
		"{'key':'state:x','value':1,"
		"'supersedes':['preferences:shell@2020-01-01T00:00:00.000+00:00']}",
		ERR_NOT_FOUND,
		"supersedes: \"shell@2020-01-01T00:00:00.000+00:00\" is not in preferences; "
		"nearest: preferences:terminal");
	refuses_a_record(t);
	str_adds(&many, "{'key':'state:x','value':1,'supersedes':['a'");
	for (int i = 0; i < 49; i++)
		str_printf(&many, ",'a%d'", i);
	str_adds(&many, "]}");
	toolcall_refused(t, "set", many.ptr, ERR_BAD_VALUE,
			 "supersedes: 50 refs; at most 32 are allowed");
	/* Asked once more, it is done already. */
	toolcall_replies(t, "set",
			 "{'key':'preferences:terminal','value':'fish from now on',"
			 "'supersedes':['preferences:shell']}",
			 NULL);
	toolcall_replies(t, "list", "{}", "{'refs':['preferences:terminal']}");
}

static void only_the_program_links_so(void **state)
{
	supersede(*state);
	toolcall_refused(*state, "relate",
			 "{'from':'preferences:terminal','to':'state:x','type':'supersedes'}",
			 ERR_BAD_VALUE, NULL);
}

static void what_contradicts_is_named(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'state:port','value':'listens on 7440'}");
	set(t, "{'key':'state:socket','value':'the daemon has 7441'}");
	toolcall_replies(t, "relate", "{'from':'port','to':'socket','type':'contradicts'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'port'}", "'contradicts':['state:socket']");
	toolcall_reply_has(t, "search", "{'query':'daemon'}", "'contradicts':['state:port']");
	toolcall_replies(t, "delete", "{'key':'socket'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'port'}", "'archived':false}");
}

static void a_hint_names_what_no_longer_holds(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;

	set(t, "{'key':'state:ci','value':'CI runs on GitHub Actions'}");
	toolcall_later();
	toolcall_reply_has(
		t, "set",
		"{'key':'state:pipelines','value':'CI moved to GitLab pipelines in March'}",
		"'similar':[{'ref':'state:ci','value':'CI runs on GitHub Actions',"
		"'says':'other'}]");
	toolcall_reply_has(t, "health", "{'check':'contradictions'}",
			   "[{'newer':'state:pipelines','older':'state:ci',");
	set(t, "{'key':'state:printer','value':'the printer listens on port 9100'}");
	toolcall_later();
	toolcall_reply(t, "set",
		       "{'key':'state:scanner','value':'the scanner listens on port 9200'}",
		       &reply);
	assert_null(strstr(reply.ptr, "similar"));
}

/* What only grew old does not answer for what has changed since, but for its own name. */
static void what_expired_yields_to_what_changed(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'state:catalogue','value':'Loans are managed by Aleph'}");
	set(t, "{'key':'state:reading room','value':'The reading room has lamps by Aurel'}");
	toolcall_replies(t, "clear-state", "{}", NULL);
	set(t, "{'key':'state:circulation','value':'Since autumn Koha manages the loans'}");
	toolcall_reply_has(t, "get", "{'query':'aleph'}",
			   "{'key':'circulation','category':'state',"
			   "'value':'Since autumn Koha manages the loans'");
	toolcall_reply_has(t, "get", "{'query':'aleph'}", "'answers_for':'state:catalogue'");
	toolcall_reply_has(t, "get", "{'query':'state:catalogue'}",
			   "'value':'Loans are managed by Aleph'");
	toolcall_reply_has(t, "get", "{'query':'aurel lamps'}", "'archived':true");
}

#define PAIRS_MAX 256
#define LINE 512

/* The value of a field of tests/similarity/statements.txt, which ends at a bar or with the line. */
static char *field(char **rest)
{
	char *text = strsep(rest, "|\n");

	return text + strspn(text, " ");
}

/* Sets the texts of one column, as state:KEY0, state:KEY1...; appends the replies. */
static size_t set_column(struct teststore *t, const char *key, int column, struct str *replies)
{
	const char *folder = getenv("srcdir");
	char path[LINE];
	char line[LINE];
	size_t count = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/tests/similarity/statements.txt", folder ? folder : ".");
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file) && count < PAIRS_MAX) {
		STR_AUTO arguments = STR_INIT;
		STR_AUTO reply = STR_INIT;
		char *rest = line;
		char *text = NULL;

		if (*line == '#' || strchr(line, '\''))
			continue;
		for (int c = 0; c <= column; c++)
			text = field(&rest);
		str_printf(&arguments, "{'key':'state:%s%zu','value':'%s'}", key, count, text);
		toolcall_later();
		toolcall_reply(t, "set", arguments.ptr, &reply);
		str_printf(replies, "%s%zu:", key, count++);
		str_add(replies, str_slice(&reply));
		str_addc(replies, '\n');
	}
	fclose(file);
	return count;
}

/* What is told when an entry is stored is what the check of all finds later. */
static void hint_and_check_agree(void **state)
{
	struct teststore *t = *state;
	STR_AUTO replies = STR_INIT;
	STR_AUTO check = STR_INIT;
	size_t count;
	int agreed = 0;

	toolcall_write_file(t, "config.json",
			    "{'limits':{'entries_per_category':1000,'total_bytes':1000000}}");
	set_column(t, "old", 1, &replies);
	count = set_column(t, "new", 2, &replies);
	toolcall_reply(t, "health", "{'check':'contradictions','limit':1000}", &check);
	for (size_t i = 0; i < count; i++) {
		char hint[LINE];
		char pair[LINE];
		char begin[32];
		char *line;
		char *end;
		bool told;
		bool listed;

		snprintf(begin, sizeof begin, "\nnew%zu:", i);
		line = strstr(replies.ptr, begin);
		assert_non_null(line);
		end = strchr(line + 1, '\n');
		*end = '\0';
		snprintf(hint, sizeof hint, "{\"ref\":\"state:old%zu\",", i);
		line = strstr(line, hint);
		told = line && strncmp(strstr(line, "\"says\":"), "\"says\":\"other\"", 14) == 0;
		*end = '\n';
		snprintf(pair, sizeof pair,
			 "{\"newer\":\"state:new%zu\",\"older\":\"state:old%zu\",", i, i);
		listed = strstr(check.ptr, pair) != NULL;
		if (told != listed)
			fail_msg("pair %zu: told %d, listed %d", i, told, listed);
		agreed += told;
	}
	assert_true(agreed > 60);
}

static void a_hint_sees_another_key(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'package_manager','value':'pnpm'}");
	toolcall_later();
	toolcall_reply_has(t, "set", "{'key':'preferred_package_manager','value':'yarn'}",
			   "'says':'other'");
	set(t, "{'key':'connections:Sunil Nagaraj','value':{'team':'design'}}");
	toolcall_later();
	toolcall_reply_has(t, "set", "{'key':'connections:sunil','value':{'likes':'tea'}}",
			   "'ref':'connections:Sunil Nagaraj'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_successor_answers),
		TEST(the_successor_answers_once),
		TEST(an_old_key_is_no_answer_to_more),
		TEST(an_old_key_leads_a_search),
		TEST(the_old_one_is_shown_on_demand),
		TEST(one_undo_takes_it_back),
		TEST_WITH_HISTORY(one_undo_takes_it_back),
		TEST(it_goes_through_several),
		TEST(there_is_no_circle),
		TEST(a_deleted_successor_takes_its_predecessors_along),
		TEST(an_expired_successor_answers_as_archived),
		TEST(a_cold_successor_answers_as_archived),
		TEST(it_survives_a_new_name_and_a_merge),
		TEST(what_comes_back_answers_for_itself),
		TEST(it_survives_export_import_and_restore),
		TEST(refuses_what_cannot_give_way),
		TEST(only_the_program_links_so),
		TEST(what_contradicts_is_named),
		TEST(a_hint_names_what_no_longer_holds),
		TEST(what_expired_yields_to_what_changed),
		TEST(hint_and_check_agree),
		TEST(a_hint_sees_another_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
