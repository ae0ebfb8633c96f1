#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <unistd.h>

#include <stdlib.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

#define KEY_MAX 256
#define TIMES(created, updated) "'created_at':'" created "','last_updated':'" updated "'"

static void stores_a_new_entry(void **state)
{
	toolcall_replies(*state, "set", "{'key':'editor','value':'vim','category':'preferences'}",
			 "{'key':'editor','category':'preferences'," TIMES(T0, T0) "}");
	toolcall_file_is(*state, "preferences.json",
			 "{\n  'editor': {\n    'value': 'vim',\n    'created_at': '" T0
			 "',\n    'last_updated': '" T0 "'\n  }\n}\n");
}

static void infers_the_category_of_a_new_key(void **state)
{
	toolcall_reply_has(*state, "set", "{'key':'Team lead','value':1}",
			   "'category':'connections'");
	toolcall_reply_has(*state, "set", "{'key':'project','value':1}", "'category':'state'");
}

static void replaces_where_the_key_lives(void **state)
{
	toolcall_replies(*state, "set", "{'key':'Main Editor','value':1,'category':'shortcuts'}",
			 NULL);
	toolcall_later();
	toolcall_replies(
		*state, "set", "{'key':'main_editor','value':2}",
		"{'key':'Main Editor','category':'shortcuts'," TIMES(T0, T1) ",'replaced':1}");
	toolcall_replies(*state, "list", "{}", "{'refs':['shortcuts:Main Editor']}");
}

/* Cut where it is long, and never a secret that a person wrote there by hand. */
static void says_what_was_replaced(void **state)
{
	struct teststore *t = *state;
	STR_AUTO long_set = STR_INIT;
	STR_AUTO cut = STR_INIT;

	toolcall_replies(t, "set", "{'key':'x','value':{'a':[1.0]}}", NULL);
	toolcall_reply_has(t, "set", "{'key':'x','value':2}", "'replaced':{'a':[1.0]}}");
	toolcall_replies(t, "set", "{'key':'x','value':2}",
			 "{'key':'x','category':'state'," TIMES(T0, T0) "}");
	toolcall_reply_has(t, "set", "{'key':'X','value':2}", "'replaced':2}");
	str_adds(&long_set, "{'key':'x','value':'");
	str_adds(&cut, "'replaced':'");
	for (int i = 0; i < 200; i++) {
		str_adds(&long_set, "y ");
		str_adds(&cut, i < 60 ? "y " : "");
	}
	str_adds(&long_set, "'}");
	str_adds(&cut, "...'}");
	toolcall_replies(t, "set", long_set.ptr, NULL);
	toolcall_reply_has(t, "set", "{'key':'x','value':2}", cut.ptr);
	toolcall_write_file(t, "state.json",
			    "{'k':'ghp"
			    "_8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa'}");
	toolcall_reply_has(t, "set", "{'key':'k','value':2}", "'replaced':'[withheld: ");
}

static void a_category_given_makes_another_entry(void **state)
{
	toolcall_replies(*state, "set", "{'key':'x','value':1,'category':'state'}", NULL);
	toolcall_replies(*state, "set", "{'key':'x','value':2,'category':'patterns'}", NULL);
	toolcall_replies(*state, "list", "{}", "{'refs':['patterns:x','state:x']}");
	toolcall_reply_has(*state, "set", "{'key':'x','value':3}", "'category':'patterns'");
}

static void takes_a_ref_for_a_key(void **state)
{
	toolcall_reply_has(*state, "set", "{'key':'patterns: x','value':1}",
			   "{'key':'x','category':'patterns'");
	toolcall_reply_has(*state, "set", "{'key':'patterns:x','value':1,'category':'patterns'}",
			   "'category':'patterns'");
	toolcall_reply_has(*state, "set", "{'key':'Patterns:X','value':2}",
			   "{'key':'x','category':'patterns'");
	toolcall_reply_has(*state, "set", "{'key':'a:b','value':1}",
			   "{'key':'a:b','category':'state'");
	toolcall_refused(*state, "set", "{'key':'patterns:x','value':1,'category':'state'}",
			 ERR_BAD_VALUE,
			 "category: state contradicts key, which says patterns; give one of them");
	toolcall_refused(*state, "set", "{'key':'state: ','value':1}", ERR_BLANK_ARGUMENT,
			 "key: no key follows the category; give category:key");
}

