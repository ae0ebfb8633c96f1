#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/view/relations.h"
#include "support/toolcall.h"

#include <stdlib.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define OLD "'2026-09-01T10:00:00.000+02:00'"
#define LONG_AGO "'2026-08-25T10:00:00.000+02:00'"
#define TIMES(t) "'created_at':" t ",'last_updated':" t

static void add_entry(struct str *text, const char *key, const char *value, const char *time)
{
	str_printf(text, "%s'%s':{'value':'%s','created_at':%s,'last_updated':%s}",
		   text->len > 1 ? "," : "", key, value, time, time);
}

/* Times of their own count: nothing was looked at since. */
static void write_entries(struct teststore *t)
{
	STR_AUTO text = STR_INIT;

	toolcall_write_file(t, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
	str_adds(&text, "{'long':{'value':'Fixed the build','context':'");
	for (int i = 0; i < 3880; i++)
		str_addc(&text, 'x');
	str_adds(&text, "'," TIMES(LONG_AGO) "}");
	add_entry(&text, "a b", "User prefers dark mode", OLD);
	add_entry(&text, "b a", "User prefers dark mode!", LONG_AGO);
	add_entry(&text, "d1", "Deploys to staging happen every Friday", OLD);
	add_entry(&text, "d2", "Deploys to staging need a green build", OLD);
	add_entry(&text, "d3", "Deploys to staging are done by Priya", OLD);
	add_entry(&text, "n1",
		  "Logs of the api server are kept for exactly 30 days and then zipped by the "
		  "nightly job of the second rack in room four near north stairs",
		  OLD);
	add_entry(&text, "n2",
		  "Logs of the api server are kept for exactly 90 days and then zipped by the "
		  "nightly job of the second rack in room four near north stairs",
		  OLD);
	str_adds(&text, "}");
	toolcall_write_file(t, "state.json", text.ptr);
}

static void light_merges_and_prunes(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_replies(
		t, "consolidate", "{}",
		"{'mode':'light','pruned_count':1,'merged_count':1,'clusters_discovered':0,"
		"'new_patterns':[],'final_memory_count':6,'duration_ms':0,'dry_run':true,"
		"'relations_created':0,'pruned':['state:long'],'merged':[{'new_memory_id':"
		"'state:b a','memory_ids':['state:b a','state:a b']}],'candidates_count':0,"
		"'candidates':[]}");
	assert_false(tmpdir_has(&t->dir, "archive.json"));
	toolcall_replies(
		t, "consolidate", "{'dry_run':false}",
		"{'mode':'light','pruned_count':1,'merged_count':1,'clusters_discovered':0,"
		"'new_patterns':[],'final_memory_count':6,'duration_ms':0,'dry_run':false,"
		"'relations_created':0,'pruned':['state:long'],'merged':[{'new_memory_id':"
		"'state:b a','memory_ids':['state:b a','state:a b']}],'candidates_count':0,"
		"'candidates':[]}");
	toolcall_replies(t, "list", "{}",
			 "{'refs':['state:b a','state:d1','state:d2','state:d3','state:n1',"
			 "'state:n2']}");
	toolcall_reply_has(t, "get", "{'query':'state:b a'}", "'value':'User prefers dark mode!'");
	toolcall_reply_has(t, "get", "{'query':'state:long'}", "'reason':'pruned'");
}

static void deep_links_what_is_alike(void **state)
{
	struct teststore *t = *state;
	const struct link *links;
	struct err err;
	size_t count;

	write_entries(t);
	toolcall_reply_has(t, "consolidate", "{'mode':'deep','dry_run':false}",
			   "'clusters_discovered':1");
	teststore_refresh(t);
	assert_int_equal(store_links(t->store, &links, &count, &err), 0);
	assert_int_equal(count, 2);
	toolcall_later();
	toolcall_reply_has(t, "consolidate", "{'mode':'deep','dry_run':false}",
			   "'relations_created':0");
}

static void what_contradicts_is_left_to_somebody(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_reply_has(t, "consolidate", "{'mode':'deep'}",
			   "'candidates_count':1,'candidates':[{'memory_ids':['state:n1',"
			   "'state:n2']");
	toolcall_reply_has(t, "consolidate", "{'mode':'deep'}", "'conflict':true");
}

/* What happened three times, what holds, something else, and more members of the file. */
static void write_events_and(struct teststore *t, const char *more)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "{");
	add_entry(&text, "d1", "Deploy to staging failed, restarted the runner 3", LONG_AGO);
	add_entry(&text, "d2", "Runner hung again, deploy to staging failed at 11:40", OLD);
	add_entry(&text, "d3", "Staging deploy failed on ticket 811 until the runner was restarted",
		  "'2026-09-08T10:00:00.000+02:00'");
	add_entry(&text, "n1", "Deploys to staging are done by Priya", OLD);
	add_entry(&text, "n2", "Ordered two chairs for the office", OLD);
	str_adds(&text, more);
	str_adds(&text, "}");
	toolcall_write_file(t, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
	toolcall_write_file(t, "state.json", text.ptr);
}

