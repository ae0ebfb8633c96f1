#include "support/surroundings.h"
#include "support/toolcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

#define CHANGE(at, tool, subject)                                                                  \
	"{'change':'ID','at':'" at "','by':'test','tool':'" tool "','subject':'" subject "'"

#define SET(key, value) "{'key':'" key "','value':" value "}"
#define BEGIN                                                                                      \
	"{'change':'ID','at':'" T0                                                                 \
	"','by':'kota-memory','subject':'begin','refs':[],'files':['.gitignore','.kota']}"

static void tells_changes_from_new_to_old(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("a", "1"), NULL);
	toolcall_later();
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_replies(t, "log", "{}",
			 "{'changes':[" CHANGE(T1, "memory_delete", "delete state:a")    //
			 ",'refs':['state:a']}," CHANGE(T0, "memory_set", "set state:a") //
			 ",'refs':['state:a']}," BEGIN "],'more':false}");
	toolcall_replies(t, "log", "{'limit':1}",
			 "{'changes':[" CHANGE(T1, "memory_delete", "delete state:a") //
			 ",'refs':['state:a']}],'more':true}");
	toolcall_reply_has(t, "log", "{'limit':3}", "'more':false");
}

static void tells_what_was_and_is_when_asked(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("a", "1.0"), NULL);
	toolcall_replies(t, "set", "{'key':'a','value':'x','tags':['t']}", NULL);
	toolcall_reply_has(t, "log", "{'diff':true}",
			   "'items':[{'ref':'state:a','did':'changed','before':1.0,'after':'x',"
			   "'fields':{'tags':{'after':['t']}}}]");
	toolcall_reply_has(t, "log", "{'key':'a','diff':false}", "'did':'changed'}");
}

static void tells_of_one_entry(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("a", "1"), NULL);
	toolcall_replies(t, "set", SET("b", "1"), NULL);
	toolcall_later();
	toolcall_replies(t, "update", "{'key':'a','addition':2}", NULL);
	toolcall_replies(t, "log", "{'key':'A'}",
			 "{'changes':[" CHANGE(T1, "memory_update", "update state:a")          //
			 ",'items':[{'ref':'state:a','did':'changed','before':1,'after':2}]}," //
			 CHANGE(T0, "memory_set", "set state:a")                               //
			 ",'items':[{'ref':'state:a','did':'added','after':1}]}],'more':false,'ref'"
			 ":'state:a'}");
	toolcall_reply_has(t, "log", "{'key':'a','limit':1}", "'more':true");
}

static void a_key_that_is_gone_is_found_in_the_past(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'patterns:b','value':1}", NULL);
	toolcall_replies(t, "delete", "{'key':'b'}", NULL);
	toolcall_reply_has(t, "log", "{'key':'B'}",
			   "'items':[{'ref':'patterns:b','did':'deleted','record':'patterns:b@" T0
			   "','before':1}]");
	toolcall_reply_has(t, "log", "{'key':'patterns:b'}", "'did':'added'");
	toolcall_refused(t, "log", "{'key':'state:b'}", ERR_NOT_FOUND,
			 "key: \"b\" is neither in the store nor in its history");
	toolcall_refused(t, "log", "{'key':'c'}", ERR_NOT_FOUND, NULL);
	toolcall_refused(t, "log", "{'key':'state:'}", ERR_BLANK_ARGUMENT, NULL);
}

static void a_move_is_followed(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("preferences:a", "1"), NULL);
	toolcall_replies(t, "set", SET("preferences:a", "2"), NULL);
	toolcall_replies(t, "mv", "{'key':'a','new':'state:b'}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", SET("state:b", "3"), NULL);
	toolcall_replies(
		t, "log", "{'key':'b'}",
		"{'changes':[" CHANGE(T1, "memory_set", "set state:b")                      //
		",'items':[{'ref':'state:b','did':'changed','before':2,'after':3}]},"       //
		CHANGE(T0, "mv", "mv state:b and 1 more")                                   //
		",'items':[{'ref':'state:b','did':'moved','from':'preferences:a'}]},"       //
		CHANGE(T0, "memory_set", "set preferences:a")                               //
		",'items':[{'ref':'preferences:a','did':'changed','before':1,'after':2}]}," //
		CHANGE(T0, "memory_set", "set preferences:a")                               //
		",'items':[{'ref':'preferences:a','did':'added','after':1}]}],'more':false,"
		"'ref':'state:b'}");
	toolcall_reply_has(t, "log", "{'key':'preferences:a','limit':1}",
			   "'items':[{'ref':'state:b','did':'moved','from':'preferences:a'}]");
}

