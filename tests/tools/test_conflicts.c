#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/map.h"
#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define OLD "2026-10-01T02:00:00.000+02:00"
#define NEW "2026-10-02T02:00:00.000+02:00"

/* state:a is "one", which won over "two"; state:b too, but was set to something else since. */
static void merged(struct teststore *t)
{
	STR_AUTO archive = STR_INIT;
	STR_AUTO front = STR_INIT;

	hex_add(&front, hash64(slice_of("\"one\"")));
	toolcall_write_file(t, "state.json",
			    "{'a':{'value':'one','last_updated':'" NEW "'},"
			    "'b':{'value':'three'},'c':'one'}\n");
	str_adds(&archive, "{'state':[");
	for (const char *key = "abx"; *key; key++)
		str_printf(&archive,
			   "%s{'key':'%c@" NEW "','originalKey':'%c','archivedAt':'" NEW
			   "','reason':'conflict','front':'%s','entry':{'value':'two',"
			   "'last_updated':'" OLD "'}}",
			   *key == 'a' ? "" : ",", *key, *key, front.ptr);
	str_adds(&archive, ",{'key':'c@" NEW "','originalKey':'c','archivedAt':'" NEW
			   "','reason':'conflict','entry':{'value':'two'}}]}\n");
	toolcall_write_file(t, "archive.json", archive.ptr);
}

static void shows_what_waits(void **state)
{
	struct teststore *t = *state;

	merged(t);
	toolcall_replies(t, "conflicts", "{}",
			 "{'conflicts':[{'ref':'state:a','value':'one','last_updated':'" NEW
			 "','conflict':'state:a@" NEW "','other':'two','other_updated':'" OLD
			 "'}],'count':1}");
	toolcall_replies(t, "conflicts", "{'key':'b'}", "{'conflicts':[],'count':0}");
	toolcall_replies(t, "get", "{'query':'state:a'}",
			 "{'key':'a','category':'state','value':'one','confidence':1,"
			 "'created_at':'" NEW "','last_updated':'" NEW "','archived':false,"
			 "'conflict':'state:a@" NEW "'}");
	toolcall_refused(t, "conflicts", "{'keep':true}", ERR_MISSING_ARGUMENT,
			 "key is missing: keep decides on one entry at a time");
	toolcall_refused(t, "conflicts", "{'key':'zebra','keep':true}", ERR_NOT_FOUND,
			 "key: \"zebra\" is not in conflict; kota conflicts lists the entries that "
			 "are");
}

static void keeping_decides(void **state)
{
	struct teststore *t = *state;

	merged(t);
	toolcall_replies(t, "conflicts", "{'key':'a','keep':true}",
			 "{'closed':['state:a@" NEW "']}");
	toolcall_replies(t, "conflicts", "{}", "{'conflicts':[],'count':0}");
	toolcall_replies(t, "restore", "{'key':'state:a@" NEW "','replace':true}", NULL);
	toolcall_replies(t, "conflicts", "{}", "{'conflicts':[],'count':0}");
}

static void so_does_any_change_and_a_deletion(void **state)
{
	struct teststore *t = *state;

	merged(t);
	toolcall_replies(t, "set", "{'key':'b','value':'one'}", NULL);
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_replies(t, "conflicts", "{'key':'a'}", NULL);
	/* What won over it is there again: nobody has said which holds. */
	toolcall_replies(t, "conflicts", "{'key':'b'}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':'four'}", NULL);
	toolcall_replies(t, "conflicts", "{}", "{'conflicts':[],'count':0}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shows_what_waits),
		TEST(keeping_decides),
		TEST(so_does_any_change_and_a_deletion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
