#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/view/relations.h"
#include "support/toolcall.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define HISTORY(name)                                                                              \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define OLD "'2026-09-01T10:00:00.000+02:00'"
#define OLDER "'2026-08-25T10:00:00.000+02:00'"
#define TIMES(t) "'created_at':" t ",'last_updated':" t

/* Two that say the same, two that contradict each other, two objects, a list. */
static void write_entries(struct teststore *t)
{
	toolcall_write_file(
		t, "state.json",
		"{\n"
		"  'a': {'value': 'User prefers dark mode', " TIMES(
			OLD) ", 'tags': ['ui']},\n"
			     "  'b': {'value': 'user prefers dark mode', " TIMES(
				     OLDER) ", 'tags': ['x'],"
					    " 'confidence': 0.5},\n"
					    "  'c': {'value': 'Logs are kept for 30 days', " TIMES(
						    OLD) "},\n"
							 "  'd': {'value': 'Logs are kept for 90 "
							 "days', " TIMES(
								 OLD) "},\n"
								      "  'o': {'value': {'port': "
								      "1, 'host': 'x'}, " TIMES(
									      OLD) "},\n"
										   "  'p': "
										   "{'value': "
										   "{'port': "
										   "2}, " TIMES(
											   OLD) "},"
												"\n"
												"  "
												"'l"
												"':"
												" {"
												"'v"
												"al"
												"ue"
												"':"
												" ["
												"1]"
												","
												" " TIMES(
													OLD) "}\n"
													     "}\n");
}

static void a_preview_changes_nothing(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	write_entries(t);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_replies(
		t, "merge", "{'refs':['a','state:b']}",
		"{'success':true,'mode':'preview','auto_detect':false,'candidates_found':1,"
		"'previews':[{'cluster_id':'cluster-e5dc8e6f94e59ded','refs':['state:a','state:b'],"
		"'memory_count'"
		":2,'cohesion':1,"
		"'action':'merge','new_memory_id':'state:b','merged_content_preview':"
		"'user prefers dark mode','merged_entities':[],'merged_tags':['x','ui'],"
		"'calculated_strength':1.2,'bytes':176}]}");
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(before, after);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
	free(before);
	free(after);
}

