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

static void shows_all_that_a_change_did(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':[2]}", NULL);
	toolcall_later();
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_replies(t, "show", "{'change':'HEAD'}",
			 CHANGE(T1, "memory_clear_state", "clear_state state:a and 1 more") //
			 ",'items':[{'ref':'state:a','did':'archived','record':'state:a@" T1
			 "','reason':'state_clear','before':1},{'ref':'state:b','did':'archived',"
			 "'record':'state:b@" T1 "','reason':'state_clear','before':[2]}]}");
	toolcall_reply_has(t, "show", "{'change':'HEAD~3'}", "'files':['.gitignore','.kota']");
}

static void shows_an_edit_as_the_persons(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_write_file(t, "state.json", "{'a': 1, 'b': {'value': 2, 'note': 'mine'}}");
	toolcall_replies(t, "set", "{'key':'c','value':3}", NULL);
	toolcall_reply_has(t, "show", "{'change':'HEAD~1'}",
			   "'by':'Ada','by_hand':true,'subject':'edit state:a and 1 more','items':["
			   "{'ref':'state:a','did':'changed','fields':{'created_at':{'before':'" T0
			   "'},'last_updated':{'before':'" T0 "'}}},{'ref':'state:b','did':'added',"
			   "'after':2,'fields':{'note':{'after':'mine'}}}]");
}

static void a_text_that_does_not_parse_is_not_recorded(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_write_file(t, "patterns.json", "{,}");
	toolcall_replies(t, "set", "{'key':'state:c','value':3}", NULL);
	toolcall_reply_has(t, "show", "{'change':'HEAD~1'}", "'subject':'set state:a'");
}

static void refuses_what_is_no_change(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "show", "{'change':'abcd'}", ERR_NO_HISTORY, NULL);
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_refused(t, "show", "{'change':'00000000'}", ERR_NOT_FOUND,
			 "there is no change \"00000000\"");
	toolcall_refused(t, "show", "{}", ERR_MISSING_ARGUMENT, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shows_all_that_a_change_did),
		TEST(shows_an_edit_as_the_persons),
		TEST(a_text_that_does_not_parse_is_not_recorded),
		TEST(refuses_what_is_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
