#include "support/pastcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)

static void set(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "set", arguments, NULL);
	toolcall_later();
}

static void one_key_as_it_was_after_a_change(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'a','value':2}");
	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'a','value':3}");
	pastcall_replies(t, "revert", "{'key':'a','to':'%s'}", 3,
			 "'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}",
			   "'value':1,'confidence':1,'created_at':'" TOOLCALL_T0
			   "','last_updated':'" TOOLCALL_T0 "'");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':2");
	pastcall_replies(t, "revert", "{'key':'a','to':'%s'}", 0, "'restored':[],'removed':[]}");
	pastcall_log_is(t, "revert state:a\nset state:a\nset state:b\nset state:a\nset state:a\n");
	pastcall_check_tree(t);
}

static void gone_where_it_was_not_there(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'a','value':1}");
	pastcall_replies(t, "revert", "{'key':'a','to':'%s'}", 1, "'removed':['state:a']");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void a_key_that_is_archived_now(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'Main Editor','value':1}");
	set(t, "{'key':'Main Editor','value':2}");
	toolcall_replies(t, "delete", "{'key':'Main Editor'}", NULL);
	pastcall_replies(t, "revert", "{'key':'main_editor','to':'%s'}", 2,
			 "'restored':['state:Main Editor']");
	toolcall_reply_has(t, "get", "{'query':'Main Editor'}", "'value':1");
}

/* Nothing has happened to it since that change: it was gone then as it is now. */
static void a_key_that_was_gone_already(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "mv", "{'key':'a','new':'b'}", NULL);
	toolcall_replies(t, "delete", "{'key':'b'}", NULL);
	set(t, "{'key':'c','value':1}");
	pastcall_replies(t, "revert", "{'key':'b','to':'%s'}", 0, "'restored':[],'removed':[]}");
	pastcall_replies(t, "revert", "{'key':'b','to':'%s'}", 1, "'restored':[],'removed':[]}");
	pastcall_replies(t, "revert", "{'key':'b','to':'%s'}", 3, "'restored':['state:b']");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':1");
}

static void names_are_followed(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'a','value':2}");
	toolcall_replies(t, "mv", "{'key':'a','new':'b'}", NULL);
	toolcall_replies(t, "mv", "{'key':'b','new':'patterns:c'}", NULL);
	set(t, "{'key':'c','value':3}");
	pastcall_replies(t, "revert", "{'key':'c','to':'%s'}", 4, "'restored':['patterns:c']");
	toolcall_reply_has(t, "get", "{'query':'c'}", "'value':1");
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:c']}");
}

static void the_last_change_of_a_key(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	toolcall_replies(t, "clear-state", "{}", NULL);
	set(t, "{'key':'c','value':1}");
	toolcall_reply_has(t, "revert", "{'key':'a'}",
			   "'subject':'clear_state state:a and 1 more','restored':['state:a'],"
			   "'removed':[]}");
	assert_int_equal(teststore_archived(t, "a", true), 0);
	assert_int_equal(teststore_archived(t, "b", true), 1);
	/* Of a rename both sides. */
	toolcall_replies(t, "mv", "{'key':'c','new':'d'}", NULL);
	toolcall_reply_has(t, "revert", "{'key':'d'}",
			   "'restored':['state:c'],'removed':['state:d']}");
	pastcall_check_tree(t);
}

static void what_is_refused(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_refused(t, "revert", "{}", ERR_MISSING_ARGUMENT,
			 "key: missing; give a key to revert, or a change to undo");
	toolcall_refused_with(t, "revert", "{'to':'1234'}", ERR_MISSING_ARGUMENT, "key: ");
	toolcall_refused_with(t, "revert", "{'key':'a','change':'1234'}", ERR_BAD_VALUE,
			      "change: ");
	toolcall_refused(t, "revert", "{'key':'nobody'}", ERR_NOT_FOUND,
			 "key: \"nobody\" is neither in the store nor in its history");
	toolcall_refused_with(t, "revert", "{'key':'state:'}", ERR_BLANK_ARGUMENT, "key: ");
	toolcall_refused_with(t, "revert", "{'key':'a','force':true}", ERR_UNKNOWN_ARGUMENT,
			      "force");
	toolcall_refused_with(t, "revert", "{'key':'a','to':'nothing'}", ERR_NOT_FOUND, "nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_key_as_it_was_after_a_change),
		TEST(gone_where_it_was_not_there),
		TEST(a_key_that_is_archived_now),
		TEST(a_key_that_was_gone_already),
		TEST(names_are_followed),
		TEST(the_last_change_of_a_key),
		TEST(what_is_refused),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("revert", tests, NULL, NULL);
}