static void what_is_merged_is_one_entry(void **state)
{
	struct teststore *t = *state;
	const struct link *links;
	struct err err;
	size_t count;

	write_entries(t);
	toolcall_reply_has(t, "merge", "{'refs':['a','b'],'mode':'apply'}",
			   "{'success':true,'mode':'apply','new_memory_id':'state:b','source_ids':["
			   "'state:a','state:b'],'relation_ids':['rel-");
	toolcall_reply_has(t, "get", "{'query':'state:b'}", "'value':'user prefers dark mode'");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:a@" T0 "','state:b@" T0 "']}");
	teststore_refresh(t);
	assert_null(store_find_ref(t->store, slice_of("state:a")));
	assert_int_equal(store_links(t->store, &links, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_int_equal(links[0].relation.type, RELATION_CONSOLIDATED_FROM);
}

static void one_undo_brings_all_back(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	write_entries(t);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_reply_has(t, "merge", "{'refs':['a','b','c'],'mode':'apply'}",
			   "'archived_count':2");
	toolcall_reply_has(t, "undo", "{}", "merge");
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(before, after);
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	free(before);
	free(after);
}

/* What each way of keeping leaves as the value and under which key. */
static const struct {
	const char *keep;
	const char *ref;
	const char *value;
} keeps[] = {
	{"combine", "state:b", "'Logs are kept for 30 days\\n\\nuser prefers dark mode'"},
	{"higher_confidence", "state:c", "'Logs are kept for 30 days'"},
	{"higher_access", "state:b", "'user prefers dark mode'"},
	{"first", "state:b", "'user prefers dark mode'"},
	{"second", "state:c", "'Logs are kept for 30 days'"},
};

static void keep_says_what_remains(void **state)
{
	struct teststore *t = *state;

	for (size_t i = 0; i < sizeof keeps / sizeof keeps[0]; i++) {
		STR_AUTO arguments = STR_INIT;
		STR_AUTO part = STR_INIT;

		unlinkat(t->dir.fd, "usage.jsonl", 0);
		write_entries(t);
		teststore_reopen(t);
		toolcall_reply_has(t, "get", "{'query':'state:b'}", "'key':'b'");
		str_printf(&arguments, "{'refs':['b','c'],'mode':'apply','keep':'%s'}",
			   keeps[i].keep);
		str_printf(&part, "'new_memory_id':'%s'", keeps[i].ref);
		toolcall_reply_has(t, "merge", arguments.ptr, part.ptr);
		str_clear(&arguments);
		str_printf(&arguments, "{'query':'%s'}", keeps[i].ref);
		str_clear(&part);
		str_printf(&part, "'value':%s", keeps[i].value);
		toolcall_reply_has(t, "get", arguments.ptr, part.ptr);
	}
}

/* Put together, c and d would say both. */
static void what_contradicts_is_not_combined(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	write_entries(t);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_reply_has(t, "merge", "{'refs':['c','d']}",
			   "'action':'review','reason':'state:c and state:d contradict each other: "
			   "one says \\'30\\', the other \\'90\\'','conflicts':");
	toolcall_reply_has(t, "merge", "{'refs':['c','d']}",
			   "'conflicts':[{'refs':['state:c','state:d'],'reason':");
	toolcall_reply_has(t, "merge", "{'refs':['c','d']}",
			   "'suggest':{'from':'state:c','to':'state:d','type':'contradicts'}");
	toolcall_refused(t, "merge", "{'refs':['c','d'],'mode':'apply'}", ERR_BAD_VALUE,
			 "refs: state:c and state:d contradict each other: one says \"30\", the "
			 "other \"90\"; use keep to choose whose value stays, value to give "
			 "another, or mode link");
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
	toolcall_reply_has(t, "merge", "{'refs':['c','d'],'mode':'apply','keep':'second'}",
			   "'conflicts':[");
	toolcall_reply_has(t, "get", "{'query':'state:d'}", "'value':'Logs are kept for 90 days'");
}

/* No number, no opposite: the newer one says that it has changed. */
static void what_has_changed_is_not_combined(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'preferences:ci','value':'CI runs on GitHub Actions'}",
			 NULL);
	toolcall_later();
	toolcall_replies(t, "set",
			 "{'key':'preferences:ci host','value':'CI moved to GitLab pipelines in "
			 "March'}",
			 NULL);
	toolcall_refused_with(t, "merge", "{'refs':['ci host','preferences:ci'],'mode':'apply'}",
			      ERR_BAD_VALUE, "contradict each other");
}

/* Two events are two, whatever their numbers. */
static void what_happened_twice_may_be_combined(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set",
			 "{'key':'state:leak may','value':'Pump 3 failed at night, replaced it'}",
			 NULL);
	toolcall_replies(t, "set",
			 "{'key':'state:leak june','value':'Pump 5 failed at night, replaced it'}",
			 NULL);
	toolcall_reply_has(t, "merge", "{'refs':['leak may','leak june'],'mode':'apply'}",
			   "'new_memory_id':'state:leak may'");
}

static void the_wording_may_be_given(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_reply_has(t, "merge", "{'refs':['c','d'],'value':'Logs: 30 days, audit 90'}",
			   "'action':'merge','new_memory_id':'state:c','merged_content_preview':"
			   "'Logs: 30 days, audit 90'");
	toolcall_reply_has(t, "merge",
			   "{'refs':['c','d'],'value':'Logs: 30 days, audit 90','mode':'apply'}",
			   "'archived_count':1");
	toolcall_reply_has(t, "get", "{'query':'state:c'}", "'value':'Logs: 30 days, audit 90'");
	toolcall_reply_has(t, "merge",
			   "{'refs':['o','l'],'value':{'port':3},'keep':'second','mode':'apply'}",
			   "'new_memory_id':'state:l'");
	toolcall_reply_has(t, "get", "{'query':'state:l'}", "'value':{'port':3}");
	toolcall_refused_with(t, "merge",
			      "{'refs':['a','b'],'mode':'apply',"
			      "'value':'ghp_"
			      "8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa'}",
			      ERR_BAD_VALUE, "value: holds a secret");
}

