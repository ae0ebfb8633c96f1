#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define OLD "'2026-09-01T10:00:00.000+02:00'"
#define STALE "'2026-07-01T10:00:00.000+02:00'"
#define TIMES(t) "'created_at':" t ",'last_updated':" t

/* Nothing expires, and what is old was not looked at since. */
static void settle(struct teststore *t)
{
	toolcall_write_file(t, "config.json", "{'limits':{'expiry_days':3650}}");
	toolcall_write_file(t, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
}

static void write_pairs(struct teststore *t)
{
	settle(t);
	toolcall_write_file(
		t, "state.json",
		"{'a b':{'value':'User prefers dark mode'," TIMES(
			OLD) "},"
			     "'b a':{'value':'User prefers dark mode!'," TIMES(
				     OLD) "},"
					  "'c':{'value':'Logs are kept for 30 days'," TIMES(
						  OLD) "},"
						       "'d':{'value':'Logs are kept for 90 "
						       "days'," TIMES(
							       OLD) "},"
								    "'e':{'value':'User prefers "
								    "dark mode'," TIMES(
									    OLD) ",'hits':6}}");
}

static void what_says_the_same_is_merged_and_the_rest_is_shown(void **state)
{
	struct teststore *t = *state;

	write_pairs(t);
	toolcall_replies(
		t, "optimize", "{'strategy':'consolidate_similar'}",
		"{'status':'completed','strategy':'consolidate_similar','dry_run':true,'results':{"
		"'memories_analyzed':5,'optimization_candidates':2,'actions_taken':[{'action':"
		"'merge','memory_ids':['state:a b','state:b a'],'new_memory_id':'state:a "
		"b','reason':"
		"'they say the same'},{'action':'consolidation_candidate','memory_ids':['state:c',"
		"'state:d'],'similarity':0.714,'match_type':'near_duplicate','conflict':true,"
		"'reason':'one says \\'30\\', the other \\'90\\''}],'space_saved_bytes':84,"
		"'removed_share':'20.0%',"
		"'estimated_recall_improvement':'20.0%'},'suggestions':['1 thing can be done: run "
		"again with dry_run false','1 pair is alike and left to you: look at it, then name "
		"both to memory_merge']}");
	toolcall_replies(t, "list", "{}",
			 "{'refs':['state:a b','state:b a','state:c','state:d','state:e']}");
}

/* The text that goes, less what the one that stays says more. */
static void bytes_are_counted(void **state)
{
	struct teststore *t = *state;

	write_pairs(t);
	toolcall_reply_has(t, "optimize", "{'strategy':'consolidate_similar','dry_run':false}",
			   "'space_saved_bytes':84");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a b','state:c','state:d','state:e']}");
}

static void what_is_wanted_most_comes_first(void **state)
{
	struct teststore *t = *state;

	settle(t);
	toolcall_write_file(
		t, "state.json",
		"{'a b':{'value':'Deploys need a green build'," TIMES(
			OLD) ",'hits':6},"
			     "'b a':{'value':'Deploys need a green build'," TIMES(
				     OLD) ",'hits':9},"
					  "'c':{'value':'Deploys need a green build'," TIMES(
						  OLD) ",'hits':5},"
						       "'d':{'value':'Deploys need a green "
						       "build'," TIMES(OLD) ",'hits':12}}");
	toolcall_reply_has(
		t, "optimize", "{}",
		"'actions_taken':[{'action':'merge','memory_ids':['state:b a','state:a b'],"
		"'new_memory_id':'state:b a'");
	toolcall_reply_has(t, "optimize", "{}", "'reason':'state:d is protected: 10 hits or more'");
	toolcall_reply_has(t, "optimize", "{'limit':1}", "'actions_taken':[]");
	toolcall_reply_has(t, "optimize", "{'dry_run':false}", "'dry_run':false");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b a','state:c','state:d']}");
}

static void what_is_stale_goes_to_the_archive(void **state)
{
	struct teststore *t = *state;

	settle(t);
	toolcall_write_file(t, "state.json",
			    "{'a b':{'value':1," TIMES(STALE) "},'b a':{'value':2," TIMES(
				    OLD) "},"
					 "'c':{'value':3," TIMES(STALE) ",'source':'cli'}}");
	toolcall_reply_has(
		t, "optimize", "{'strategy':'stale_cleanup'}",
		"'actions_taken':[{'action':'archive','memory_ids':['state:a b'],'reason':"
		"'not active for 143 days'}]");
	toolcall_reply_has(t, "optimize", "{'strategy':'stale_cleanup'}",
			   "'1 stale memory is protected and stays'");
	toolcall_reply_has(t, "optimize", "{'strategy':'stale_cleanup','dry_run':false}",
			   "'estimated_recall_improvement':'33.3%'");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b a','state:c']}");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:a b@" T0 "']}");
}

