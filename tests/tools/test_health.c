#include "support/toolcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)

/* Adds a member that was made, and used last, so many days ago; value and fields are JSON. */
static void add_entry(struct str *out, const char *key, const char *value, int days,
		      const char *fields)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(TESTSTORE_NOW - days * MS_PER_DAY, time);
	str_printf(out, "%s'%s':{'value':%s,'created_at':'%s','last_updated':'%s'%s}",
		   out->len > 1 ? ",\n" : "{", key, value, time, time, fields);
}

static void write_state(struct teststore *t, struct str *state)
{
	str_addc(state, '}');
	toolcall_write_file(t, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
	toolcall_write_file(t, "state.json", state->ptr);
}

/* Runs one of the checks without further arguments. */
static void check_has(struct teststore *t, const char *check, const char *part)
{
	char arguments[64];

	snprintf(arguments, sizeof arguments, "{'check':'%s'}", check);
	toolcall_reply_has(t, "health", arguments, part);
}

static void an_empty_memory_is_healthy(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(
		t, "health", "{}",
		"{'success':true,'check':'summary','score':100,'against':{'stale':0,'duplicates':0,"
		"'faded':0,'full':0},'total_checked':0,'counts':{'preferences':0,'connections':0,"
		"'patterns':0,'shortcuts':0,'state':0},'bytes':{'total':0,'categories':{"
		"'preferences':0,'connections':0,'patterns':0,'shortcuts':0,'state':0},'archive':0}"
		",'limits':{'entries_per_category':100,'entry_bytes':4096,'total_bytes':51200,"
		"'expiry_days':90},'archived':0,'pinned':0,'stale_count':0,'duplicates_count':0,"
		"'faded_count':0}");
	check_has(t, "stale", "'stale_memories':[]");
	check_has(t, "duplicates", "'duplicate_pairs':[]");
	check_has(t, "clusters", "'clusters':[]");
	check_has(t, "promotable", "'candidates':[]");
	assert_false(tmpdir_has(&t->dir, ".kota"));
}

static void the_summary_counts(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	/* Half of it is stale, half repeated, and one of four has faded. */
	add_entry(&text, "a", "'paint the old shed green'", 70, "");
	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	add_entry(&text, "b", "'Paint the old shed green!'", 35, ",'pinned':true");
	add_entry(&text, "c", "'water the plants'", 1, "");
	add_entry(&text, "d", "'call the plumber'", 1, "");
	write_state(t, &text);
	toolcall_reply_has(t, "health", "{}",
			   "'score':69,'against':{'stale':0.5,'duplicates':0.5,'faded':0.25,"
			   "'full':0},'total_checked':4,");
	toolcall_reply_has(t, "health", "{}",
			   "'archived':0,'pinned':1,'stale_count':2,'duplicates_count':2,"
			   "'faded_count':1}");
	/* Room counts from four fifths on. */
	toolcall_write_file(t, "config.json",
			    "{'limits':{'entries_per_category':4},'decay':{'half_life_days':3}}");
	toolcall_reply_has(t, "health", "{}", "'score':44,");
	toolcall_reply_has(t, "health", "{}", "'faded':0.25,'full':1}");
}

static void bytes_are_those_of_the_files(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':1}\n");
	toolcall_write_file(t, "archive.json", "{}\n");
	toolcall_reply_has(t, "health", "{}",
			   "'bytes':{'total':11,'categories':{'preferences':0,'connections':0,"
			   "'patterns':0,'shortcuts':0,'state':8},'archive':3}");
}

static void what_is_stale_comes_oldest_first(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "x", "'one'", 31, "");
	add_entry(&text, "y", "{'deep':2}", 80, ",'hits':3,'confidence':0.5,'source':'cli'");
	add_entry(&text, "z", "'three'", 30, "");
	write_state(t, &text);
	toolcall_replies(
		t, "health", "{'check':'stale'}",
		"{'success':true,'check':'stale','stale_memories':[{'id':'state:y','text':'{"
		"\\'deep\\':2}','last_accessed':'never','days_since_access':80,'access_count':3,"
		"'confidence':0.5,'category':'state','source':'cli'},{'id':'state:x','text':'one',"
		"'last_accessed':'never','days_since_access':31,'access_count':0,'confidence':1,"
		"'category':'state','source':'unknown'}],'total_checked':3,'stale_count':2,"
		"'cutoff_date':'2026-10-22T10:30:00.000+02:00','days_threshold':30}");
	/* Cut after sorting, and the count is of all. */
	toolcall_reply_has(t, "health", "{'check':'stale','limit':1}",
			   "'stale_memories':[{'id':'state:y',");
	toolcall_reply_has(t, "health", "{'check':'stale','limit':1}", "'stale_count':2");
	toolcall_reply_has(t, "health", "{'check':'stale','days_unused':79}", "'stale_count':1");
	toolcall_reply_has(t, "health", "{'check':'stale','days_unused':0}", "'stale_count':3");
	toolcall_reply_has(t, "health", "{'check':'stale','min_confidence':0.5}",
			   "'stale_count':0");
	toolcall_reply_has(t, "health", "{'check':'stale','min_confidence':0.51}",
			   "'total_checked':3,'stale_count':1");
}