static void what_cannot_be_put_together_is_refused(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	write_entries(t);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_refused(t, "merge", "{'refs':['o','p'],'mode':'apply'}", ERR_BAD_VALUE,
			 "refs: member \"port\" differs; use keep to choose whose value stays, "
			 "value to give another, or mode link");
	toolcall_refused(t, "merge", "{'refs':['o','l'],'mode':'apply'}", ERR_BAD_VALUE,
			 "refs: the values are of different types; use keep to choose whose value "
			 "stays, value to give another, or mode link");
	toolcall_reply_has(t, "merge", "{'refs':['o','p']}",
			   "'action':'review','reason':'member \\'port\\' differs'");
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
	toolcall_reply_has(t, "merge", "{'refs':['o','p'],'mode':'apply','keep':'first'}",
			   "'new_memory_id':'state:o'");
}

static void what_would_be_too_large_is_refused_with_the_sizes(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':150}}");
	write_entries(t);
	toolcall_refused_with(t, "merge", "{'refs':['a','c'],'mode':'apply'}", ERR_TOO_LARGE,
			      "150");
	toolcall_reply_has(t, "merge", "{'refs':['a','c']}", "'action':'review'");
	assert_false(tmpdir_has(&t->dir, "archive.json"));
}

static void a_protected_entry_is_merged_when_it_is_named(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "preferences.json",
			    "{'a':{'value':'one two three','pinned':true},'b':'four five six'}");
	toolcall_reply_has(t, "merge", "{'refs':['a','b'],'mode':'apply'}", "'archived_count':1");
	toolcall_reply_has(t, "search", "{'refs':['preferences:a']}", "four five six");
}

static void links_are_made_instead(void **state)
{
	struct teststore *t = *state;
	const struct link *links;
	struct err err;
	size_t count;

	write_entries(t);
	toolcall_reply_has(t, "merge", "{'refs':['a','b','c'],'mode':'link'}",
			   "'relations_created':3");
	toolcall_reply_has(t, "merge", "{'refs':['a','b','c'],'mode':'link'}",
			   "'relations_created':0");
	teststore_refresh(t);
	assert_int_equal(store_links(t->store, &links, &count, &err), 0);
	assert_int_equal(count, 3);
	assert_int_equal(links[0].relation.type, RELATION_RELATED);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
}

static void only_what_says_the_same_merges_unasked(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;

	write_entries(t);
	toolcall_reply_has(t, "merge",
			   "{'auto_detect':true,'cohesion_threshold':0.7,'mode':'apply'}",
			   "'reason':'the same under keys that are looked up separately'");
	toolcall_replies(t, "mv", "{'key':'a','new':'b dark'}", NULL);
	toolcall_replies(t, "mv", "{'key':'state:b','new':'dark b'}", NULL);
	toolcall_reply_has(t, "merge", "{'auto_detect':true,'cohesion_threshold':0.7}",
			   "'candidates_found':2");
	toolcall_reply(t, "merge", "{'auto_detect':true,'cohesion_threshold':0.7,'mode':'apply'}",
		       &reply);
	assert_non_null(strstr(reply.ptr, "\"merges\":[{\"new_memory_id\":\"state:dark b\""));
	assert_non_null(strstr(reply.ptr, "\"candidates\":[{\"refs\":[\"state:c\",\"state:d\"],"));
	assert_non_null(strstr(reply.ptr, "\"archived_count\":1"));
	toolcall_replies(
		t, "list", "{}",
		"{'refs':['state:c','state:d','state:dark b','state:l','state:o','state:p']}");
}