static void write_events(struct teststore *t)
{
	write_events_and(t, "");
}

#define FOUND                                                                                      \
	"'new_patterns':[{'pattern_id':'patterns:about deploy failed runner',"                     \
	"'description':'failed, runner, deploy, staging; done: restarted; 3 times from "           \
	"2026-08-25 to 2026-09-08','memory_count':3,"

/* It is told, and kept where that is asked for. */
static void rem_tells_what_recurs(void **state)
{
	struct teststore *t = *state;

	write_events(t);
	toolcall_reply_has(t, "consolidate", "{'mode':'rem'}", FOUND);
	toolcall_reply_has(t, "consolidate", "{'mode':'rem'}",
			   "'members':['state:d1','state:d2','state:d3'],'saved':false}]");
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','dry_run':false}",
			   "'saved':false}],'final_memory_count':4");
	toolcall_reply_has(t, "get", "{'query':'state:d1'}", "'reason':'pruned'");
	toolcall_replies(t, "list", "{'category':'patterns'}", "{'refs':[]}");
}

static void rem_saves_it_when_told(void **state)
{
	struct teststore *t = *state;

	write_events(t);
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}",
			   "'saved':true}]");
	toolcall_reply_has(t, "get", "{'query':'patterns:about deploy failed runner'}",
			   "'members':['state:d1','state:d2','state:d3']");
	toolcall_later();
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}",
			   "'saved':true}]");
	toolcall_replies(t, "list", "{'category':'patterns'}",
			 "{'refs':['patterns:about deploy failed runner']}");
}

/* What recurs once more is told in the same entry, whatever it would be named after now. */
static void a_saved_pattern_grows(void **state)
{
	struct teststore *t = *state;

	write_events(t);
	toolcall_replies(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}", NULL);
	toolcall_replies(t, "mv",
			 "{'key':'patterns:about deploy failed runner','new':'patterns:weekly'}",
			 NULL);
	toolcall_later();
	toolcall_replies(t, "set",
			 "{'key':'state:d4','value':'Deploy to staging failed, restarted its "
			 "runner'}",
			 NULL);
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}",
			   "'pattern_id':'patterns:weekly'");
	toolcall_replies(t, "list", "{'category':'patterns'}", "{'refs':['patterns:weekly']}");
	toolcall_reply_has(t, "get", "{'query':'patterns:weekly'}",
			   "'members':['state:d1','state:d2','state:d3','state:d4']");
}

/* It looks before it prunes, and into the archive. */
static void what_is_archived_still_recurs(void **state)
{
	struct teststore *t = *state;

	write_events(t);
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_reply_has(t, "consolidate", "{'mode':'rem'}", FOUND);
	toolcall_replies(t, "set", "{'key':'state:d9','value':'Painted the shed'}", NULL);
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','max_memories':1}",
			   "'new_patterns':[]");
}

static void nothing_makes_room_for_a_pattern(void **state)
{
	struct teststore *t = *state;

	write_events(t);
	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':5200}}");
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}",
			   "'saved':false}]");
	toolcall_replies(t, "list", "{'category':'patterns'}", "{'refs':[]}");
}

/* Else the next run would find a pattern that this one had no room for. */
static void what_goes_makes_room_for_a_pattern(void **state)
{
	struct teststore *t = *state;

	write_events(t);
	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':6000}}");
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}",
			   "'saved':true}]");
	toolcall_later();
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'dry_run':false}",
			   "'saved':true}]");
}

