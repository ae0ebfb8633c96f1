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

#define FOUND(match, hits, accessed)                                                               \
	",'confidence':1,'match':'" match "','created_at':'" T0 "','last_updated':'" T0            \
	"','accessed_at':'" accessed "','hits':" hits ",'archived':false"

static void finds_an_entry_and_counts_the_hit(void **state)
{
	toolcall_replies(*state, "set", "{'key':'editor','value':{'a': [1, 2]}}", NULL);
	toolcall_later();
	toolcall_replies(*state, "get", "{'query':'Editor'}",
			 "{'key':'editor','category':'state','value':{'a':[1,2]}" FOUND(
				 "exact", "1", T1) "}");
	toolcall_later();
	toolcall_replies(*state, "get", "{'query':'editor'}",
			 "{'key':'editor','category':'state','value':{'a':[1,2]}" FOUND(
				 "exact", "2", T2) "}");
}

static void finds_nothing(void **state)
{
	toolcall_replies(*state, "get", "{'query':'nothing'}", "{'result':null}");
	toolcall_replies(*state, "get", "{'query':'!!!'}", "{'result':null}");
}

static void a_store_that_is_not_there_is_not_made(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "get", "{'query':'x'}", "{'result':null}");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void a_prefix_limits_the_search(void **state)
{
	toolcall_replies(*state, "set", "{'key':'x','value':1,'category':'state'}", NULL);
	toolcall_replies(*state, "set", "{'key':'x','value':2,'category':'preferences'}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'x'}", "'category':'preferences'");
	toolcall_reply_has(*state, "get", "{'query':'state:x'}", "'category':'state'");
	toolcall_reply_has(*state, "get", "{'query':'patterns:x'}", "{'result':null");
	toolcall_reply_has(*state, "get", "{'query':'State:X'}", "'category':'state'");
	toolcall_refused(*state, "get", "{'query':'state: '}", ERR_BLANK_ARGUMENT,
			 "query: no key follows the category; give category:key");
}

static void tells_of_others_that_fit_as_well(void **state)
{
	toolcall_replies(*state, "set", "{'key':'x','value':1,'category':'state'}", NULL);
	toolcall_replies(*state, "set", "{'key':'x','value':2,'category':'preferences'}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'x'}",
			   "'archived':false,'also':[{'ref':'state:x'}]}");
}

static void a_look_alike_is_no_answer_but_named(void **state)
{
	toolcall_replies(*state, "set", "{'key':'payer_account','value':1,'category':'state'}",
			 NULL);
	toolcall_replies(*state, "get", "{'query':'payee_account'}",
			 "{'result':null,'also':[{'ref':'state:payer_account',"
			 "'differs':'payee \xe2\x89\xa0 payer'}]}");
	toolcall_reply_has(*state, "get", "{'query':'payer_acount'}", "'key':'payer_account'");
}

/* Where a word is nowhere, the ranked search still knows which entry is meant. */
static void a_question_is_answered_though_a_word_is_nowhere(void **state)
{
	const char *question = "{'query':'how shuld webhook retries be spaced for billing?'}";
	const char *elsewhere = "{'query':'patterns:how shuld webhook retries be spaced'}";

	toolcall_replies(*state, "set",
			 "{'key':'billing_hooks','value':'webhook retries are spaced by doubling',"
			 "'category':'state'}",
			 NULL);
	toolcall_replies(*state, "set",
			 "{'key':'office_plants','value':'watered on Mondays','category':'state'}",
			 NULL);
	toolcall_reply_has(*state, "get", question, "'key':'billing_hooks'");
	toolcall_reply_has(*state, "get", question, "'match':'words'");
	toolcall_reply_has(*state, "get", elsewhere, "{'result':null");
	toolcall_reply_has(*state, "get", "{'query':'how many parking spots are there?'}",
			   "{'result':null");
}

static void an_archived_entry_answers_and_counts_no_hit(void **state)
{
	struct teststore *t = *state;
	const char *reply =
		"{'key':'goal','category':'state','value':'ship','confidence':1,'match':'exact',"
		"'created_at':'" T0 "','last_updated':'" T0 "','hits':0,'archived':true,"
		"'archivedAt':'" T1 "','reason':'state_clear'}";

	toolcall_replies(t, "set", "{'key':'goal','value':'ship'}", NULL);
	toolcall_later();
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_replies(t, "get", "{'query':'goal'}", reply);
	toolcall_replies(t, "get", "{'query':'state:goal'}", reply);
}