/* By hand a record goes back into service somewhere else. */
static void the_archive_is_a_place_that_an_entry_comes_from(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("state:a", "1"), NULL);
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_write_file(t, "archive.json", "{}");
	toolcall_write_file(t, "state.json",
			    "{'a':{'value':1,'created_at':'" T0 "','last_updated':'" T0 "'}}");
	toolcall_later();
	toolcall_replies(t, "set", SET("state:b", "1"), NULL);
	toolcall_reply_has(t, "log", "{'key':'a'}",
			   "'by':'Ada','by_hand':true,'subject':'edit state:a@" T0
			   " and 1 more','items':["
			   "{'ref':'state:a','did':'restored','record':'state:a@" T0
			   "','reason':'state_clear','after':1}]");
	toolcall_reply_has(t, "log", "{'key':'a'}",
			   "'did':'archived','record':'state:a@" T0
			   "','reason':'state_clear','before':1}");
	toolcall_reply_has(t, "log", "{'key':'a'}", "'did':'added','after':1}]}],'more':false");
}

static void another_spelling_is_the_same_entry(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("state:main editor", "1"), NULL);
	toolcall_replies(t, "mv", "{'key':'main editor','new':'Main_Editor'}", NULL);
	toolcall_replies(t, "set", SET("state:Main_Editor", "2"), NULL);
	toolcall_reply_has(t, "log", "{'key':'MAIN EDITOR'}",
			   "{'ref':'state:main editor','did':'added','after':1}]}],'more':false,"
			   "'ref':'state:Main_Editor'");
}

/* By hand there may be two: each has its own past. */
static void two_spellings_beside_each_other_are_two_entries(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a b': 1, 'A_B': 1}");
	toolcall_replies(t, "set", SET("state:x", "1"), NULL);
	toolcall_replies(t, "set", SET("state:A_B", "2"), NULL);
	toolcall_reply_has(t, "log", "{'key':'A_B'}", "'before':1,'after':2");
	toolcall_replies(t, "log", "{'key':'a b','limit':9}",
			 "{'changes':[{'change':'ID','at':'" T0
			 "','by':'kota-memory','subject':'begin','items':[{'ref':'state:a b','did':"
			 "'added','after':1}]}],'more':false,'ref':'state:a b'}");
}

static void what_is_not_recorded_is_named_and_stays_unrecorded(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("a", "1"), NULL);
	toolcall_write_file(t, "state.json", "{'a': 5}");
	toolcall_write_file(t, "synonyms.json", "{}");
	for (int i = 0; i < 2; i++) {
		toolcall_reply_has(t, "log", "{}", "{'unrecorded':['state:a','synonyms.json'],");
		toolcall_reply_has(t, "log", "{'key':'a'}",
				   "{'unrecorded':['state:a'],'changes':[");
	}
}

#define WAITS(at, tool, subject)                                                                   \
	"{'waits':true,'at':'" at "','by':'test','tool':'" tool "','subject':'" subject "'"

/* Changes that could not be recorded, as they will be; what is no change stays apart. */
static void what_waits_is_told_change_by_change(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("state:a", "1"), NULL);
	toolcall_write_file(t, ".git/index.lock", "");
	toolcall_later();
	toolcall_replies(t, "set", SET("state:a", "2"), NULL);
	toolcall_replies(t, "set", SET("patterns:b", "1"), NULL);
	toolcall_replies(t, "delete", "{'key':'state:a'}", NULL);
	toolcall_reply_has(t, "log", "{}",
			   "{'changes':[" WAITS(T1, "memory_delete", "delete state:a") //
			   ",'refs':['state:a']}," WAITS(T1, "memory_set", "set patterns:b"));
	toolcall_replies(t, "log", "{'key':'state:a'}",
			 "{'changes':[" WAITS(T1, "memory_delete", "delete state:a") //
			 ",'items':[{'ref':'state:a','did':'deleted','record':'state:a@" T1
			 "','before':2}]}"
			 "," WAITS(T1, "memory_set", "set state:a")                            //
			 ",'items':[{'ref':'state:a','did':'changed','before':1,'after':2}]}," //
			 CHANGE(T0, "memory_set", "set state:a")                               //
			 ",'items':[{'ref':'state:a','did':'added','after':1}]}],'more':false,"
			 "'ref':'state:a'}");
	toolcall_reply_has(t, "log", "{'limit':1}", "'more':true");
	toolcall_reply_has(t, "blame", "{}",
			   "{'ref':'patterns:b','waits':true,'at':'" T1
			   "','by':'test','tool':'memory_set','subject':'set patterns:b'}");
	toolcall_reply_has(t, "diff", "{}", "'did':'deleted'");
	toolcall_write_file(t, "patterns.json", "{'b': 7}");
	toolcall_reply_has(t, "log", "{}", "{'unrecorded':['patterns:b'],'changes':[");
	toolcall_reply_has(t, "blame", "{}", "{'ref':'patterns:b','unrecorded':true}");
}

