#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, toolcall_tear_down)
#define TIMES "'created_at':'" TOOLCALL_T0 "','last_updated':'" TOOLCALL_T0 "'"

static int set_up(void **state)
{
	int failed = toolcall_set_up(state);

	if (failed == 0)
		toolcall_write_file(*state, "config.json", "{'enrich':true}");
	return failed;
}

static void adds_names_and_strength(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'db','value':'We must use PostgreSQL'}",
			 "{'key':'db','category':'state'," TIMES ",'enrichment_applied':true,"
			 "'enriched':{'entities':['PostgreSQL'],'strength':1.47}}");
	toolcall_file_is(t, "state.json",
			 "{\n  'db': {\n    'value': 'We must use PostgreSQL',\n    'created_at': "
			 "'" TOOLCALL_T0 "',\n    'last_updated': '" TOOLCALL_T0
			 "',\n    'entities': [\n      'PostgreSQL'\n    ],\n    'strength': "
			 "1.47\n  }\n}\n");
}

static void only_where_the_setting_says_so(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{}");
	toolcall_replies(t, "set", "{'key':'db','value':'We must use PostgreSQL'}",
			 "{'key':'db','category':'state'," TIMES "}");
}

static void what_is_given_stays(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set",
			 "{'key':'db','value':'We must use PostgreSQL','entities':['the db'],"
			 "'strength':1.5}",
			 "{'key':'db','category':'state'," TIMES ",'enrichment_applied':false}");
	toolcall_reply_has(t, "set", "{'key':'a','value':'We must use PostgreSQL','entities':[]}",
			   "'enriched':{'strength':1.47}}");
	/* What the entry had before counts as given. */
	toolcall_reply_has(t, "set", "{'key':'db','value':'We use SQLite'}",
			   "'enrichment_applied':false");
	toolcall_reply_has(t, "set", "{'key':'a','value':'We use SQLite'}",
			   "'enrichment_applied':false");
}

static void texts_at_any_depth(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "set",
			   "{'key':'db','value':{'first':['on blue-7'],'Then':{'x':'San'},'n':1,"
			   "'more':'Jose, Costa Rica'}}",
			   "'entities':['blue-7','Jose','Costa Rica']");
	toolcall_reply_has(t, "set", "{'key':'n','value':7}", "'enrichment_applied':false");
	toolcall_reply_has(t, "set", "{'key':'v','value':'vi'}", "'enrichment_applied':false");
}

static void a_secret_is_not_repeated(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "set", "{'key':'db','value':'Use the password: Tr0ub4dor&3x9 there'}",
			   "'enrichment_applied':false");
}

static void what_fits_is_not_made_too_large(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'enrich':true,'limits.entry_bytes':150}");
	toolcall_reply_has(t, "set", "{'key':'db','value':'PostgreSQL on blue-7 since June'}",
			   "'enrichment_applied':false");
	toolcall_reply_has(t, "set", "{'key':'a','value':'on A7'}", "'entities':['A7']");
}

static void the_first_entry_too(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "set", "{'key':'db','value':'on blue-7'}", "'entities':['blue-7']");
	toolcall_reply_has(t, "search", "{'query':'db'}", "'ref':'state:db'");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(adds_names_and_strength),  TEST(only_where_the_setting_says_so),
		TEST(what_is_given_stays),      TEST(texts_at_any_depth),
		TEST(a_secret_is_not_repeated), TEST(what_fits_is_not_made_too_large),
		TEST(the_first_entry_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
