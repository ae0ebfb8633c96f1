#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

static void moves_the_entry_to_the_archive(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'Sunil','value':1,'category':'connections'}", NULL);
	toolcall_later();
	toolcall_replies(t, "delete", "{'key':'SUNIL'}",
			 "{'key':'Sunil','category':'connections','created_at':'" T0
			 "','last_updated':'" T0 "','deleted':true}");
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':['connections:Sunil@" T1 "']}");
}

static void a_bare_key_means_the_first_category(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "preferences.json", "{'k':1}");
	toolcall_write_file(t, "state.json", "{'k':1,'l':2}");
	toolcall_reply_has(t, "delete", "{'key':'k'}", "'category':'preferences'");
	toolcall_reply_has(t, "delete", "{'key':'state:l'}", "'category':'state'");
	toolcall_replies(t, "list", "{}", "{'refs':['state:k']}");
}

static void the_spelling_given_wins(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a b':1,'a_b':2}");
	toolcall_reply_has(t, "delete", "{'key':'a_b'}", "'key':'a_b'");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a b']}");
}

static void every_other_byte_stays(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{\n\t'a' :  1,\n\t'b':2,\n\t'c': [ 3 ]\n}");
	toolcall_replies(t, "delete", "{'key':'b'}", NULL);
	toolcall_file_is(t, "state.json", "{\n\t'a' :  1,\n\t'c': [ 3 ]\n}");
}

static void refuses_what_is_not_there(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "delete", "{'key':'missing'}", ERR_NOT_FOUND,
			 "key: \"missing\" is not in the store");
	toolcall_refused(t, "delete", "{'key':'state:missing'}", ERR_NOT_FOUND,
			 "key: \"missing\" is not in state");
	toolcall_refused(t, "delete", "{'key':' '}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "delete", "{}", ERR_MISSING_ARGUMENT,
			 "key: missing; give a key, or category:key");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

/* What was told twice is not forgotten: the other one is named, and answers for the name. */
static void names_the_entry_that_says_the_same(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set",
			 "{'key':'rye','category':'state',"
			 "'value':'Rye bread is baked on Wednesdays'}",
			 NULL);
	toolcall_later();
	toolcall_replies(t, "set",
			 "{'key':'baking plan','category':'state',"
			 "'value':'On Wednesdays rye bread is baked'}",
			 NULL);
	toolcall_later();
	toolcall_reply_has(t, "delete", "{'key':'rye'}",
			   "'similar':[{'ref':'state:baking plan','value':'On Wednesdays rye bread "
			   "is baked','says':'same'}]");
	toolcall_reply_has(t, "get", "{'query':'state:rye'}", "'answers_for':'state:rye'");
	toolcall_reply_has(t, "get", "{'query':'rye'}", "'key':'baking plan'");
	/* One undo takes all of it back. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_reply_has(t, "get", "{'query':'state:rye'}", "'key':'rye'");
	/* It answers for it in either order of telling, and no longer than it is there itself. */
	toolcall_reply_has(t, "delete", "{'key':'baking plan'}", "'ref':'state:rye'");
	toolcall_reply_has(t, "get", "{'query':'baking plan'}",
			   "'answers_for':'state:baking plan'");
	toolcall_replies(t, "delete", "{'key':'rye'}", NULL);
	toolcall_replies(t, "get", "{'query':'baking plan'}", "{'result':null}");
	toolcall_replies(t, "get", "{'query':'rye'}", "{'result':null}");
}

static void says_nothing_of_what_says_more_or_other(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set",
			 "{'key':'boat','category':'state','value':'The boat lies in Laboe'}",
			 NULL);
	toolcall_replies(t, "set",
			 "{'key':'berth','category':'state',"
			 "'value':'The boat lies in Laboe, berth 14'}",
			 NULL);
	toolcall_replies(t, "delete", "{'key':'boat'}",
			 "{'key':'boat','category':'state','created_at':'" T0
			 "','last_updated':'" T0 "','deleted':true}");
}

static void an_archived_entry_is_not_there_any_more(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'goal','value':1}", NULL);
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_refused(t, "delete", "{'key':'goal'}", ERR_NOT_FOUND,
			 "key: \"goal\" is not in the store");
	/* What is named as the nearest can be deleted. */
	toolcall_replies(t, "set", "{'key':'goal today','value':1}", NULL);
	toolcall_refused(t, "delete", "{'key':'goal'}", ERR_NOT_FOUND,
			 "key: \"goal\" is not in the store; nearest: state:goal today");
	/* And so can what else is near. */
	toolcall_replies(t, "set", "{'key':'goal tomorrow','value':1}", NULL);
	toolcall_refused(t, "delete", "{'key':'goal'}", ERR_NOT_FOUND,
			 "key: \"goal\" is not in the store; nearest: state:goal today, "
			 "state:goal tomorrow");
}

static void a_key_longer_than_a_new_one_may_be_can_be_deleted(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	str_printf(&text, "{'%0*d':1}", 2000, 7);
	toolcall_write_file(t, "state.json", text.ptr);
	str_clear(&text);
	str_printf(&text, "{'key':'%0*d'}", 2000, 8);
	toolcall_refused(t, "delete", text.ptr, ERR_NOT_FOUND, NULL);
	str_clear(&text);
	str_printf(&text, "{'key':'%0*d'}", 2000, 7);
	toolcall_reply_has(t, "delete", text.ptr, "'deleted':true");
}

/* By hand a key may be anything; what is listed can be deleted. */
static void blank_keys_can_be_deleted_by_their_ref(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'':1,' ':2,' a':3,'a':4}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:','state: ','state: a','state:a']}");
	toolcall_reply_has(t, "delete", "{'key':'state: a'}", "'key':' a'");
	toolcall_reply_has(t, "delete", "{'key':'state:'}", "'key':''");
	toolcall_reply_has(t, "delete", "{'key':'state: '}", "'key':' '");
	toolcall_file_is(t, "state.json", "{'a':4}");
	toolcall_refused(t, "delete", "{'key':'state: '}", ERR_BLANK_ARGUMENT,
			 "key: no key follows the category; give category:key");
}

static void a_broken_archive_stops_it(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'k':1}");
	tmpdir_write(&t->dir, "archive.json", "[");
	toolcall_refused(t, "delete", "{'key':'k'}", ERR_BAD_DATA, NULL);
	toolcall_file_is(t, "state.json", "{'k':1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(moves_the_entry_to_the_archive),
		TEST(a_bare_key_means_the_first_category),
		TEST(the_spelling_given_wins),
		TEST(every_other_byte_stays),
		TEST(refuses_what_is_not_there),
		TEST(names_the_entry_that_says_the_same),
		TEST(says_nothing_of_what_says_more_or_other),
		TEST(an_archived_entry_is_not_there_any_more),
		TEST(a_key_longer_than_a_new_one_may_be_can_be_deleted),
		TEST(blank_keys_can_be_deleted_by_their_ref),
		TEST(a_broken_archive_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