static void a_deleted_entry_does_not_answer(void **state)
{
	toolcall_replies(*state, "set", "{'key':'goal','value':'ship'}", NULL);
	toolcall_replies(*state, "delete", "{'key':'goal'}", NULL);
	toolcall_replies(*state, "get", "{'query':'goal'}", "{'result':null}");
}

static void a_reply_is_one_line_whatever_the_file_looks_like(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{\n 'k': [\n  1.0,\n\t{ 'a' : null }\n ]\n}\n");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'value':[1.0,{'a':null}]");
}

static void times_of_the_original_handler_count(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(
		t, "state.json",
		"{'k':{'value':1,'created':'2026-11-01T00:00:00Z','updated':1793577600000,"
		"'accessed':'2026-11-03T00:00:00Z','hits':4}}");
	toolcall_reply_has(t, "get", "{'query':'k'}",
			   "'created_at':'2026-11-01T01:00:00.000+01:00','last_updated':"
			   "'2026-11-02T01:00:00.000+01:00','accessed_at':'" T0 "','hits':5");
}

/* A person may have written any number. */
static void the_count_of_hits_stops_at_its_end(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'k':{'value':1,'hits':9223372036854775807}}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'hits':9223372036854775807,");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'hits':9223372036854775807,");
}

static void refuses_bad_queries(void **state)
{
	STR_AUTO call = STR_INIT;

	toolcall_refused(*state, "get", "{}", ERR_MISSING_ARGUMENT,
			 "query: missing; give a key, words of a key or value, or category:words");
	toolcall_refused(*state, "get", "{'query':''}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(*state, "get", "{'query':'  '}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(*state, "get", "{'query':5}", ERR_WRONG_TYPE,
			 "query: expected a string, got a number");
	toolcall_refused(*state, "get", "{'query':'x','category':'state'}", ERR_UNKNOWN_ARGUMENT,
			 "category: no such argument; memory_get takes query");
	/* a key may be a picture, so only punctuation is a question like others */
	toolcall_replies(*state, "get", "{'query':'!?'}", "{'result':null}");
	toolcall_replies(*state, "get", "{'query':'bogus:editor'}", "{'result':null}");
	str_printf(&call, "{'query':'%0*d'}", 1024, 0);
	toolcall_replies(*state, "get", call.ptr, "{'result':null}");
	str_clear(&call);
	str_printf(&call, "{'query':'%0*d'}", 1025, 0);
	toolcall_refused(*state, "get", call.ptr, ERR_TOO_LARGE,
			 "query: 1025 bytes; at most 1024 are allowed");
}

/* By hand a key may be anything; what is listed can be opened. */
static void opens_blank_keys_by_their_ref(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'':1,' a':2,'a':3}");
	toolcall_reply_has(
		t, "get", "{'query':'state:'}",
		"{'key':'','category':'state','value':1,'confidence':1,'match':'exact',");
	toolcall_reply_has(t, "get", "{'query':'state: a'}", "'value':2");
	toolcall_reply_has(t, "get", "{'query':'state:'}", "'hits':2");
	toolcall_refused(t, "get", "{'query':'patterns:'}", ERR_BLANK_ARGUMENT,
			 "query: no key follows the category; give category:key");
}

static void warns_of_a_broken_file_and_answers_from_the_others(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "patterns.json", "{'k':1}");
	tmpdir_write(&t->dir, "state.json", "{,}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "/state.json:1:2: ");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'value':1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_an_entry_and_counts_the_hit),
		TEST(finds_nothing),
		TEST(a_store_that_is_not_there_is_not_made),
		TEST(a_prefix_limits_the_search),
		TEST(tells_of_others_that_fit_as_well),
		TEST(a_look_alike_is_no_answer_but_named),
		TEST(a_question_is_answered_though_a_word_is_nowhere),
		TEST(an_archived_entry_answers_and_counts_no_hit),
		TEST(a_deleted_entry_does_not_answer),
		TEST(a_reply_is_one_line_whatever_the_file_looks_like),
		TEST(times_of_the_original_handler_count),
		TEST(the_count_of_hits_stops_at_its_end),
		TEST(refuses_bad_queries),
		TEST(opens_blank_keys_by_their_ref),
		TEST(warns_of_a_broken_file_and_answers_from_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
