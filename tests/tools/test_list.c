#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <errno.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

static void lists_refs_in_byte_order(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'b':1,'a':2,'\xc3\xa9':3,'B':4}");
	toolcall_write_file(t, "connections.json", "{'z':1}");
	toolcall_replies(
		t, "list", "{}",
		"{'refs':['connections:z','state:B','state:a','state:b','state:\xc3\xa9']}");
}

static void lists_one_category(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':1}");
	toolcall_write_file(t, "preferences.json", "{'z':1}");
	toolcall_replies(t, "list", "{'category':'preferences'}", "{'refs':['preferences:z']}");
	toolcall_replies(t, "list", "{'category':'patterns'}", "{'refs':[]}");
	toolcall_refused(t, "list", "{'category':'bogus'}", ERR_BAD_VALUE, NULL);
}

static void a_store_that_is_not_there_is_empty(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "list", "{}", "{'refs':[]}");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

/* Somebody else holds the lock, so that nothing can be moved. */
static void what_is_due_is_not_listed(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':1,'pinned':true}", NULL);
	fake_sys_set_now(fake_sys_now() + 91 * MS_PER_DAY);
	fake_sys_fail(FAKE_FLOCK, 1, EWOULDBLOCK, FAKE_ALWAYS);
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
	assert_true(fake_sys_hits() > 0);
}

static void warns_of_a_broken_file(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "patterns.json", "{'k':1}");
	tmpdir_write(&t->dir, "state.json", "{,}");
	toolcall_reply_has(t, "list", "{}", "{'refs':['patterns:k'],'warnings':['");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists_refs_in_byte_order),
		TEST(lists_one_category),
		TEST(a_store_that_is_not_there_is_empty),
		TEST(what_is_due_is_not_listed),
		TEST(warns_of_a_broken_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
