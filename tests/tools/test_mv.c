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

#define MOVED(key, category, from)                                                                 \
	"{'key':'" key "','category':'" category "','created_at':'" T0 "','last_updated':'" T0     \
	"','from':'" from "'}"

static void renames_an_entry(void **state)
{
	toolcall_replies(*state, "set", "{'key':'a','value':1.0,'tags':['t']}", NULL);
	toolcall_later();
	toolcall_replies(*state, "mv", "{'key':'a','new':'b'}", MOVED("b", "state", "state:a"));
	toolcall_replies(*state, "list", "{}", "{'refs':['state:b']}");
	toolcall_replies(*state, "archived", "{}", "{'refs':[]}");
	toolcall_reply_has(*state, "get", "{'query':'b'}",
			   "'value':1.0,'confidence':1,'created_at':'" T0 "','last_updated':'" T0
			   "'");
}

static void moves_to_another_category(void **state)
{
	toolcall_replies(*state, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(*state, "mv", "{'key':'state:a','new':'patterns:a'}",
			 MOVED("a", "patterns", "state:a"));
	toolcall_replies(*state, "list", "{}", "{'refs':['patterns:a']}");
}

static void usage_goes_along(void **state)
{
	toolcall_replies(*state, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(*state, "get", "{'query':'a'}", NULL);
	toolcall_replies(*state, "get", "{'query':'a'}", NULL);
	toolcall_replies(*state, "mv", "{'key':'a','new':'b'}", NULL);
	toolcall_reply_has(*state, "search", "{'refs':['b']}", "'hits':3");
}

static void a_bare_entry_stays_bare(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a': 'vim', 'z': 1}");
	toolcall_replies(t, "mv", "{'key':'a','new':'b'}", MOVED("b", "state", "state:a"));
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':'vim'");
	toolcall_later();
	toolcall_reply_has(t, "get", "{'query':'b'}", "'created_at':'" T0 "'");
}

/* What a person wrote over the limit stays, also under another name. */
static void an_oversize_entry_moves_whole(void **state)
{
	STR_AUTO text = STR_INIT;
	struct teststore *t = *state;

	str_adds(&text, "{'a': '");
	for (int i = 0; i < 5000; i++)
		str_addc(&text, 'x');
	str_adds(&text, "'}");
	toolcall_write_file(t, "state.json", text.ptr);
	toolcall_replies(t, "mv", "{'key':'a','new':'b'}", MOVED("b", "state", "state:a"));
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
}

static void a_new_spelling_is_no_other_entry(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'main editor': 1}");
	toolcall_replies(t, "mv", "{'key':'main editor','new':'Main_Editor'}", NULL);
	toolcall_replies(t, "list", "{}", "{'refs':['state:Main_Editor']}");
}

static void what_is_there_already_is_in_the_way(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a': 1, 'b': 2}");
	toolcall_refused(t, "mv", "{'key':'a','new':'B'}", ERR_EXISTS,
			 "new: \"state:b\" exists already; delete it first, or choose another key");
	toolcall_refused(t, "mv", "{'key':'a','new':'a'}", ERR_EXISTS, NULL);
	toolcall_file_is(t, "state.json", "{'a': 1, 'b': 2}");
}

static void a_move_that_fails_keeps_the_usage(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "get", "{'query':'a'}", NULL);
	fake_sys_fail(FAKE_RENAMEAT2, 1, EIO, FAKE_ALWAYS);
	toolcall_refused(t, "mv", "{'key':'a','new':'b'}", ERR_IO, NULL);
	assert_true(fake_sys_hits() > 0);
	fake_sys_reset(fake_sys_now());
	toolcall_reply_has(t, "search", "{'refs':['a']}", "'hits':2");
}

/* The new key may have been used before: a move that fails takes nothing of that along. */
static void a_move_that_fails_adds_no_usage(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'b','value':1,'category':'patterns'}", NULL);
	toolcall_replies(t, "get", "{'query':'b'}", NULL);
	toolcall_replies(t, "get", "{'query':'b'}", NULL);
	toolcall_replies(t, "delete", "{'key':'patterns:b'}", NULL);
	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_replies(t, "set", "{'key':'p','value':1,'category':'patterns','pinned':true}",
			 NULL);
	toolcall_replies(t, "set", "{'key':'a','value':1,'category':'state','pinned':true}", NULL);
	toolcall_replies(t, "get", "{'query':'a'}", NULL);
	toolcall_refused(t, "mv", "{'key':'a','new':'patterns:b'}", ERR_STORE_FULL, NULL);
	toolcall_reply_has(t, "search", "{'refs':['a']}", "'hits':2");
}

static void refuses_bad_keys(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "mv", "{'key':'a'}", ERR_MISSING_ARGUMENT,
			 "new: missing; give the new key, or category:key");
	toolcall_refused(t, "mv", "{'key':'a','new':'b'}", ERR_NOT_FOUND, NULL);
	toolcall_refused(t, "mv", "{'key':'a','new':'state:'}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_write_file(t, "state.json", "{'a': 1}");
	toolcall_refused(t, "mv", "{'key':'a','new':'b\\nc'}", ERR_BAD_VALUE,
			 "new: \"b\\x0ac\" has control characters; give plain text");
	tmpdir_write(&t->dir, "patterns.json", "{,}");
	toolcall_refused(t, "mv", "{'key':'a','new':'patterns:a'}", ERR_BAD_DATA, NULL);
}

static void a_blank_key_gets_a_name(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'':1, ' ':2}");
	toolcall_reply_has(t, "mv", "{'key':'state:','new':'a'}", "'from':'state:'");
	toolcall_reply_has(t, "mv", "{'key':'state: ','new':'b'}", "'from':'state: '");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
}

static void a_full_category_makes_room(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':1}}");
	toolcall_replies(t, "set", "{'key':'a','value':1,'category':'patterns'}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':1,'category':'state'}", NULL);
	toolcall_reply_has(t, "mv", "{'key':'b','new':'patterns:b'}", "'evicted':['patterns:a']");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(renames_an_entry),
		TEST(moves_to_another_category),
		TEST(usage_goes_along),
		TEST(a_bare_entry_stays_bare),
		TEST(an_oversize_entry_moves_whole),
		TEST(a_new_spelling_is_no_other_entry),
		TEST(what_is_there_already_is_in_the_way),
		TEST(a_move_that_fails_keeps_the_usage),
		TEST(a_move_that_fails_adds_no_usage),
		TEST(refuses_bad_keys),
		TEST(a_blank_key_gets_a_name),
		TEST(a_full_category_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
