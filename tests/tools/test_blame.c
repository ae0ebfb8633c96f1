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

#define BY(at, tool, subject)                                                                      \
	"'change':'ID','at':'" at "','by':'test','tool':'" tool "','subject':'" subject "'}"

static void who_gave_each_entry_its_value(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'patterns:a','value':1}", NULL);
	toolcall_write_file(t, "preferences.json", "{'mine': 1}");
	toolcall_replies(t, "set", "{'key':'state:b','value':2}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'state:b','value':2,'tags':['x']}", NULL);
	toolcall_replies(t, "mv", "{'key':'patterns:a','new':'patterns:z'}", NULL);
	toolcall_replies(t, "blame", "{}",
			 "{'entries':[{'ref':'preferences:mine','change':'ID','at':'" T0
			 "','by':'Ada','by_hand':true,'subject':'edit preferences:mine'},"
			 "{'ref':'patterns:z'," BY(T0, "memory_set", "set patterns:a") //
			 ",{'ref':'state:b'," BY(T0, "memory_set", "set state:b") "]}");
	toolcall_write_file(t, "preferences.json", "{'mine': 2}");
	toolcall_reply_has(t, "blame", "{}", "{'ref':'preferences:mine','unrecorded':true}");
	toolcall_reply_has(t, "blame", "{'key':'mine'}",
			   "{'ref':'preferences:mine','unrecorded':true}");
}

static void who_gave_each_field_its_value(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'p','value':{'a':1,'b':1,'c':1}}", NULL);
	toolcall_replies(t, "mv", "{'key':'p','new':'q'}", NULL);
	toolcall_later();
	toolcall_replies(t, "update", "{'key':'q','addition':{'b':2}}", NULL);
	toolcall_write_file(t, "state.json", "{'q':{'a':1,'b':2,'c':3}}");
	toolcall_replies(t, "blame", "{'key':'Q'}",
			 "{'entries':[{'ref':'state:q','field':'a'," BY(T0, "memory_set",
									"set state:p") //
			 ",{'ref':'state:q','field':'b'," BY(T1, "memory_update",
							     "update state:q") //
			 ",{'ref':'state:q','field':'c','unrecorded':true}]}");
}

static void what_was_archived_and_restored_is_still_whose_it_was(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'state:a','value':1}", NULL);
	toolcall_later();
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_write_file(t, "archive.json", "{}");
	toolcall_write_file(t, "state.json",
			    "{'a':{'value':1,'created_at':'" T0 "','last_updated':'" T0 "'}}");
	toolcall_replies(t, "set", "{'key':'patterns:x','value':1}", NULL);
	toolcall_reply_has(t, "blame", "{'key':'a'}",
			   "{'ref':'state:a'," BY(T0, "memory_set", "set state:a"));
	toolcall_reply_has(t, "blame", "{}",
			   "{'ref':'state:a'," BY(T0, "memory_set", "set state:a"));
}

static void an_empty_store_has_nobody_to_blame(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "blame", "{}", ERR_NO_HISTORY, NULL);
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_replies(t, "blame", "{}", "{'entries':[]}");
	toolcall_refused(t, "blame", "{'key':'a'}", ERR_NOT_FOUND,
			 "key: \"a\" is not in the store; kota log shows what became of it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_gave_each_entry_its_value),
		TEST(who_gave_each_field_its_value),
		TEST(what_was_archived_and_restored_is_still_whose_it_was),
		TEST(an_empty_store_has_nobody_to_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
