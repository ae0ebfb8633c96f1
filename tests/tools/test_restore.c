#include "support/pastcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define RECORDED(name)                                                                             \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

static void set(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "set", arguments, NULL);
	toolcall_later();
}

static void archive(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "delete", arguments, NULL);
	toolcall_later();
}

/* With its times, fields and number as they were written; the record is gone. */
static void the_entry_comes_back_as_it_was(void **state)
{
	struct teststore *t = *state;
	char *before;

	set(t, "{'key':'a','value':1.0,'tags':['t'],'meta':{'n':1e400}}");
	before = tmpdir_read(&t->dir, "state.json");
	archive(t, "{'key':'a'}");
	toolcall_replies(t, "restore", "{'key':'a'}",
			 "{'key':'a','category':'state','created_at':'" T0 "','last_updated':'" T0
			 "','restored':true,'from':'state:a@" T1 "','archivedAt':'" T1
			 "','reason':'deleted'}");
	toolcall_file_is(t, "state.json", before);
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	free(before);
}

static void a_key_means_its_newest_record(void **state)
{
	struct teststore *t = *state;

	for (int i = 0; i < 3; i++) {
		STR_AUTO text = STR_INIT;

		str_printf(&text, "{'key':'the goal','value':%d}", i);
		set(t, text.ptr);
		archive(t, "{'key':'the goal'}");
	}
	toolcall_reply_has(t, "restore", "{'key':'The_Goal'}", "'key':'the goal'");
	toolcall_reply_has(t, "get", "{'query':'the goal'}", "'value':2");
	toolcall_refused(t, "restore", "{'key':'the goal'}", ERR_EXISTS,
			 "key: state:the goal is active; replace archives it and puts the restored "
			 "entry in its place");
}

static void a_record_is_named_by_its_time(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	archive(t, "{'key':'a'}");
	set(t, "{'key':'a','value':2}");
	archive(t, "{'key':'a'}");
	toolcall_refused_with(t, "restore", "{'key':'state:a@" T2 "'}", ERR_NOT_FOUND,
			      "key: nothing is archived as \"state:a@" T2 "\"; ");
	toolcall_reply_has(t, "restore", "{'key':'state:a@" T1 "'}", "'from':'state:a@" T1 "'");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1");
	archive(t, "{'key':'a'}");
	/* In any spelling of the time, with or without the category. */
	toolcall_reply_has(t, "restore", "{'key':'A@2026-11-21T08:33:00Z'}",
			   "'from':'state:a@2026-11-21T09:33:00.000+01:00'");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':2");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_reply_has(t, "restore", "{'key':'a@2026-11-21T09:34:00.000+01:00'}",
			   "'restored':true");
}

static void one_time_may_have_several_records(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "archive.json",
			    "{'state':[{'key':'a@" T1 "','archivedAt':'" T1
			    "','entry':{'value':1}},"
			    "{'key':'a@" T1 "#2','archivedAt':'" T1 "','entry':{'value':2}}]}");
	toolcall_reply_has(t, "restore", "{'key':'state:a@" T1 "'}", "'restored':true");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1");
	toolcall_reply_has(t, "restore", "{'key':'state:a@" T1 "#2','replace':true}",
			   "'archived':'state:a@" T0 "'");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':2");
}

static void a_bare_key_means_the_first_category(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1,'category':'patterns'}");
	set(t, "{'key':'a','value':2,'category':'state'}");
	archive(t, "{'key':'patterns:a'}");
	archive(t, "{'key':'state:a'}");
	toolcall_reply_has(t, "restore", "{'key':'a'}", "'category':'patterns'");
	toolcall_reply_has(t, "restore", "{'key':'state:a'}", "'category':'state'");
	toolcall_refused(t, "restore", "{'key':'shortcuts:a'}", ERR_NOT_FOUND,
			 "key: nothing is archived as \"shortcuts:a\"; memory_list_archived lists "
			 "what is");
}

static void an_active_entry_is_replaced_when_told(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	archive(t, "{'key':'a'}");
	set(t, "{'key':'z','value':0}");
	set(t, "{'key':'A','value':2}");
	set(t, "{'key':'y','value':0}");
	toolcall_refused_with(t, "restore", "{'key':'a','replace':false}", ERR_EXISTS,
			      "state:A is active");
	toolcall_reply_has(t, "restore", "{'key':'a','replace':true}",
			   "'archived':'state:A@2026-11-21T09:35:00.000+01:00'}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:y','state:z']}");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:A@2026-11-21T09:35:00.000+01:00']}");
	toolcall_later();
	/* And back again. */
	toolcall_reply_has(t, "restore", "{'key':'a','replace':true}", "'reason':'replaced'");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':2");
}

/* The same spelling keeps its place in the file. */
static void every_other_byte_stays(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{\n\t'a' :  1,\n\t'b':2,\n\t'c': [ 3 ]\n}");
	toolcall_write_file(t, "archive.json",
			    "{\n  'patterns': [ {'key' : 'p@x', 'entry': 1} ],\n  'state': [\n"
			    "    {'originalKey':'b','entry':{'value':7}}\n  ]\n}");
	toolcall_reply_has(t, "restore", "{'key':'b','replace':true}", "'restored':true");
	toolcall_file_is(t, "state.json", "{\n\t'a' :  1,\n\t'b':{'value':7},\n\t'c': [ 3 ]\n}");
	toolcall_reply_has(t, "restore", "{'key':'p'}", "'category':'patterns'");
	toolcall_file_is(t, "patterns.json", "{\n  'p': 1\n}\n");
}

