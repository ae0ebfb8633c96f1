/* Putting back in a store without a history. */
#include "support/toolcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)

static void set(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "set", arguments, NULL);
	toolcall_later();
}

static void an_overwritten_value(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1.0}");
	set(t, "{'key':'b','value':1}");
	set(t, "{'key':'a','value':2}");
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}",
			   "'value':1.0,'confidence':1,'match':'exact','created_at':'" TOOLCALL_T0
			   "','last_updated':'" TOOLCALL_T0 "'");
	/* The line is used; what the undo overwrote is there instead. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':2");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void deleted_and_cleared_entries(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':2}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_later();
	toolcall_replies(t, "revert", "{'key':'b'}", "{'restored':['state:b'],'removed':[]}");
	toolcall_replies(t, "revert", "{'key':'a'}", "{'restored':['state:a'],'removed':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void an_entry_that_made_another_go(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'c','value':3}");
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':['state:c']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	/* Nothing is lost: it can be had back as well. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}",
			 "{'restored':['state:c'],'removed':[],'evicted':['state:b']}");
}

static void nothing_says_what_was_before_a_new_entry(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_refused(t, "undo", "{}", ERR_NOT_FOUND,
			 "state:a was added last, and nothing was before it: kota delete takes it "
			 "away; without a history only what was archived or overwritten last can "
			 "be put back; turn one on with \"git\": \"own\" in config.json");
	set(t, "{'key':'a','value':2}");
	set(t, "{'key':'b','value':1}");
	toolcall_refused_with(t, "undo", "{}", ERR_NOT_FOUND, "state:b was added last");
	toolcall_replies(t, "undo", "{'force':true}", "{'restored':['state:a'],'removed':[]}");
	toolcall_refused_with(t, "revert", "{'key':'b'}", ERR_NOT_FOUND, "state:b was added last");
	toolcall_refused_with(t, "revert", "{'key':'nobody'}", ERR_NOT_FOUND, "nothing is kept");
}

static void what_was_changed_since_stays(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_write_file(t, "state.json", "{'a': 'mine'}");
	toolcall_refused_with(t, "undo", "{}", ERR_EXISTS, "state:a was changed since");
	toolcall_replies(t, "undo", "{'force':true}", "{'restored':['state:a'],'removed':[]}");
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':'mine'");
}

static void changes_cannot_be_named(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_refused(t, "undo", "{'change':'1234'}", ERR_NO_HISTORY,
			 "history is off; turn it on with \"git\": \"own\" in config.json");
	toolcall_refused_with(t, "revert", "{'key':'a','to':'1234'}", ERR_NO_HISTORY,
			      "history is off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_overwritten_value),          TEST(deleted_and_cleared_entries),
		TEST(an_entry_that_made_another_go), TEST(nothing_says_what_was_before_a_new_entry),
		TEST(what_was_changed_since_stays),  TEST(changes_cannot_be_named),
	};

	return cmocka_run_group_tests_name("revert without a history", tests, NULL, NULL);
}