static void bad_arguments_change_nothing(void **state)
{
	struct teststore *t = *state;

	write_pairs(t);
	toolcall_refused(t, "optimize", "{'strategy':'magic'}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "optimize", "{'limit':0}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "optimize", "{'force':true}", ERR_UNKNOWN_ARGUMENT, NULL);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
}

static void an_empty_store_has_nothing_to_tidy(void **state)
{
	toolcall_replies(*state, "optimize", "{'dry_run':false}",
			 "{'status':'completed','strategy':'top_accessed','dry_run':false,"
			 "'results':{'memories_analyzed':0,'optimization_candidates':0,"
			 "'actions_taken':[],'space_saved_bytes':0,'removed_share':'0.0%',"
			 "'estimated_recall_improvement':'0.0%'},'suggestions':["
			 "'no memory has more than 5 hits']}");
	toolcall_reply_has(*state, "optimize", "{'strategy':'stale_cleanup'}",
			   "'nothing is stale: what is inactive for more than 90 days expires by "
			   "itself (limits.expiry_days)'");
}

/* What holds does not end because nobody asked. */
static void what_holds_is_not_stale(void **state)
{
	struct teststore *t = *state;

	settle(t);
	toolcall_write_file(t, "connections.json", "{'Ines':{'value':'baker'," TIMES(STALE) "}}");
	toolcall_write_file(
		t, "state.json",
		"{'oven':{'value':'The oven is heated with gas'," TIMES(
			STALE) "},'fuse':{'value':'The fuse of the oven blew'," TIMES(STALE) "},"
											     "'doug"
											     "h':{'"
											     "value"
											     "':'"
											     "rye, "
											     "no "
											     "sugar"
											     "','"
											     "acces"
											     "sed_"
											     "at':'"
											     "2026-"
											     "08-"
											     "01T10"
											     ":00:"
											     "00."
											     "000+"
											     "02:"
											     "00'"
											     "," TIMES(
												     STALE) "},"
													    "'flour':{'value':'from the mill','accessed_at':'2026-07-05T10:00:00.000+02:00'," TIMES(
														    STALE) "}}");
	toolcall_reply_has(
		t, "optimize", "{'strategy':'stale_cleanup'}",
		"'3 stale memories hold and stay: they say so, or were asked for long after they "
		"were stored'");
	toolcall_reply_has(t, "optimize", "{'strategy':'stale_cleanup','dry_run':false}",
			   "'memory_ids':['state:fuse']");
	toolcall_replies(t, "list", "{}",
			 "{'refs':['connections:Ines','state:dough','state:oven']}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_says_the_same_is_merged_and_the_rest_is_shown),
		TEST(bytes_are_counted),
		TEST(what_is_wanted_most_comes_first),
		TEST(what_is_stale_goes_to_the_archive),
		TEST(what_holds_is_not_stale),
		TEST(bad_arguments_change_nothing),
		TEST(an_empty_store_has_nothing_to_tidy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