/* It names what went into it from then on, and takes more room. */
static void what_grows_in_a_merge_leaves_less_room_for_a_pattern(void **state)
{
	struct teststore *t = *state;

	write_events_and(
		t, ",'a b':{'value':'User prefers dark mode'," TIMES(
			   OLD) "},'b a':{'value':'User prefers dark mode!'," TIMES(LONG_AGO) "}");
	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':5750}}");
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'salience_threshold':0}",
			   "'saved':true}]");
	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':5710}}");
	toolcall_reply_has(t, "consolidate", "{'mode':'rem','save':true,'salience_threshold':0}",
			   "'saved':false}]");
}

static void one_real_run_a_minute(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_reply_has(t, "consolidate", "{'dry_run':false}", "'merged_count':1");
	toolcall_refused(t, "consolidate", "{'dry_run':false}", ERR_BUSY,
			 "the last run was less than a minute ago; try again later or with "
			 "dry_run: retry_after_ms 60000");
	toolcall_reply_has(t, "consolidate", "{}", "'merged_count':0");
	toolcall_later();
	toolcall_reply_has(t, "consolidate", "{'dry_run':false}", "'merged_count':0");
}

static void no_more_than_asked_are_looked_at(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_reply_has(t, "consolidate", "{'max_memories':1}",
			   "'pruned_count':1,'merged_count':0");
	toolcall_reply_has(t, "consolidate", "{'max_memories':1}", "'final_memory_count':7");
}

static void the_threshold_decides_who_goes(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_reply_has(t, "consolidate", "{'salience_threshold':0}", "'pruned_count':0");
	/* Together they would be below it, too: so they are not put together. What holds stays. */
	toolcall_reply_has(t, "consolidate", "{'salience_threshold':1}",
			   "'pruned_count':1,'merged_count':0");
}

static void what_is_protected_stays(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_write_file(t, "preferences.json",
			    "{'a b':{'value':'User prefers dark mode'," TIMES(LONG_AGO) "}}");
	toolcall_write_file(
		t, "patterns.json",
		"{'a b':{'value':'User prefers dark mode'," TIMES(
			LONG_AGO) ",'importance':0.8},'b a':{'value':'User prefers dark mode'}}");
	toolcall_reply_has(t, "consolidate",
			   "{'mode':'deep','salience_threshold':1,'dry_run':false}",
			   "'pruned':['state:long']");
	toolcall_replies(t, "list", "{'category':'patterns'}",
			 "{'refs':['patterns:a b','patterns:b a']}");
	toolcall_replies(t, "list", "{'category':'preferences'}", "{'refs':['preferences:a b']}");
}

static void bad_arguments_change_nothing(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_refused(t, "consolidate", "{'mode':'coma'}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "consolidate", "{'salience_threshold':1.5}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "consolidate", "{'max_memories':-1}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "consolidate", "{'force':true}", ERR_UNKNOWN_ARGUMENT, NULL);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
}

static void a_file_that_does_not_parse_stops_what_touches_it(void **state)
{
	struct teststore *t = *state;

	write_entries(t);
	toolcall_write_file(t, "relations.json", "{");
	toolcall_refused(t, "consolidate", "{'mode':'deep','dry_run':false}", ERR_BAD_DATA, NULL);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(light_merges_and_prunes),
		TEST(deep_links_what_is_alike),
		TEST(what_contradicts_is_left_to_somebody),
		TEST(rem_tells_what_recurs),
		TEST(rem_saves_it_when_told),
		TEST(a_saved_pattern_grows),
		TEST(what_is_archived_still_recurs),
		TEST(what_goes_makes_room_for_a_pattern),
		TEST(nothing_makes_room_for_a_pattern),
		TEST(what_grows_in_a_merge_leaves_less_room_for_a_pattern),
		TEST(one_real_run_a_minute),
		TEST(no_more_than_asked_are_looked_at),
		TEST(the_threshold_decides_who_goes),
		TEST(what_is_protected_stays),
		TEST(bad_arguments_change_nothing),
		TEST(a_file_that_does_not_parse_stops_what_touches_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