static void keeps_the_exact_text_of_a_value(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set",
			 "{'key':'n','value':[9007199254740993, 1.0, 1e400, -0, '\\u00e9\\/']}",
			 NULL);
	toolcall_reply_has(t, "get", "{'query':'n'}",
			   "'value':[9007199254740993,1.0,1e400,-0,'\\u00e9\\/']");
	toolcall_replies(t, "set", "{'key':'none','value':null}", NULL);
	toolcall_reply_has(t, "get", "{'query':'none'}", "'value':null");
	toolcall_replies(t, "set", "{'key':'text','value':'{\\'a\\':1}'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'text'}", "'value':'{\\'a\\':1}'");
}

static void stores_the_fields_that_are_given(void **state)
{
	toolcall_replies(
		*state, "set",
		"{'key':'k','value':1,'category':'state','tags':['Big Idea','big idea','!','b'],"
		"'entities':['Ada  L','Ada L',' '],'strength':1.50,'importance':0.5,"
		"'confidence':1,'source':'chat','context':'','meta':{'a':[1]},'pinned':true}",
		NULL);
	toolcall_file_is(
		*state, "state.json",
		"{\n  'k': {\n    'value': 1,\n    'created_at': '" T0
		"',\n    'last_updated': '" T0
		"',\n    'tags': [\n      'big_idea',\n      'b'\n    ],\n    'entities': [\n"
		"      'Ada L'\n    ],\n    'strength': 1.50,\n    'importance': 0.5,\n"
		"    'confidence': 1,\n    'source': 'chat',\n    'context': '',\n    'meta': {\n"
		"      'a': [\n        1\n      ]\n    },\n    'pinned': true\n  }\n}\n");
}

static void every_other_field_stays(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{\n  'k': {'mine': 7, 'value': 1, 'tags': ['a'], 'created_at': '" T0
			    "', 'last_updated': '" T0 "'},\n  'other':   [1 ,2]\n}\n");
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'k','value':2,'source':'s'}",
			 "{'key':'k','category':'state'," TIMES(T0, T1) ",'replaced':1}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'value':2");
	char *text = tmpdir_read(&t->dir, "state.json");
	assert_non_null(strstr(text, "\"mine\": 7"));
	assert_non_null(strstr(text, "\"a\""));
	assert_non_null(strstr(text, "  \"other\":   [1 ,2]\n}\n"));
	free(text);
}

static void a_bare_entry_keeps_when_it_was_first_seen(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'z','value':1}", NULL);
	toolcall_write_file(t, "patterns.json", "{'k':'old'}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'created_at':'" T0 "'");
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'k','value':'new'}",
			 "{'key':'k','category':'patterns'," TIMES(T0, T1) ",'replaced':'old'}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'created_at':'" T0 "'");
}

static void refuses_bad_arguments(void **state)
{
	toolcall_refused(*state, "set", "{}", ERR_MISSING_ARGUMENT,
			 "key: missing; give a short name, or category:key");
	toolcall_refused(*state, "set", "{'key':'k'}", ERR_MISSING_ARGUMENT,
			 "value: missing; give the JSON value to remember");
	toolcall_refused(*state, "set", "{'key':'  ','value':1}", ERR_BLANK_ARGUMENT,
			 "key: blank; give a short name, or category:key");
	toolcall_refused(*state, "set", "{'key':'x','value':1,'category':'bogus'}", ERR_BAD_VALUE,
			 "category: \"bogus\" is none of preferences, connections, patterns, "
			 "shortcuts, state");
	toolcall_refused(*state, "set", "{'key':'x','value':1,'strength':3}", ERR_BAD_VALUE,
			 "strength: 3 is not between 1 and 2");
	toolcall_refused(*state, "set", "{'key':'x','value':1,'importance':-0.1}", ERR_BAD_VALUE,
			 "importance: -0.1 is not between 0 and 1");
	toolcall_refused(*state, "set", "{'key':'x','value':1,'meta':[]}", ERR_WRONG_TYPE,
			 "meta: expected an object, got a list");
	toolcall_replies(*state, "list", "{}", "{'refs':[]}");
}

