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

static void archives_every_entry_of_the_state(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'b':1,'a':{'value':2,'pinned':true}}");
	toolcall_write_file(t, "patterns.json", "{'c':1}");
	toolcall_replies(t, "clear-state", "{}",
			 "{'cleared':true,'archived':['b','a'],'archivedAt':'" T0 "'}");
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:c']}");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:a@" T0 "','state:b@" T0 "']}");
	toolcall_reply_has(t, "get", "{'query':'state:b'}", "'reason':'state_clear'");
}

static void an_empty_state_is_not_cleared(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "patterns.json", "{'c':1}");
	toolcall_replies(t, "clear-state", "{}", "{'cleared':false,'archived':[]}");
	assert_false(tmpdir_has(&t->dir, "archive.json"));
}

static void a_store_that_is_not_there_is_not_made(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "clear-state", "{}", "{'cleared':false,'archived':[]}");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void a_broken_state_stops_it(void **state)
{
	struct teststore *t = *state;

	tmpdir_write(&t->dir, "state.json", "{\"a\":}");
	toolcall_refused(t, "clear-state", "{}", ERR_BAD_DATA, NULL);
	toolcall_file_is(t, "state.json", "{'a':}");
}

static void takes_no_arguments(void **state)
{
	toolcall_refused(*state, "clear-state", "{'all':true}", ERR_UNKNOWN_ARGUMENT,
			 "all: no such argument; memory_clear_state takes none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(archives_every_entry_of_the_state),
		TEST(an_empty_state_is_not_cleared),
		TEST(a_store_that_is_not_there_is_not_made),
		TEST(a_broken_state_stops_it),
		TEST(takes_no_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
