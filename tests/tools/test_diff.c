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

static void the_last_change_is_what_differs(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'b','value':2}", NULL);
	toolcall_replies(t, "diff", "{}",
			 CHANGE(T1, "memory_set", "set state:b") //
			 ",'items':[{'ref':'state:b','did':'added','after':2}]}");
	toolcall_replies(t, "diff", "{'key':'a'}",
			 CHANGE(T0, "memory_set", "set state:a") //
			 ",'items':[{'ref':'state:a','did':'added','after':1}]}");
	toolcall_refused(t, "diff", "{'key':'c'}", ERR_NOT_FOUND, NULL);
}

static void between_two_changes(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':2}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'a','value':3}", NULL);
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_replies(t, "diff", "{'from':'HEAD~3','to':'HEAD~1'}",
			 "{'from':" CHANGE(T0, "memory_set", "set state:a") //
			 "},'to':" CHANGE(T1, "memory_set", "set state:a")  //
			 "},'items':[{'ref':'state:a','did':'changed','before':1,'after':3},"
			 "{'ref':'state:b','did':'added','after':2}]}");
	toolcall_reply_has(t, "diff", "{'key':'a','from':'HEAD~3','to':'HEAD~2'}", "'items':[]}");
	toolcall_reply_has(t, "diff", "{'key':'a','from':'HEAD~3','to':'HEAD~1'}",
			   "'items':[{'ref':'state:a','did':'changed','before':1,'after':3}]}");
	toolcall_reply_has(t, "diff", "{'key':'a','from':'HEAD~3','to':'HEAD'}",
			   "'items':[{'ref':'state:a','did':'deleted','before':1}]}");
}

/* What is not recorded counts: "now" is what the files say. */
static void since_a_change(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'preferences:a','value':1}", NULL);
	toolcall_replies(t, "mv", "{'key':'a','new':'state:b'}", NULL);
	toolcall_write_file(t, "state.json", "{'b': 2, 'c': 3}");
	toolcall_reply_has(t, "diff", "{'key':'b','from':'HEAD~1'}",
			   "'items':[{'ref':'state:b','did':'changed','from':'preferences:a',"
			   "'before':1,'after':2");
	toolcall_reply_has(t, "diff", "{'from':'HEAD'}",
			   "{'ref':'state:c','did':'added','after':3}");
	toolcall_write_file(t, "config.json", "{}");
	toolcall_reply_has(t, "diff", "{'from':'HEAD'}", "'files':['config.json']");
}

static void refuses_what_is_no_change(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "diff", "{}", ERR_NO_HISTORY, NULL);
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_refused(t, "diff", "{'key':'a','from':'zzzz'}", ERR_NOT_FOUND,
			 "from: there is no change \"zzzz\"");
	toolcall_refused(t, "diff", "{'key':'a','from':'HEAD','to':'zzzz'}", ERR_NOT_FOUND,
			 "to: there is no change \"zzzz\"");
	toolcall_refused(t, "diff", "{'key':'0000'}", ERR_NOT_FOUND, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_last_change_is_what_differs),
		TEST(between_two_changes),
		TEST(since_a_change),
		TEST(refuses_what_is_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
