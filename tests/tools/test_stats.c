#include "support/toolcall.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)
#define TEST_WITH_HISTORY(f)                                                                       \
	cmocka_unit_test_setup_teardown(f, toolcall_set_up_with_history, toolcall_tear_down)

#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1

#define NO_CATEGORIES                                                                              \
	"'categories':{'preferences':{'entries':0,'bytes':0},'connections':{'entries':0,"          \
	"'bytes':0},'patterns':{'entries':0,'bytes':0},'shortcuts':{'entries':0,'bytes':0},"       \
	"'state':{'entries':0,'bytes':0}}"

static void nothing_yet(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "stats", "{}",
			   "'entries':0,'pinned':0,'promoted':0,'bytes':0,"
			   "'limits':{'entries_per_category':100,'entry_bytes':4096,"
			   "'total_bytes':51200,'expiry_days':90}," NO_CATEGORIES
			   ",'most_used':[],'archive':{'records':0,'bytes':0},"
			   "'cold':{'records':0,'bytes':0},'notes':{'count':0},"
			   "'relations':{'count':0,'hidden':0,'bytes':0},'usage':{'bytes':0},"
			   "'writes':{'by':'entries','total':0,'days':[0,0,");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void entries_and_bytes(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json",
			    "{'limits.entries_per_category':7,'limits.total_bytes':9999}");
	toolcall_write_file(t, "preferences.json",
			    "{'a':{'value':1,'pinned':true},'b':{'value':2,'status':'promoted'}}");
	toolcall_write_file(t, "state.json", "{'c':3}");
	toolcall_write_file(t, "archive.json",
			    "{'state':[{'key':'z@" T0 "','originalKey':'z','archivedAt':'" T0
			    "','reason':'evicted','entry':{'value':1}}]}");
	toolcall_reply_has(t, "stats", "{}", "'entries':3,'pinned':1,'promoted':1,'bytes':229,");
	toolcall_reply_has(t, "stats", "{}", "'entries_per_category':7,");
	toolcall_reply_has(t, "stats", "{}", "'total_bytes':9999,");
	toolcall_reply_has(t, "stats", "{}", "'preferences':{'entries':2,'bytes':67}");
	toolcall_reply_has(t, "stats", "{}", "'state':{'entries':1,'bytes':7}");
	toolcall_reply_has(t, "stats", "{}", "'archive':{'records':1,'bytes':155}");
}

static void what_stands_out(void **state)
{
	struct teststore *t = *state;

	toolcall_try(t, "set", "{'key':'first','value':'x'}");
	toolcall_later();
	toolcall_try(t, "set", "{'key':'second','value':'a longer one'}");
	toolcall_reply_has(t, "stats", "{}",
			   "'oldest':{'ref':'state:first','created_at':'" T0 "'},"
			   "'newest':{'ref':'state:second','created_at':'" T1 "'},"
			   "'largest':{'ref':'state:second','bytes':");
	toolcall_reply_has(t, "stats", "{}", "'most_used':[]");
	toolcall_try(t, "get", "{'query':'second'}");
	toolcall_reply_has(t, "stats", "{}",
			   "'most_used':[{'ref':'state:second','uses':0,'hits':1}]");
}

static void the_five_that_are_used_most(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;

	toolcall_write_file(t, "state.json",
			    "{'a':{'value':1,'hits':3},'b':{'value':1,'hits':9},"
			    "'c':{'value':1,'hits':1},'d':{'value':1,'hits':3},"
			    "'e':{'value':1,'hits':4},'f':{'value':1,'hits':0},"
			    "'g':{'value':1,'hits':2}}");
	toolcall_reply(t, "stats", "{}", &reply);
	assert_non_null(strstr(reply.ptr,
			       "\"most_used\":[{\"ref\":\"state:b\",\"uses\":0,\"hits\":9},"
			       "{\"ref\":\"state:e\",\"uses\":0,\"hits\":4},"
			       "{\"ref\":\"state:a\",\"uses\":0,\"hits\":3},"
			       "{\"ref\":\"state:d\",\"uses\":0,\"hits\":3},"
			       "{\"ref\":\"state:g\",\"uses\":0,\"hits\":2}]"));
}