static void refuses_keys_that_nobody_could_use(void **state)
{
	struct teststore *t = *state;
	STR_AUTO call = STR_INIT;

	toolcall_refused(t, "set", "{'key':'a\\u0000b','value':1}", ERR_BAD_VALUE,
			 "key: \"a\\x00b\" has control characters; give plain text");
	str_printf(&call, "{'key':'%0*d','value':1}", KEY_MAX, 0);
	toolcall_replies(t, "set", call.ptr, NULL);
	str_clear(&call);
	str_printf(&call, "{'key':'%0*d','value':1}", KEY_MAX + 1, 0);
	toolcall_refused(t, "set", call.ptr, ERR_TOO_LARGE,
			 "key: 257 bytes; at most 256 are allowed, put the rest into the value");
	toolcall_refused(t, "set", "{'key':'\\u200b \\u2060\\ufe0f','value':1}", ERR_BLANK_ARGUMENT,
			 "key: has no visible characters; give a name");
	toolcall_replies(t, "set", "{'key':'\xf0\x9f\x98\x80','value':1}", NULL);
	toolcall_reply_has(t, "get", "{'query':'\xf0\x9f\x98\x80'}", "'key':'\xf0\x9f\x98\x80'");
}

/* The argument of a list of n different tags. */
static void add_tags(struct str *call, int n)
{
	str_clear(call);
	str_adds(call, "{'key':'k','value':1,'tags':[");
	for (int i = 0; i < n; i++)
		str_printf(call, "%s't%d'", i > 0 ? "," : "", i);
	str_adds(call, "]}");
}

static void refuses_too_many_tags(void **state)
{
	STR_AUTO call = STR_INIT;

	add_tags(&call, 32);
	toolcall_replies(*state, "set", call.ptr, NULL);
	add_tags(&call, 33);
	toolcall_refused(*state, "set", call.ptr, ERR_BAD_VALUE,
			 "tags: more than 32; give those that matter most");
}

static void add_nested(struct str *call, const char *before, int depth, const char *behind)
{
	str_clear(call);
	str_adds(call, before);
	for (int i = 0; i < depth; i++)
		str_adds(call, "[");
	for (int i = 0; i < depth; i++)
		str_adds(call, "]");
	str_adds(call, behind);
}

static void refuses_what_is_nested_too_deep(void **state)
{
	STR_AUTO call = STR_INIT;

	add_nested(&call, "{'key':'k','value':", VALUE_DEPTH_MAX, "}");
	toolcall_replies(*state, "set", call.ptr, NULL);
	add_nested(&call, "{'key':'k','value':", VALUE_DEPTH_MAX + 1, "}");
	toolcall_refused(*state, "set", call.ptr, ERR_TOO_LARGE, NULL);
	add_nested(&call, "{'key':'k','value':1,'meta':{'a':", VALUE_DEPTH_MAX - 1, "}}");
	toolcall_replies(*state, "set", call.ptr, NULL);
	add_nested(&call, "{'key':'k','value':1,'meta':{'a':", VALUE_DEPTH_MAX, "}}");
	toolcall_refused(*state, "set", call.ptr, ERR_TOO_LARGE,
			 "meta: nested 25 deep; at most 24 levels are allowed");
}

static void refuses_what_is_too_large(void **state)
{
	STR_AUTO call = STR_INIT;

	str_printf(&call, "{'key':'k','value':'%0*d'}", 4096, 0);
	toolcall_refused(*state, "set", call.ptr, ERR_TOO_LARGE, NULL);
	toolcall_replies(*state, "list", "{}", "{'refs':[]}");
}

/* Nor does it make a store that is empty. */
static void what_is_refused_makes_no_store(void **state)
{
	struct teststore *t = *state;
	STR_AUTO call = STR_INIT;

	assert_int_equal(rmdir(t->dir.path), 0);
	str_printf(&call, "{'key':'k','value':'%0*d'}", 4096, 0);
	toolcall_refused(t, "set", call.ptr, ERR_TOO_LARGE, NULL);
	add_nested(&call, "{'key':'k','value':", VALUE_DEPTH_MAX + 1, "}");
	toolcall_refused(t, "set", call.ptr, ERR_TOO_LARGE, NULL);
	toolcall_refused(t, "set", "{'key':'a\\u0000b','value':1}", ERR_BAD_VALUE, NULL);
	str_clear(&call);
	str_printf(&call, "{'summary':'%0*d'}", 4096, 0);
	toolcall_refused(t, "notes", call.ptr, ERR_TOO_LARGE, NULL);
	assert_int_not_equal(access(t->dir.path, F_OK), 0);
	toolcall_replies(t, "set", "{'key':'k','value':1}", NULL);
	assert_int_equal(access(t->dir.path, F_OK), 0);
}

static void names_what_had_to_make_room(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'b','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'c','value':1}",
			 "{'key':'c','category':'state'," TIMES(T1, T1) ",'evicted':['state:a']}");
}