static void a_look_ends_staleness(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "boiler", "'one'", 40, "");
	write_state(t, &text);
	check_has(t, "low_access",
		  "'low_access_memories':[{'id':'state:boiler','text':'one',"
		  "'access_count':0,'age_days':40,'confidence':1,'category':'state'}],"
		  "'total_checked':1,'flagged_count':1}");
	for (int i = 0; i < 3; i++)
		toolcall_replies(t, "get", "{'query':'boiler'}", NULL);
	check_has(t, "stale", "'stale_count':0");
	check_has(t, "low_access", "'flagged_count':0");
	toolcall_reply_has(t, "health", "{'check':'low_access','max_access_count':3}",
			   "'access_count':3,");
}

/* Of what is computed three decimals are shown; what a person set is what they set. */
static void a_persons_numbers_are_not_rounded(void **state)
{
	static const char numbers[] = "'strength':1.2345678901234,'importance':0.00012345,"
				      "'confidence':0.0001234567890123";
	struct teststore *t = *state;
	STR_AUTO more = STR_INIT;
	STR_AUTO text = STR_INIT;

	str_printf(&more, ",%s", numbers);
	add_entry(&text, "boiler", "'one'", 40, more.ptr);
	add_entry(&text, "kettle", "'one'", 40, more.ptr);
	write_state(t, &text);
	check_has(t, "low_access", "'confidence':0.0001234567890123,");
	check_has(t, "stale", "'confidence':0.0001234567890123,");
	toolcall_replies(t, "relate",
			 "{'from':'state:boiler','to':'state:kettle','type':'related',"
			 "'strength':0.00012345}",
			 NULL);
	toolcall_reply_has(t, "search", "{'refs':['state:boiler']}", numbers);
	toolcall_reply_has(t, "search", "{'refs':['state:boiler'],'relations':true}",
			   "'strength':0.00012345");
	toolcall_reply_has(t, "merge", "{'refs':['boiler','kettle'],'mode':'apply'}",
			   "'new_confidence':0.0001234567890123,");
}

static void the_least_used_come_first(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "a", "1", 20, ",'hits':2");
	add_entry(&text, "b", "1", 8, "");
	add_entry(&text, "c", "1", 30, "");
	add_entry(&text, "d", "1", 7, "");
	add_entry(&text, "e", "1", 30, ",'hits':3");
	write_state(t, &text);
	check_has(t, "low_access", "'flagged_count':3");
	toolcall_reply_has(t, "health", "{'check':'low_access','limit':1}", "[{'id':'state:c'");
	toolcall_reply_has(t, "health", "{'check':'low_access','min_age_days':19}",
			   "'flagged_count':2");
	toolcall_reply_has(t, "health", "{'check':'low_access','max_access_count':0}",
			   "'flagged_count':2");
}

static void duplicates_come_with_advice(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "a", "'paint the old shed green'", 40, "");
	add_entry(&text, "b", "'Paint the old shed green!'", 40, "");
	add_entry(&text, "c", "'never paint the old shed green'", 40, "");
	add_entry(&text, "d", "'call the plumber'", 40, "");
	write_state(t, &text);
	toolcall_replies(
		t, "health", "{'check':'duplicates'}",
		"{'success':true,'check':'duplicates','method':'lexical','duplicate_pairs':[{'id1':"
		"'state:a','id2':'state:b','similarity':1,'text1':'paint the old shed green',"
		"'text2':'Paint the old shed green!','suggested_action':'merge'}],'total_checked':4"
		",'duplicates_found':1,'threshold':0.95}");
	toolcall_reply_has(t, "health", "{'check':'duplicates','threshold':0.8}",
			   "{'id1':'state:a','id2':'state:c','similarity':0.833,'text1':'paint the "
			   "old shed green','text2':'never paint the old shed green',"
			   "'suggested_action':'contradicts','conflict':'negation','reason':'only "
			   "one says \\'never\\''}");
	toolcall_reply_has(t, "health", "{'check':'duplicates','threshold':0.8,'limit':1}",
			   "'duplicates_found':3");
	toolcall_reply_has(t, "health", "{'check':'duplicates','threshold':0}",
			   "'duplicates_found':6");
}