static void a_record_of_the_cold_archive_comes_back(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':400}}");
	for (char key = 'a'; key < 'g'; key++) {
		STR_AUTO text = STR_INIT;

		str_printf(&text, "{'key':'%c','value':'%0*d'}", key, 60, key);
		set(t, text.ptr);
	}
	toolcall_reply_has(t, "archived", "{}", "'state:a@");
	assert_int_equal(teststore_archived(t, "a", false), 0);
	assert_int_equal(teststore_archived(t, "a", true), 1);
	toolcall_reply_has(t, "restore", "{'key':'a'}", "'reason':'evicted'");
	toolcall_reply_has(t, "list", "{}", "'state:a'");
	assert_int_equal(teststore_archived(t, "a", true), 0);
}

/* Long unused, it is active from now on. */
static void what_comes_back_does_not_expire_for_its_age(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	fake_sys_set_now(fake_sys_now() + 100 * MS_PER_DAY);
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
	toolcall_reply_has(t, "restore", "{'key':'a'}", "'reason':'expiry'");
	toolcall_later();
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
	fake_sys_set_now(fake_sys_now() + 89 * MS_PER_DAY);
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
	fake_sys_set_now(fake_sys_now() + 2 * MS_PER_DAY);
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
}

static void it_is_known_how_often_it_was_asked_for(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	for (int i = 0; i < 3; i++)
		toolcall_replies(t, "get", "{'query':'a'}", NULL);
	archive(t, "{'key':'a'}");
	toolcall_replies(t, "restore", "{'key':'a'}", NULL);
	toolcall_reply_has(t, "search", "{'refs':['a']}", "'hits':4");
}

static void the_limits_hold(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	archive(t, "{'key':'a'}");
	set(t, "{'key':'big','value':'0123456789012345678901234567890123456789'}");
	archive(t, "{'key':'big'}");
	toolcall_write_file(t, "config.json",
			    "{'limits':{'entries_per_category':2,'entry_bytes':120}}");
	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'c','value':3}");
	toolcall_reply_has(t, "restore", "{'key':'a'}", "'evicted':['state:b']}");
	toolcall_refused_with(t, "restore", "{'key':'big'}", ERR_TOO_LARGE, "120");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:c']}");
	toolcall_reply_has(t, "archived", "{}", "'state:big@");
}

static void what_is_pinned_counts_as_pinned(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	set(t, "{'key':'a','value':1,'pinned':true}");
	archive(t, "{'key':'a'}");
	set(t, "{'key':'b','value':1,'pinned':true}");
	toolcall_refused_with(t, "restore", "{'key':'a'}", ERR_STORE_FULL, "pinned: 2 entries");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
}

static void a_secret_stays_where_it_is(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "archive.json",
			    "{'state':[{'key':'t@" T0 "','entry':'ghp"
			    "_8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa'}]}");
	toolcall_refused_with(t, "restore", "{'key':'t'}", ERR_BAD_VALUE, "state:t");
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
}

static void refuses_what_is_not_there(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "restore", "{'key':'a'}", ERR_NOT_FOUND,
			 "key: nothing is archived as \"a\"; memory_list_archived lists what is");
	toolcall_refused(t, "restore", "{'key':' '}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "restore", "{}", ERR_MISSING_ARGUMENT,
			 "key: missing; give key or ref@time");
	toolcall_refused(t, "restore", "{'key':'a','replace':'perhaps'}", ERR_WRONG_TYPE, NULL);
	toolcall_refused_with(t, "restore", "{'key':'a','force':true}", ERR_UNKNOWN_ARGUMENT,
			      "force");
	assert_int_equal(tmpdir_count(&t->dir), 0);
	set(t, "{'key':'a','value':1}");
	toolcall_refused(t, "restore", "{'key':'A'}", ERR_NOT_FOUND,
			 "key: nothing is archived as \"A\"; state:a is active");
}

static void a_file_that_cannot_be_read_stops_it(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	archive(t, "{'key':'a'}");
	tmpdir_write(&t->dir, "state.json", "[");
	toolcall_refused_with(t, "restore", "{'key':'a'}", ERR_BAD_DATA, "state.json:1:");
	tmpdir_write(&t->dir, "state.json", "{}");
	tmpdir_write(&t->dir, "archive.json", "[");
	toolcall_refused_with(t, "restore", "{'key':'a'}", ERR_BAD_DATA, "archive.json:1:");
}

static void undo_takes_it_back(void **state)
{
	struct teststore *t = *state;
	char *entries;
	char *records;

	set(t, "{'key':'a','value':1}");
	archive(t, "{'key':'a'}");
	set(t, "{'key':'a','value':2}");
	entries = tmpdir_read(&t->dir, "state.json");
	records = tmpdir_read(&t->dir, "archive.json");
	toolcall_replies(t, "restore", "{'key':'a','replace':true}", NULL);
	pastcall_check_tree(t);
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'subject':'restore state:a'");
	toolcall_file_is(t, "state.json", entries);
	toolcall_file_is(t, "archive.json", records);
	toolcall_reply_has(t, "undo", "{}", "'subject':'undo restore state:a'");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1");
	pastcall_check_tree(t);
	free(entries);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_entry_comes_back_as_it_was),
		TEST(a_key_means_its_newest_record),
		TEST(a_record_is_named_by_its_time),
		TEST(one_time_may_have_several_records),
		TEST(a_bare_key_means_the_first_category),
		TEST(an_active_entry_is_replaced_when_told),
		TEST(every_other_byte_stays),
		TEST(a_record_of_the_cold_archive_comes_back),
		TEST(what_comes_back_does_not_expire_for_its_age),
		TEST(it_is_known_how_often_it_was_asked_for),
		TEST(the_limits_hold),
		TEST(what_is_pinned_counts_as_pinned),
		TEST(a_secret_stays_where_it_is),
		TEST(refuses_what_is_not_there),
		TEST(a_file_that_cannot_be_read_stops_it),
		RECORDED(undo_takes_it_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