static void pins_at_most_half(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':4}}");
	toolcall_replies(t, "set", "{'key':'a','value':1,'pinned':true}", NULL);
	toolcall_replies(t, "set", "{'key':'b','value':1,'pinned':'true'}", NULL);
	toolcall_refused(t, "set", "{'key':'c','value':1,'pinned':true}", ERR_STORE_FULL, NULL);
	toolcall_replies(t, "set", "{'key':'a','value':2}", NULL);
	toolcall_replies(t, "set", "{'key':'a','value':2,'pinned':false}", NULL);
	toolcall_replies(t, "set", "{'key':'c','value':1,'pinned':true}", NULL);
}

static void a_pinned_entry_does_not_grow_over_half(void **state)
{
	struct teststore *t = *state;
	STR_AUTO call = STR_INIT;

	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':4096}}");
	str_printf(&call, "{'key':'k','value':'%0*d','pinned':true}", 1500, 0);
	toolcall_replies(t, "set", call.ptr, NULL);
	str_clear(&call);
	str_printf(&call, "{'key':'k','value':'%0*d'}", 2500, 0);
	toolcall_refused(t, "set", call.ptr, ERR_STORE_FULL, NULL);
	toolcall_replies(t, "set", "{'key':'k','value':'short'}", NULL);
}

static void what_a_person_pinned_over_half_can_still_be_set(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_write_file(t, "state.json",
			    "{'a':{'value':'a longer text than the one that follows, with times',"
			    "'pinned':true,'created_at':'" T0 "','last_updated':'" T0
			    "'},'b':{'value':1,'pinned':true}}");
	toolcall_replies(t, "set", "{'key':'a','value':'short'}", NULL);
	toolcall_refused(t, "set", "{'key':'c','value':1,'pinned':true}", ERR_STORE_FULL, NULL);
}

static void a_broken_file_stays_as_it_is(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1,'category':'patterns'}", NULL);
	tmpdir_write(&t->dir, "state.json", "{\n  oops\n}\n");
	toolcall_refused(t, "set", "{'key':'b','value':1,'category':'state'}", ERR_BAD_DATA, NULL);
	toolcall_file_is(t, "state.json", "{\n  oops\n}\n");
	toolcall_reply_has(t, "set", "{'key':'a','value':2}", "/state.json:2:3: ");
}

/* What may be in the file that cannot be read is not added a second time elsewhere. */
static void a_new_key_needs_a_category_beside_a_broken_file(void **state)
{
	struct teststore *t = *state;
	STR_AUTO sentence = STR_INIT;

	tmpdir_write(&t->dir, "state.json", "[]");
	str_printf(&sentence,
		   "category: give one, or fix the file that may hold \"my_preference\": "
		   "%s/state.json:1:1: the file must be an object, in { and }",
		   t->dir.path);
	toolcall_refused(t, "set", "{'key':'my_preference','value':2}", ERR_BAD_DATA, sentence.ptr);
	assert_false(tmpdir_has(&t->dir, "preferences.json"));
	toolcall_reply_has(t, "set", "{'key':'my_preference','value':2,'category':'preferences'}",
			   "'category':'preferences'");
	toolcall_reply_has(t, "set", "{'key':'my_preference','value':3}",
			   "'category':'preferences'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stores_a_new_entry),
		TEST(infers_the_category_of_a_new_key),
		TEST(replaces_where_the_key_lives),
		TEST(says_what_was_replaced),
		TEST(a_category_given_makes_another_entry),
		TEST(takes_a_ref_for_a_key),
		TEST(keeps_the_exact_text_of_a_value),
		TEST(stores_the_fields_that_are_given),
		TEST(every_other_field_stays),
		TEST(a_bare_entry_keeps_when_it_was_first_seen),
		TEST(refuses_bad_arguments),
		TEST(refuses_keys_that_nobody_could_use),
		TEST(refuses_too_many_tags),
		TEST(refuses_what_is_nested_too_deep),
		TEST(refuses_what_is_too_large),
		TEST(what_is_refused_makes_no_store),
		TEST(names_what_had_to_make_room),
		TEST(pins_at_most_half),
		TEST(a_pinned_entry_does_not_grow_over_half),
		TEST(what_a_person_pinned_over_half_can_still_be_set),
		TEST(a_broken_file_stays_as_it_is),
		TEST(a_new_key_needs_a_category_beside_a_broken_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
