#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define RECORDED(name)                                                                             \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)
#define DAY_MS INT64_C(86400000)

static void records_a_use(void **state)
{
	struct teststore *t = *state;
	char *before;

	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	before = tmpdir_read(&t->dir, "state.json");
	/* Three days take half: the first use brings 2^0.6. */
	fake_sys_set_now(fake_sys_now() + 3 * DAY_MS);
	toolcall_replies(t, "reinforce", "{'refs':['A']}",
			 "{'reinforced':true,'count':1,'cross_domain_count':0,'results':[{"
			 "'id':'state:a','status':'reinforced','cross_domain':false,"
			 "'new_use_count':1,'new_review_count':1,'strength':1,'old_score':0.5,"
			 "'new_score':1.516}],'message':'Reinforced 1 memory'}");
	tmpdir_write(&t->dir, "before", before);
	free(before);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_file_is(t, "before", before);
	free(before);
	toolcall_later();
	toolcall_reply_has(t, "reinforce", "{'refs':['a']}",
			   "'new_use_count':2,'new_review_count':2,'strength':1,'old_score':1.515");
	toolcall_reply_has(t, "search", "{'refs':['a']}", "'uses':2");
	toolcall_reply_has(t, "search", "{'relations':true}", "'avg_use_count':2");
}

static void uses_outlive_the_process_and_another_name(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_replies(t, "reinforce", "{'refs':['a']}", NULL);
	teststore_reopen(t);
	toolcall_replies(t, "mv", "{'key':'a','new':'b'}", NULL);
	toolcall_reply_has(t, "reinforce", "{'refs':['b']}", "'new_use_count':2");
}

/* What an entry was brought along with counts. */
static void numbers_of_other_programs_are_where_it_begins(void **state)
{
	toolcall_write_file(*state, "state.json",
			    "{'a':{'value':1,'uses':3,'reviews':2,'strength':1.5}}");
	toolcall_reply_has(*state, "reinforce", "{'refs':['a']}",
			   "'new_use_count':4,'new_review_count':3,'strength':1.5");
}

static void other_tags_are_another_domain(void **state)
{
	toolcall_replies(*state, "set",
			 "{'key':'jwt','value':1,'tags':['security','jwt','preferences']}", NULL);
	toolcall_replies(*state, "set", "{'key':'plain','value':1}", NULL);
	toolcall_later();
	toolcall_reply_has(*state, "reinforce",
			   "{'refs':['jwt','plain'],'context_tags':['API','Backend']}",
			   "'count':2,'cross_domain_count':1,'results':[{'id':'state:jwt',"
			   "'status':'reinforced','cross_domain':true,'new_use_count':1,"
			   "'new_review_count':1,'strength':1.1,");
	toolcall_reply_has(*state, "get", "{'query':'jwt'}", "'last_updated':'" TOOLCALL_T0 "'");
	toolcall_reply_has(*state, "search", "{'refs':['jwt']}", "'strength':1.1");
	/* A third in common is the same domain. */
	toolcall_reply_has(
		*state, "reinforce", "{'refs':['jwt'],'context_tags':['Security']}",
		"'cross_domain':false,'new_use_count':2,'new_review_count':2,'strength':1.1");
}

static void a_boost_makes_stronger_up_to_two(void **state)
{
	toolcall_write_file(*state, "state.json",
			    "{'a':'bare','b':{'value':1,'strength':1.95},"
			    "'c':{'value':1,'strength':3,'mine':1.0}}");
	toolcall_reply_has(*state, "reinforce", "{'refs':['a'],'boost':true}", "'strength':1.1,");
	toolcall_reply_has(*state, "reinforce", "{'refs':['a'],'boost':true}", "'strength':1.2,");
	toolcall_reply_has(*state, "reinforce", "{'refs':['b'],'boost':true}", "'strength':2,");
	toolcall_reply_has(*state, "reinforce", "{'refs':['c'],'boost':true}", "'strength':3,");
	toolcall_file_is(*state, "state.json",
			 "{'a':{'value':'bare','strength':1.2},'b':{'value':1,'strength':2},"
			 "'c':{'value':1,'strength':3,'mine':1.0}}");
}

static void a_boost_is_one_change_and_is_taken_back(void **state)
{
	struct teststore *t = *state;
	static const char before[] = "{\"a\":{\"value\":1},\"b\":{\"value\":2,\"tags\":[\"x\"]}}";

	tmpdir_write(&t->dir, "state.json", before);
	toolcall_replies(t, "reinforce", "{'refs':['a','b'],'context_tags':['y'],'boost':true}",
			 NULL);
	toolcall_file_is(t, "state.json",
			 "{'a':{'value':1,'strength':1.1},'b':{'value':2,'tags':['x'],"
			 "'strength':1.2}}");
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_file_is(t, "state.json", before);
}

static void what_is_unknown_is_said(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "reinforce", "{'refs':['a']}", ERR_NOT_FOUND,
			 "refs: \"a\" is not in the store");
	toolcall_refused(t, "reinforce", "{'refs':[]}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "reinforce", "{'refs':[' ']}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "reinforce", "{}", ERR_MISSING_ARGUMENT, NULL);
	assert_false(tmpdir_has(&t->dir, ".kota"));
	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_reply_has(t, "reinforce", "{'refs':['no','a','state:A']}",
			   "'count':1,'cross_domain_count':0,'results':[{'id':'no',"
			   "'status':'not_found'},{'id':'state:a',");
	toolcall_reply_has(t, "reinforce", "{'refs':['a']}", "'new_use_count':2");
	toolcall_write_file(t, "patterns.json", "{");
	toolcall_refused_with(t, "reinforce", "{'refs':['no']}", ERR_BAD_DATA, "patterns.json:1:2");
}

static void nothing_is_recorded_where_it_is_off(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'a','value':1}", NULL);
	toolcall_write_file(t, "config.json", "{'reinforce': false}");
	toolcall_reply_has(t, "reinforce", "{'refs':['a'],'boost':true}",
			   "{'reinforced':false,'reason':'reinforce is false in config.json: uses "
			   "are not recorded','count':0,");
	toolcall_write_file(t, "config.json", "{}");
	toolcall_reply_has(t, "reinforce", "{'refs':['a']}", "'new_use_count':1");
}

/* A reply that says "recorded" would be believed. */
static void what_cannot_be_recorded_is_an_error(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':{'value':1}}");
	assert_int_equal(mkdirat(t->dir.fd, "usage.jsonl", 0700), 0);
	toolcall_refused_with(t, "reinforce", "{'refs':['a']}", ERR_CANNOT_WRITE,
			      "the use is not recorded");
	toolcall_refused_with(t, "reinforce", "{'refs':['a'],'boost':true}", ERR_CANNOT_WRITE,
			      "the entry is stronger now, but the use is not recorded");
	assert_int_equal(unlinkat(t->dir.fd, "usage.jsonl", AT_REMOVEDIR), 0);
	toolcall_reply_has(t, "reinforce", "{'refs':['a']}", "'new_use_count':1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_a_use),
		TEST(uses_outlive_the_process_and_another_name),
		TEST(numbers_of_other_programs_are_where_it_begins),
		TEST(other_tags_are_another_domain),
		TEST(a_boost_makes_stronger_up_to_two),
		RECORDED(a_boost_is_one_change_and_is_taken_back),
		TEST(what_is_unknown_is_said),
		TEST(nothing_is_recorded_where_it_is_off),
		TEST(what_cannot_be_recorded_is_an_error),
	};

	return cmocka_run_group_tests_name("reinforce", tests, NULL, NULL);
}