/* In other words, and with another number. */
static void duplicates_go_by_what_is_said(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "a", "'The vehicle is called Otter'", 42, "");
	add_entry(&text, "b", "'Otter is the name of the vehicle'", 41, "");
	add_entry(&text, "c", "'Recipes are written in grams'", 40, "");
	add_entry(&text, "d", "'Recipes are written in ounces'", 39, "");
	write_state(t, &text);
	check_has(t, "duplicates",
		  "'duplicate_pairs':[{'id1':'state:a','id2':'state:b','similarity':0.95");
	check_has(t, "duplicates", "'duplicates_found':1");
	check_has(t, "contradictions", "'contradictions':[{'newer':'state:d','older':'state:c',");
	check_has(t, "contradictions",
		  "'resolve':{'tool':'memory_set','arguments':{'key':'state:d','value':"
		  "'Recipes are written in ounces','supersedes':['state:c']}}");
	check_has(t, "contradictions", "'contradictions_found':1");
}

static void what_is_short_is_compared_with_its_key(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "office", "'Lisbon'", 40, "");
	add_entry(&text, "birthplace", "'Lisbon'", 40, "");
	add_entry(&text, "dark_mode", "true", 40, "");
	add_entry(&text, "telemetry", "true", 40, "");
	write_state(t, &text);
	check_has(t, "duplicates", "'duplicates_found':0");
}

static void protected_ones_are_to_be_looked_at(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "a", "'paint the old shed green'", 40, "");
	add_entry(&text, "b", "'paint the old shed green'", 2, "");
	write_state(t, &text);
	check_has(t, "duplicates", "'suggested_action':'review'");
}

static void a_sample_is_of_the_newest(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "a", "'paint the old shed green'", 50, "");
	add_entry(&text, "b", "'paint the old shed green'", 40, "");
	add_entry(&text, "c", "'paint the old shed green'", 60, "");
	write_state(t, &text);
	check_has(t, "duplicates", "'duplicates_found':3");
	toolcall_reply_has(t, "health", "{'check':'duplicates','sample_size':2}",
			   "'duplicate_pairs':[{'id1':'state:a','id2':'state:b',");
	toolcall_reply_has(t, "health", "{'check':'duplicates','sample_size':2}",
			   "'total_checked':2,'duplicates_found':1");
}

/* The part of a reply from the first cluster's id on, of the length of one. */
static void first_cluster(struct teststore *t, char id[32])
{
	STR_AUTO reply = STR_INIT;
	const char *at;

	toolcall_reply(t, "health", "{'check':'clusters'}", &reply);
	at = strstr(reply.ptr, "cluster-");
	assert_non_null(at);
	snprintf(id, 32, "%.24s", at);
}

static void clusters_keep_their_name(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;
	STR_AUTO other = STR_INIT;
	char before[32];
	char after[32];

	add_entry(&text, "a", "'paint the old shed green'", 40, "");
	add_entry(&text, "b", "'paint the old shed green'", 40, "");
	write_state(t, &text);
	check_has(t, "clusters",
		  "'size':2,'cohesion':1,'memory_ids':['state:a','state:b'],"
		  "'content_previews':['paint the old shed green','paint the old shed "
		  "green'],'suggested_action':'merge'}],'total_checked':2,"
		  "'clusters_found':1,'threshold':0.83}");
	first_cluster(t, before);
	add_entry(&other, "c", "'call the plumber'", 40, "");
	add_entry(&other, "b", "'paint the old shed green'", 40, "");
	add_entry(&other, "a", "'paint the old shed green'", 40, "");
	write_state(t, &other);
	first_cluster(t, after);
	assert_string_equal(before, after);
}

static void clusters_come_with_their_conflicts(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	add_entry(&text, "a", "'the boiler in the cellar runs at 60 degrees'", 40, "");
	add_entry(&text, "b", "'the boiler in the cellar runs at 70 degrees'", 40, "");
	write_state(t, &text);
	toolcall_reply_has(t, "health", "{'check':'clusters','threshold':0.7}",
			   "'conflicts':[{'id1':'state:a','id2':'state:b','conflict':'numbers',"
			   "'reason':'one says \\'60\\', the other \\'70\\''}],"
			   "'suggested_action':'review'}");
	toolcall_write_file(t, "config.json", "{'cluster_threshold':0.7}");
	check_has(t, "clusters", "'clusters_found':1");
	toolcall_write_file(t, "config.json", "{'cluster_threshold':0.7,'cluster_min':3}");
	check_has(t, "clusters", "'clusters_found':0");
}

