#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <stdlib.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

#define UPDATED(key, value)                                                                        \
	"{'key':'" key "','category':'state','created_at':'" T0 "','last_updated':'" T1            \
	"','value':" value

static void set(struct teststore *t, const char *call)
{
	toolcall_replies(t, "set", call, NULL);
	toolcall_later();
}

static void merges_objects(void **state)
{
	set(*state, "{'key':'limit','value':{'a':1,'b':2},'category':'state'}");
	toolcall_replies(*state, "update", "{'key':'Limit','addition':{'b':3,'c':4}}",
			 UPDATED("limit", "{'a':1,'b':3,'c':4}") "}");
	toolcall_reply_has(*state, "get", "{'query':'limit'}", "'value':{'a':1,'b':3,'c':4}");
}

static void appends_to_lists_and_texts(void **state)
{
	set(*state, "{'key':'list','value':[1.0]}");
	toolcall_replies(*state, "update", "{'key':'list','addition':[2,3]}", NULL);
	toolcall_replies(*state, "update", "{'key':'list','addition':{'a':1}}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'list'}", "'value':[1.0,2,3,{'a':1}]");
	set(*state, "{'key':'text','value':'one'}");
	toolcall_replies(*state, "update", "{'key':'text','addition':'two'}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'text'}", "'value':'one two'");
}

/* What results is told as a value while it is short, else as the beginning of its text. */
static void tells_what_results(void **state)
{
	STR_AUTO call = STR_INIT;
	STR_AUTO reply = STR_INIT;

	set(*state, "{'key':'text','value':'a'}");
	str_printf(&call, "{'key':'text','addition':'%0*d'}", 296, 0);
	str_printf(&reply, "'value':'a %0*d'}", 296, 0);
	toolcall_reply_has(*state, "update", call.ptr, reply.ptr);
	str_clear(&reply);
	str_printf(&reply, "'value':'a %0*d z...'}", 296, 0);
	toolcall_reply_has(*state, "update", "{'key':'text','addition':'zebra'}", reply.ptr);
}

static void a_text_that_is_json_is_merged_as_that(void **state)
{
	set(*state, "{'key':'list','value':[1]}");
	toolcall_replies(*state, "update", "{'key':'list','addition':'[2]'}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'list'}", "'value':[1,2]");
}

static void what_is_there_already_changes_nothing(void **state)
{
	struct teststore *t = *state;
	char *before;

	set(t, "{'key':'text','value':'one two'}");
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_replies(t, "update", "{'key':'text','addition':'two'}",
			 "{'key':'text','category':'state','created_at':'" T0
			 "','last_updated':'" T0 "','value':'one two','changed':false}");
	char *after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(after, before);
	toolcall_reply_has(t, "search", "{'refs':['text']}", "'hits':2");
	free(after);
	free(before);
}

static void a_displaced_value_is_archived(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'k','value':{'a':1}}");
	toolcall_replies(t, "update", "{'key':'k','addition':7}",
			 UPDATED("k", "7") ",'archived':'state:k@" T1 "'}");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:k@" T1 "']}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'value':7");
	toolcall_replies(t, "set", "{'key':'k','value':{'b':1}}", NULL);
	toolcall_reply_has(t, "update", "{'key':'k','addition':8}",
			   "'archived':'state:k@" T1 "#2'");
}

static void a_scalar_is_replaced_without_a_record(void **state)
{
	set(*state, "{'key':'k','value':1}");
	toolcall_replies(*state, "update", "{'key':'k','addition':2}", UPDATED("k", "2") "}");
	toolcall_replies(*state, "archived", "{}", "{'refs':[]}");
}

static void takes_a_ref_for_a_key(void **state)
{
	set(*state, "{'key':'k','value':[],'category':'preferences'}");
	set(*state, "{'key':'k','value':[],'category':'state'}");
	toolcall_reply_has(*state, "update", "{'key':'state:k','addition':1}",
			   "'category':'state'");
	toolcall_reply_has(*state, "update", "{'key':'k','addition':1}",
			   "'category':'preferences'");
}

static void an_unknown_key_is_named_with_the_nearest(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "update", "{'key':'missing','addition':1}", ERR_NOT_FOUND,
			 "key: \"missing\" is not in the store; memory_set stores a new entry");
	assert_int_equal(tmpdir_count(&t->dir), 0);
	set(t, "{'key':'main_editor','value':1}");
	toolcall_refused(t, "update", "{'key':'main editr','addition':1}", ERR_NOT_FOUND,
			 "key: \"main editr\" is not in the store; nearest: state:main_editor; "
			 "memory_set stores a new entry");
	toolcall_refused(t, "update", "{'key':'patterns:main_editor','addition':1}", ERR_NOT_FOUND,
			 NULL);
}

static void refuses_bad_arguments(void **state)
{
	toolcall_refused(*state, "update", "{}", ERR_MISSING_ARGUMENT, NULL);
	toolcall_refused(*state, "update", "{'key':'k'}", ERR_MISSING_ARGUMENT,
			 "addition: missing; give the JSON value to add");
	toolcall_refused(*state, "update", "{'key':' ','addition':1}", ERR_BLANK_ARGUMENT, NULL);
}

static void a_result_over_the_limit_changes_nothing(void **state)
{
	STR_AUTO call = STR_INIT;

	set(*state, "{'key':'k','value':'small'}");
	str_printf(&call, "{'key':'k','addition':'%0*d'}", 4096, 0);
	toolcall_refused(*state, "update", call.ptr, ERR_TOO_LARGE, NULL);
	toolcall_reply_has(*state, "get", "{'query':'k'}", "'value':'small'");
}

static void a_broken_file_is_named_before_a_key_is_called_unknown(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'k','value':1,'category':'patterns'}");
	tmpdir_write(&t->dir, "state.json", "{,}");
	toolcall_refused(t, "update", "{'key':'other','addition':1}", ERR_BAD_DATA, NULL);
	toolcall_refused(t, "update", "{'key':'patterns:other','addition':1}", ERR_NOT_FOUND, NULL);
	toolcall_reply_has(t, "update", "{'key':'k','addition':2}", "'value':2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(merges_objects),
		TEST(appends_to_lists_and_texts),
		TEST(tells_what_results),
		TEST(a_text_that_is_json_is_merged_as_that),
		TEST(what_is_there_already_changes_nothing),
		TEST(a_displaced_value_is_archived),
		TEST(a_scalar_is_replaced_without_a_record),
		TEST(takes_a_ref_for_a_key),
		TEST(an_unknown_key_is_named_with_the_nearest),
		TEST(refuses_bad_arguments),
		TEST(a_result_over_the_limit_changes_nothing),
		TEST(a_broken_file_is_named_before_a_key_is_called_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
