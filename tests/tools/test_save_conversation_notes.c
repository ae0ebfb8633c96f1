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

#define SAVED(created, updated)                                                                    \
	"{'key':'conversation_notes','category':'state','created_at':'" created                    \
	"','last_updated':'" updated "'"

static void saves_what_is_given(void **state)
{
	toolcall_replies(*state, "notes", "{'summary':'s'}", SAVED(T0, T0) "}");
	toolcall_reply_has(*state, "get", "{'query':'state:conversation_notes'}",
			   "'value':{'summary':'s','savedAt':'" T0 "'}");
}

static void saves_everything_in_one_order(void **state)
{
	toolcall_replies(*state, "notes",
			 "{'metadata':{'n': 1.0},'capturedAt':'2026-11-21T03:00:00-05:00',"
			 "'additionalContext':'c','nextSteps':['n'],'highlights':['h1','h2'],"
			 "'tone':'t','flow':'f','summary':'s'}",
			 SAVED(T0, T0) "}");
	toolcall_reply_has(*state, "get", "{'query':'conversation notes'}",
			   "'value':{'summary':'s','flow':'f','tone':'t','highlights':['h1','h2'],"
			   "'nextSteps':['n'],'additionalContext':'c','metadata':{'n':1.0},"
			   "'capturedAt':'2026-11-21T09:00:00.000+01:00','savedAt':'" T0 "'}");
}

static void the_snapshot_before_is_archived(void **state)
{
	toolcall_replies(*state, "notes", "{'summary':'one'}", NULL);
	toolcall_later();
	toolcall_replies(*state, "notes", "{'summary':'two'}", SAVED(T0, T1) "}");
	toolcall_later();
	toolcall_replies(*state, "notes", "{'summary':'three'}", NULL);
	toolcall_replies(*state, "archived", "{}",
			 "{'refs':['state:conversation_notes@" T1 "','state:conversation_notes@" T2
			 "']}");
	toolcall_reply_has(*state, "get", "{'query':'conversation_notes'}", "'summary':'three'");
}

static void refuses_bad_arguments(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "notes", "{}", ERR_MISSING_ARGUMENT,
			 "summary: missing; give what the conversation was about");
	toolcall_refused(t, "notes", "{'summary':''}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "notes", "{'summary':'s','highlights':['']}", ERR_BLANK_ARGUMENT,
			 "highlights: blank; give what stood out");
	toolcall_refused(t, "notes", "{'summary':'s','nextSteps':['a',' ']}", ERR_BLANK_ARGUMENT,
			 NULL);
	toolcall_refused(t, "notes", "{'summary':'s','metadata':[1]}", ERR_WRONG_TYPE, NULL);
	toolcall_refused(t, "notes", "{'summary':'s','capturedAt':'yesterday'}", ERR_BAD_VALUE,
			 "capturedAt: \"yesterday\" is not a time with an offset, like "
			 "2026-11-21T09:30:00+01:00");
	toolcall_refused(t, "notes", "{'summary':'s','capturedAt':'2026-11-21T09:30:00'}",
			 ERR_BAD_VALUE, NULL);
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void notes_over_the_limit_leave_those_before(void **state)
{
	STR_AUTO call = STR_INIT;

	toolcall_replies(*state, "notes", "{'summary':'one'}", NULL);
	str_printf(&call, "{'summary':'%0*d'}", 4096, 0);
	toolcall_refused(*state, "notes", call.ptr, ERR_TOO_LARGE, NULL);
	toolcall_reply_has(*state, "get", "{'query':'conversation_notes'}", "'summary':'one'");
	toolcall_replies(*state, "archived", "{}", "{'refs':[]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(saves_what_is_given),
		TEST(saves_everything_in_one_order),
		TEST(the_snapshot_before_is_archived),
		TEST(refuses_bad_arguments),
		TEST(notes_over_the_limit_leave_those_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