static void what_fades_is_told_by_urgency(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;

	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	add_entry(&text, "low", "1", 8, "");
	add_entry(&text, "fresh", "1", 1, "");
	add_entry(&text, "gone", "1", 70, "");
	add_entry(&text, "pinned", "1", 71, ",'pinned':true");
	add_entry(&text, "high", "1", 25, "");
	write_state(t, &text);
	check_has(t, "decay", "'at_risk':[{'memory_id':'state:pinned',");
	check_has(t, "decay",
		  "'urgency':'high','action':'reinforce','review_priority':0,'protected':"
		  "'pinned'},{'memory_id':'state:gone',");
	check_has(t, "decay", "'action':'gc_candidate'");
	check_has(t, "decay", "'at_risk_count':4,'urgencies':{'high':3,'medium':0,'low':1}");
	toolcall_reply_has(t, "health", "{'check':'decay','limit':2}", "'at_risk_count':4");
}

static void it_changes_nothing(void **state)
{
	static const char *const checks[] = {"summary",    "stale",          "low_access",
					     "duplicates", "contradictions", "clusters",
					     "decay",      "promotable"};
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;
	char *usage;

	add_entry(&text, "a", "'paint the old shed green'", 40, "");
	write_state(t, &text);
	/* That an entry made by hand was seen for the first time is put down whoever reads. */
	toolcall_replies(t, "list", "{}", NULL);
	usage = tmpdir_read(&t->dir, "usage.jsonl");
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		char arguments[64];

		snprintf(arguments, sizeof arguments, "{'check':'%s'}", checks[i]);
		toolcall_replies(t, "health", arguments, NULL);
	}
	toolcall_file_is(t, "usage.jsonl", usage);
	assert_false(tmpdir_has(&t->dir, ".lock"));
	assert_false(tmpdir_has(&t->dir, "metadata.json"));
	free(usage);
}

static void bad_arguments_get_a_sentence(void **state)
{
	struct teststore *t = *state;

	toolcall_refused_with(t, "health", "{'check':'pulse'}", ERR_BAD_VALUE, "low_access");
	toolcall_refused_with(t, "health", "{'limit':0}", ERR_BAD_VALUE, "limit: ");
	toolcall_refused_with(t, "health", "{'days_unused':-1}", ERR_BAD_VALUE, "days_unused: ");
	toolcall_refused_with(t, "health", "{'days_unused':1.5}", ERR_BAD_VALUE, "days_unused: ");
	toolcall_refused_with(t, "health", "{'max_access_count':-1}", ERR_BAD_VALUE,
			      "max_access_count: ");
	toolcall_refused_with(t, "health", "{'min_age_days':40000}", ERR_BAD_VALUE,
			      "min_age_days: ");
	toolcall_refused_with(t, "health", "{'threshold':1.1}", ERR_BAD_VALUE, "threshold: ");
	toolcall_refused_with(t, "health", "{'threshold':'high'}", ERR_WRONG_TYPE, "threshold: ");
	toolcall_refused_with(t, "health", "{'sample_size':-1}", ERR_BAD_VALUE, "sample_size: ");
	toolcall_refused_with(t, "health", "{'min_confidence':2}", ERR_BAD_VALUE,
			      "min_confidence: ");
	toolcall_refused_with(t, "health", "{'colour':1}", ERR_UNKNOWN_ARGUMENT, "colour");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_memory_is_healthy),
		TEST(the_summary_counts),
		TEST(bytes_are_those_of_the_files),
		TEST(what_is_stale_comes_oldest_first),
		TEST(a_look_ends_staleness),
		TEST(a_persons_numbers_are_not_rounded),
		TEST(the_least_used_come_first),
		TEST(duplicates_come_with_advice),
		TEST(duplicates_go_by_what_is_said),
		TEST(what_is_short_is_compared_with_its_key),
		TEST(protected_ones_are_to_be_looked_at),
		TEST(a_sample_is_of_the_newest),
		TEST(clusters_keep_their_name),
		TEST(clusters_come_with_their_conflicts),
		TEST(what_fades_is_told_by_urgency),
		TEST(it_changes_nothing),
		TEST(bad_arguments_get_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