static void what_is_beside_the_entries(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':1,'b':1}");
	toolcall_write_file(t, "relations.json",
			    "{'r1':{'from':'state:a','to':'state:b'},"
			    "'r2':{'from':'state:a','to':'state:gone'}}");
	assert_int_equal(mkdirat(t->dir.fd, "notes", 0700), 0);
	tmpdir_write(&t->dir, "notes/one.md", "# One\n");
	assert_int_equal(mkdirat(t->dir.fd, "archive.cold", 0700), 0);
	toolcall_write_file(t, "archive.cold/2026-11.jsonl",
			    "{'category':'state','key':'z@" T0
			    "','originalKey':'z','archivedAt':'" T0
			    "','reason':'evicted','entry':{'value':1}}\n");
	toolcall_reply_has(t, "stats", "{}", "'cold':{'records':1,'bytes':163}");
	toolcall_reply_has(t, "stats", "{}", "'notes':{'count':1}");
	toolcall_reply_has(t, "stats", "{}", "'relations':{'count':2,'hidden':1,'bytes':82}");
}

static void what_is_due_does_not_count(void **state)
{
	struct teststore *t = *state;

	toolcall_try(t, "set", "{'key':'a','value':1}");
	fake_sys_set_now(fake_sys_now() + 91 * MS_PER_DAY);
	toolcall_reply_has(t, "stats", "{}", "'entries':0,");
	toolcall_reply_has(t, "stats", "{}", "'archive':{'records':1,");
}

static void the_history(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;

	toolcall_try(t, "set", "{'key':'a','value':1}");
	toolcall_try(t, "set", "{'key':'b','value':1}");
	toolcall_reply(t, "stats", "{}", &reply);
	assert_non_null(strstr(reply.ptr, "\"history\":{\"changes\":3,\"bytes\":"));
	assert_null(strstr(reply.ptr, "\"history\":{\"changes\":3,\"bytes\":0}"));
}

/* Days of eight weeks, the last one today's, as they are where this runs. */
static void days_by_the_history(void **state)
{
	struct teststore *t = *state;

	toolcall_try(t, "set", "{'key':'a','value':1}");
	toolcall_reply_has(t, "stats", "{}", "'writes':{'by':'history','total':2,'days':[0,");
	toolcall_reply_has(t, "stats", "{}", ",0,2]}");
	/* Nine in the morning: fifteen hours later it is tomorrow, fourteen later it is not. */
	fake_sys_set_now(TESTSTORE_NOW + 14 * MS_PER_DAY / 24);
	toolcall_reply_has(t, "stats", "{}", ",0,2]}");
	fake_sys_set_now(TESTSTORE_NOW + 15 * MS_PER_DAY / 24);
	toolcall_reply_has(t, "stats", "{}", ",0,2,0]}");
	fake_sys_set_now(TESTSTORE_NOW + 55 * MS_PER_DAY);
	toolcall_reply_has(t, "stats", "{}", "'total':2,'days':[2,0,");
	fake_sys_set_now(TESTSTORE_NOW + 56 * MS_PER_DAY);
	toolcall_reply_has(t, "stats", "{}", "'total':0,'days':[0,0,");
}

static void days_by_the_times_of_entries(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(
		t, "state.json",
		"{'a':{'value':1,'created_at':'2026-11-20T09:00:00Z','last_updated':'" T0
		"'},'b':{'value':1,'created_at':'" T0 "','last_updated':'" T0
		"'},'c':2,'d':{'value':1,'created_at':'2027-01-01T09:00:00Z'}}");
	toolcall_write_file(t, "archive.json",
			    "{'state':[{'key':'z@" T0 "','originalKey':'z','archivedAt':'" T0
			    "','reason':'evicted','entry':{'value':1}}]}");
	toolcall_reply_has(t, "stats", "{}", "'by':'entries','total':4,'days':[0,");
	toolcall_reply_has(t, "stats", "{}", ",0,1,3]}");
}

static void settings_that_cannot_be_read(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits.entry_bytes':'x'}");
	toolcall_refused(t, "stats", "{}", ERR_BAD_DATA, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(nothing_yet),
		TEST(entries_and_bytes),
		TEST(what_stands_out),
		TEST(the_five_that_are_used_most),
		TEST(what_is_beside_the_entries),
		TEST(what_is_due_does_not_count),
		TEST_WITH_HISTORY(the_history),
		TEST_WITH_HISTORY(days_by_the_history),
		TEST(days_by_the_times_of_entries),
		TEST(settings_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