/* A group goes by its name, as long as there is one of this name. */
static void a_group_is_named_instead_of_its_members(void **state)
{
	struct teststore *t = *state;
	STR_AUTO health = STR_INIT;
	STR_AUTO arguments = STR_INIT;
	const char *name;

	write_entries(t);
	toolcall_reply(t, "health", "{'check':'clusters'}", &health);
	name = strstr(health.ptr, "\"cluster-");
	assert_non_null(name);
	str_adds(&arguments, "{'refs':[");
	str_add(&arguments, slice_make(name, strcspn(name + 1, "\"") + 2));
	str_adds(&arguments, "],'mode':'apply'}");
	toolcall_reply_has(t, "merge", arguments.ptr, "'source_ids':['state:a','state:b']");
	toolcall_refused_with(t, "merge", arguments.ptr, ERR_NOT_FOUND,
			      "give the refs of its members");
}

static void what_is_protected_is_not_merged_unasked(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':'User prefers dark mode','b':'User prefers dark mode'}");
	toolcall_reply_has(t, "merge", "{'auto_detect':true,'mode':'apply'}",
			   "'merges':[],'candidates':[{'refs':['state:a','state:b'],'cohesion':1,"
			   "'reason':'state:a is protected: younger than 30 days'}]");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
}

static void groups_that_are_less_alike_are_linked(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_reply_has(t, "merge", "{'auto_detect':true,'mode':'link'}",
			   "'relations_created':1,'groups':[{'refs':['state:c','state:d']");
}

static const struct {
	const char *arguments;
	enum err_code code;
	const char *sentence;
} refused[] = {
	{"{}", ERR_MISSING_ARGUMENT, "refs: missing; give two or more, or auto_detect true"},
	{"{'refs':['a']}", ERR_BAD_VALUE, "refs: 1; give two or more"},
	{"{'refs':['a','state:a']}", ERR_BAD_VALUE,
	 "refs: \"state:a\" is named twice; give each entry once"},
	{"{'refs':['a','b'],'auto_detect':true}", ERR_BAD_VALUE,
	 "refs: give refs or auto_detect, not both"},
	{"{'refs':['a','nothing'],'mode':'apply'}", ERR_NOT_FOUND, NULL},
	{"{'refs':['a','b'],'mode':'destroy'}", ERR_BAD_VALUE, NULL},
	{"{'refs':['a','b'],'keep':'both'}", ERR_BAD_VALUE, NULL},
	{"{'auto_detect':true,'cohesion_threshold':2}", ERR_BAD_VALUE, NULL},
	{"{'refs':['a','b'],'force':true}", ERR_UNKNOWN_ARGUMENT, NULL},
	{"{'auto_detect':true,'value':'x'}", ERR_BAD_VALUE,
	 "value: needs refs, and mode preview or apply; it becomes the value of the merged entry"},
	{"{'refs':['a','b'],'value':'x','mode':'link'}", ERR_BAD_VALUE,
	 "value: needs refs, and mode preview or apply; it becomes the value of the merged entry"},
};

static void bad_arguments_change_nothing(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	write_entries(t);
	before = tmpdir_read(&t->dir, "state.json");
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		toolcall_refused(t, "merge", refused[i].arguments, refused[i].code,
				 refused[i].sentence);
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void an_empty_store_has_nothing_to_merge(void **state)
{
	toolcall_replies(*state, "merge", "{'auto_detect':true,'mode':'apply'}",
			 "{'success':true,'mode':'apply','merges':[],'candidates':[],"
			 "'archived_count':0,'message':'Archived 0 memories that others say'}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_preview_changes_nothing),
		TEST(what_is_merged_is_one_entry),
		HISTORY(one_undo_brings_all_back),
		TEST(keep_says_what_remains),
		TEST(what_contradicts_is_not_combined),
		TEST(what_has_changed_is_not_combined),
		TEST(what_happened_twice_may_be_combined),
		TEST(the_wording_may_be_given),
		TEST(what_cannot_be_put_together_is_refused),
		TEST(what_would_be_too_large_is_refused_with_the_sizes),
		TEST(a_protected_entry_is_merged_when_it_is_named),
		TEST(links_are_made_instead),
		TEST(only_what_says_the_same_merges_unasked),
		TEST(a_group_is_named_instead_of_its_members),
		TEST(what_is_protected_is_not_merged_unasked),
		TEST(groups_that_are_less_alike_are_linked),
		TEST(bad_arguments_change_nothing),
		TEST(an_empty_store_has_nothing_to_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