/* Nothing but .pending knows it then. */
static void what_waits_is_told_where_the_past_cannot_be_read(void **state)
{
	static const char *const faults[] = {".git/HEAD", ".git/refs/heads/main"};
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("state:a", "1"), NULL);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		char *text = tmpdir_read(&t->dir, faults[i]);

		toolcall_write_file(t, faults[i], "garbage\n");
		toolcall_replies(t, "set", i == 0 ? SET("state:a", "2") : SET("state:a", "3"),
				 NULL);
		toolcall_reply_has(t, "log", "{}", WAITS(T0, "memory_set", "set state:a"));
		toolcall_reply_has(t, "log", "{}", "older changes cannot be shown: ");
		toolcall_refused_with(t, "diff", "{}", ERR_NO_HISTORY, "is not recorded yet");
		tmpdir_write(&t->dir, faults[i], text);
		free(text);
		toolcall_replies(t, "set", i == 0 ? SET("state:b", "2") : SET("state:b", "3"),
				 NULL);
		toolcall_reply_has(t, "log", "{'limit':1}",
				   CHANGE(T0, "memory_set", "set state:b"));
	}
}

/* Each says that only the past cannot be read, and what to do. */
static void a_broken_history_says_what_is_safe(void **state)
{
	static const struct {
		const char *file;
		const char *text;
	} faults[] = {
		{".git/HEAD", "garbage\n"},
		{".git/HEAD", "ref: refs/heads/gone\n"},
		{".git/refs/heads/gone", "0123456789012345678901234567890123456789\n"},
	};
	static const char *const commands[] = {"log", "blame", "diff"};
	struct teststore *t = *state;

	toolcall_replies(t, "set", SET("a", "1"), NULL);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		toolcall_write_file(t, faults[i].file, faults[i].text);
		for (size_t c = 0; i != 1 && c < sizeof commands / sizeof *commands; c++)
			toolcall_refused_with(t, commands[c], "{'key':'a'}", ERR_NO_HISTORY,
					      "what is in the files and the archive is safe, and "
					      "kota doctor says how to go on");
		if (i != 0)
			continue;
		toolcall_refused_with(t, "revert", "{'key':'nobody'}", ERR_NOT_FOUND,
				      "the history cannot be used now");
		toolcall_reply_has(t, "undo", "{}", "'removed':['state:a']");
		toolcall_reply_has(t, "undo", "{}", "'restored':['state:a']");
	}
}

static void without_history_it_says_how_to_have_one(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "log", "{}", ERR_NO_HISTORY,
			 "there is no history yet: it begins with the next change");
	toolcall_write_file(t, "config.json", "{'git':'off'}");
	t->env = surroundings_plain;
	teststore_reopen(t);
	toolcall_refused(t, "log", "{}", ERR_NO_HISTORY,
			 "history is off; turn it on with \"git\": \"own\" in config.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tells_changes_from_new_to_old),
		TEST(tells_what_was_and_is_when_asked),
		TEST(tells_of_one_entry),
		TEST(a_key_that_is_gone_is_found_in_the_past),
		TEST(a_move_is_followed),
		TEST(the_archive_is_a_place_that_an_entry_comes_from),
		TEST(another_spelling_is_the_same_entry),
		TEST(two_spellings_beside_each_other_are_two_entries),
		TEST(what_is_not_recorded_is_named_and_stays_unrecorded),
		TEST(what_waits_is_told_change_by_change),
		TEST(what_waits_is_told_where_the_past_cannot_be_read),
		TEST(a_broken_history_says_what_is_safe),
		TEST(without_history_it_says_how_to_have_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
