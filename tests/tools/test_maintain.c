#include "support/toolcall.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)
#define TEST_WITH_HISTORY(f)                                                                       \
	cmocka_unit_test_setup_teardown(f, toolcall_set_up_with_history, toolcall_tear_down)

/* Made 70 days before, old enough for maintenance to touch it; faded, or changed a day before. */
#define OLD "'created_at': '2026-09-12T09:30:00.000+02:00'"
#define FADED OLD ", 'last_updated': '2026-09-12T09:30:00.000+02:00'"
#define FRESH OLD ", 'last_updated': '2026-11-20T09:30:00.000+01:00'"

#define STORE                                                                                      \
	"{\n"                                                                                      \
	"  'dull': {'value': 'nobody asks', " FADED "},\n"                                         \
	"  'dear': {'value': 'pinned', 'pinned': true, " FADED "},\n"                              \
	"  'tea': {'value': 'with milk', 'entities': ['Ada', 'Tea'], 'tags': ['drink']},\n"        \
	"  'cups': {'value': 'two a day', 'entities': ['ada', 'tea', 'Cup'], 'tags': "             \
	"['drink']},\n"                                                                            \
	"  'star': {'value': 'the north star is above', " FRESH "},\n"                             \
	"  'build server': {'value': 'the build server sleeps on sundays', " FRESH "},\n"          \
	"  'server build': {'value': 'The build server sleeps on Sundays', " FRESH "}\n"           \
	"}\n"

static void fill(struct teststore *t)
{
	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	toolcall_write_file(t, "state.json", STORE);
	toolcall_write_file(t, "usage.jsonl",
			    "{'since':'2026-09-01T00:00:00.000+02:00'}\n"
			    "{'use':'state:star','at':'2026-11-12T09:30:00.000+01:00'}\n"
			    "{'use':'state:star','at':'2026-11-20T09:30:00.000+01:00'}\n");
}

/* The files that maintenance may change, one after the other; the caller frees them. */
static char *all_files(struct teststore *t)
{
	static const char *const names[] = {"state.json", "relations.json", "patterns.json"};
	struct str all = STR_INIT;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *text = tmpdir_read(&t->dir, names[i]);

		str_printf(&all, "%s\n%s\n", names[i], text ? text : "");
		free(text);
	}
	return str_detach(&all);
}

static struct str reply_to(struct teststore *t, const char *arguments)
{
	struct str reply = STR_INIT;

	toolcall_reply(t, "maintain", arguments, &reply);
	return reply;
}

/* From "decay" on, where a dry run and a real one have to say the same. */
static const char *what_is_said(const struct str *reply)
{
	const char *said = strstr(reply->ptr, "\"decay\":");

	assert_non_null(said);
	return said;
}

static void a_dry_run_says_what_the_real_one_does(void **state)
{
	struct teststore *t = *state;
	STR_AUTO dry = STR_INIT;
	STR_AUTO real = STR_INIT;
	char *before;
	char *after;

	fill(t);
	before = all_files(t);
	dry = reply_to(t, "{'dry_run':true}");
	after = all_files(t);
	assert_string_equal(before, after);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
	real = reply_to(t, "{}");
	assert_string_equal(what_is_said(&dry), what_is_said(&real));
	assert_non_null(strstr(real.ptr, "\"changes\":4"));
	free(before);
	free(after);
}

static void what_has_faded_goes_and_what_is_dear_stays(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_reply_has(t, "maintain", "{'step':'decay'}",
			   "'actions':[{'do':'archive','ref':'state:dull'");
	toolcall_replies(
		t, "list", "{}",
		"{'refs':['state:build server','state:cups','state:dear','state:server build',"
		"'state:star','state:tea']}");
	assert_int_equal(teststore_archived(t, "dull", false), 1);
}

static void what_says_the_same_becomes_one(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_reply_has(t, "maintain", "{'step':'cluster'}",
			   "'cluster':{'actions':[],'clusters_found':1,'clusters':[{'memory_ids':["
			   "'state:build server','state:server "
			   "build'],'cohesion':1,'suggested_action':'merge'}]}");
	toolcall_reply_has(t, "maintain", "{'step':'merge'}",
			   "'actions':[{'do':'merge','ref':'state:build "
			   "server','with':['state:server build']");
	assert_int_equal(teststore_archived(t, "server build", false), 1);
	toolcall_reply_has(t, "maintain", "{'step':'merge'}", "'actions':[]");
}

/* Equal by chance: a change of one is none of the other, and each is asked for by its own name. */
static void keys_that_are_looked_up_separately_stay(void **state)
{
	static const char *const keys[][2] = {{"staging region", "production region"},
					      {"deploy branch", "staging deploy branch"},
					      {"server 1", "server 2"},
					      {"one", "two"}};
	struct teststore *t = *state;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		STR_AUTO text = STR_INIT;
		STR_AUTO refs = STR_INIT;

		str_printf(&text,
			   "{'%s':{'value':'the one in the north of Europe'," FRESH "},"
			   "'%s':{'value':'the one in the north of Europe'," FRESH "}}",
			   keys[i][0], keys[i][1]);
		toolcall_write_file(t, "state.json", text.ptr);
		str_printf(&refs, "'memory_ids':['state:%s','state:%s']", keys[i][0], keys[i][1]);
		toolcall_reply_has(t, "maintain", "{'step':'merge'}", "'actions':[],");
		toolcall_reply_has(t, "maintain", "{'step':'merge'}", refs.ptr);
		toolcall_reply_has(t, "maintain", "{'step':'merge'}",
				   "'reason':'the same under keys that are looked up separately'");
	}
}

/* The key that went is one of the entry that stays, until another entry takes it. */
static void a_key_that_was_merged_away_finds_what_remains(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_replies(t, "maintain", "{'step':'merge'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'server build'}",
			   "'key':'build server','category':'state','value':'the build server "
			   "sleeps on sundays','confidence':0.99,");
	toolcall_reply_has(t, "get", "{'query':'state:Server_Build'}", "'key':'build server'");
	toolcall_replies(t, "set", "{'key':'server build','value':'make','category':'state'}",
			 NULL);
	toolcall_reply_has(t, "get", "{'query':'server build'}",
			   "'key':'server build','category':'state','value':'make',"
			   "'confidence':1,");
}

/* However little it has in common with the one that remains. */
static void a_key_that_a_person_merged_finds_what_remains(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(
		t, "state.json",
		"{'espresso':{'value':'at nine'},'\\u2615':{'value':'at nine, black'}}");
	toolcall_reply_has(t, "merge", "{'refs':['espresso','\\u2615'],'mode':'apply'}",
			   "'new_memory_id':'state:espresso'");
	toolcall_reply_has(t, "get", "{'query':'\\u2615'}", "'key':'espresso'");
	teststore_reopen(t);
	toolcall_reply_has(t, "get", "{'query':'\\u2615'}", "'key':'espresso'");
}

static void what_has_proved_its_worth_becomes_a_note(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_reply_has(t, "maintain", "{'step':'promote'}",
			   "'actions':[{'do':'promote','ref':'state:star','note':");
	assert_true(tmpdir_has(&t->dir, "notes"));
	toolcall_reply_has(t, "maintain", "{'step':'promote'}", "'actions':[]");
}

/* A link to what an earlier step of ours has changed is no link to something unknown. */
static void steps_that_meet_are_all_done(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_write_file(
		t, "state.json",
		"{'star': {'value': 'it is above', 'entities': ['Ada', 'Sky', 'Night'], " FRESH "},"
		"'moon': {'value': 'it is round', 'entities': ['Ada', 'Sky', 'Night'], " FRESH
		"}}");
	toolcall_reply_has(t, "maintain", "{}", "'changes':2");
	toolcall_reply_has(t, "maintain", "{}", "'changes':0");
	assert_true(tmpdir_has(&t->dir, "relations.json"));
}

static void what_is_related_is_linked_once(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_reply_has(t, "maintain", "{'step':'relations'}",
			   "'relations':[{'from_id':'state:tea','to_id':'state:cups',"
			   "'relation_type':'related','strength':0.766666666667,'confidence':0.6,"
			   "'shared_entities':['Ada','Tea'],'reasoning':'both are about Ada and "
			   "Tea, and 1 tag is the same'}]");
	toolcall_reply_has(t, "maintain", "{'step':'relations'}", "'actions':[],'relations':[]");
}

/* Hundreds that are about the same things: some links each, and no more the next time. */
static void a_crowd_gets_a_few_links_each(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;
	STR_AUTO key = STR_INIT;
	char *links;
	size_t count = 0;

	toolcall_write_file(t, "config.json",
			    "{'limits': {'entries_per_category': 1000,"
			    "'total_bytes': 10000000}}");
	for (int i = 0; i < 150; i++)
		str_printf(&text,
			   "%s'k%d': {'value': 'number %d of many', 'entities': ['Ada', 'Sky'], "
			   "'tags': ['a', 'b']}",
			   i ? "," : "{", i, i);
	str_addc(&text, '}');
	toolcall_write_file(t, "patterns.json", text.ptr);
	toolcall_replies(t, "maintain", "{'step':'relations'}", NULL);
	links = tmpdir_read(&t->dir, "relations.json");
	str_adds(&key, "\"patterns:k7\"");
	for (const char *at = links; (at = strstr(at, key.ptr)) != NULL; at++)
		count++;
	assert_in_range(count, 1, 10);
	toolcall_reply_has(t, "maintain", "{'step':'relations'}", "'actions':[],'relations':[]");
	free(links);
}

static void running_it_twice_changes_nothing_more(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	fill(t);
	toolcall_try(t, "maintain", "{}");
	before = all_files(t);
	toolcall_later();
	toolcall_reply_has(t, "maintain", "{}", "{'dry_run':false,'changes':0");
	after = all_files(t);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void each_step_is_taken_back_byte_for_byte(void **state)
{
	static const char *const steps[] = {"decay", "merge", "promote", "relations"};
	struct teststore *t = *state;

	fill(t);
	/* A file that was not there stays, without anything in it. */
	toolcall_write_file(t, "relations.json", "{}\n");
	toolcall_try(t, "set", "{'key':'x','value':1,'category':'state'}");
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		STR_AUTO arguments = STR_INIT;
		STR_AUTO reply = STR_INIT;
		char *before = all_files(t);
		char *after;

		str_printf(&arguments, "{'step':'%s'}", steps[i]);
		toolcall_reply_has(t, "maintain", arguments.ptr, "'changes':1");
		after = all_files(t);
		assert_string_not_equal(before, after);
		free(after);
		toolcall_reply(t, "undo", "{}", &reply);
		after = all_files(t);
		assert_string_equal(before, after);
		free(before);
		free(after);
	}
}

static void a_plan_is_read_before_it_is_applied(void **state)
{
	struct teststore *t = *state;
	STR_AUTO arguments = STR_INIT;
	char *before;
	char *after;
	char *plan;

	fill(t);
	before = all_files(t);
	str_printf(&arguments, "{'plan':'%s/plan.json'}", t->dir.path);
	toolcall_reply_has(t, "maintain", arguments.ptr, "{'dry_run':true,'changes':0");
	after = all_files(t);
	assert_string_equal(before, after);
	plan = tmpdir_read(&t->dir, "plan.json");
	assert_non_null(strstr(plan, "\"do\": \"archive\""));
	assert_non_null(strstr(plan, "\"do\": \"link\""));
	toolcall_refused_with(t, "maintain", arguments.ptr, ERR_EXISTS, "exists already");
	str_clear(&arguments);
	str_printf(&arguments, "{'apply':'%s/plan.json'}", t->dir.path);
	toolcall_reply_has(t, "maintain", arguments.ptr, "{'dry_run':false,'changes':1");
	toolcall_replies(t, "list", "{}",
			 "{'refs':['state:build "
			 "server','state:cups','state:dear','state:star','state:tea']}");
	toolcall_reply_has(t, "maintain", arguments.ptr, "'changes':0");
	free(before);
	free(after);
	free(plan);
}

static void what_has_changed_since_is_named(void **state)
{
	struct teststore *t = *state;
	STR_AUTO arguments = STR_INIT;

	fill(t);
	str_printf(&arguments, "{'plan':'%s/plan.json'}", t->dir.path);
	toolcall_try(t, "maintain", arguments.ptr);
	toolcall_try(t, "set", "{'key':'dull','value':'somebody asks'}");
	str_clear(&arguments);
	str_printf(&arguments, "{'apply':'%s/plan.json'}", t->dir.path);
	toolcall_reply_has(t, "maintain", arguments.ptr,
			   "'left_out':[{'ref':'state:dull','reason':'state:dull has changed "
			   "since'}]");
	assert_int_equal(teststore_archived(t, "dull", false), 0);
}

static void a_broken_plan_changes_nothing(void **state)
{
	static const char *const texts[] = {"", "{", "{'kota_plan':1,'steps':[{'do':'burn'}]}"};
	struct teststore *t = *state;
	STR_AUTO arguments = STR_INIT;
	char *before;
	char *after;

	fill(t);
	before = all_files(t);
	str_printf(&arguments, "{'apply':'%s/plan.json'}", t->dir.path);
	toolcall_refused_with(t, "maintain", arguments.ptr, ERR_NOT_FOUND,
			      "apply: there is no file");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		toolcall_write_file(t, "plan.json", texts[i]);
		toolcall_refused_with(t, "maintain", arguments.ptr, ERR_BAD_DATA, "plan.json:1:");
	}
	after = all_files(t);
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void a_plan_touches_nothing_that_is_protected_by_then(void **state)
{
	struct teststore *t = *state;
	STR_AUTO arguments = STR_INIT;

	fill(t);
	str_printf(&arguments, "{'plan':'%s/plan.json'}", t->dir.path);
	toolcall_try(t, "maintain", arguments.ptr);
	for (int i = 0; i < 10; i++)
		toolcall_try(t, "get", "{'query':'state:dull'}");
	str_clear(&arguments);
	str_printf(&arguments, "{'apply':'%s/plan.json'}", t->dir.path);
	toolcall_reply_has(t, "maintain", arguments.ptr,
			   "'reason':'state:dull is protected: 10 hits or more'");
}

static void by_schedule_it_runs_once_an_interval(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_reply_has(t, "maintain", "{'scheduled':true,'dry_run':true}", "'decay'");
	toolcall_reply_has(t, "maintain", "{'scheduled':true}", "'changes':4");
	assert_true(tmpdir_has(&t->dir, ".maintained"));
	toolcall_later();
	toolcall_reply_has(t, "maintain", "{'scheduled':true}",
			   "'skipped':'it is not time yet','last_run':'" TOOLCALL_T0
			   "','next_run':'2026-11-21T10:30:00.000+01:00'");
	fake_sys_set_now(TESTSTORE_NOW + 3600 * 1000);
	toolcall_reply_has(t, "maintain", "{'scheduled':true,'interval_hours':2}", "'skipped'");
	toolcall_reply_has(t, "maintain", "{'scheduled':true}", "'decay'");
	/* Without --scheduled nobody waits. */
	toolcall_reply_has(t, "maintain", "{}", "'decay'");
}

static void a_mark_that_says_nothing_does_not_keep_it_from_running(void **state)
{
	struct teststore *t = *state;

	fill(t);
	tmpdir_write(&t->dir, ".maintained", "never\n");
	toolcall_reply_has(t, "maintain", "{'scheduled':true}", "'decay'");
	tmpdir_write(&t->dir, ".maintained", "2099-01-01T00:00:00Z\n");
	toolcall_reply_has(t, "maintain", "{'scheduled':true}", "'decay'");
}

static void where_no_store_is_none_is_made(void **state)
{
	struct teststore *t = *state;

	toolcall_reply_has(t, "maintain", "{}", "'changes':0");
	assert_false(tmpdir_has(&t->dir, ".kota"));
	assert_false(tmpdir_has(&t->dir, ".lock"));
}

static void bad_arguments_change_nothing(void **state)
{
	struct teststore *t = *state;

	fill(t);
	toolcall_refused(t, "maintain", "{'step':'burn'}", ERR_BAD_VALUE, NULL);
	toolcall_refused_with(t, "maintain", "{'plan':'a','apply':'b'}", ERR_BAD_VALUE,
			      "give --plan or --apply, not both");
	toolcall_refused_with(t, "maintain", "{'apply':'b','step':'decay'}", ERR_BAD_VALUE,
			      "the plan file says what is done");
	toolcall_refused_with(t, "maintain", "{'plan':'b','scheduled':true}", ERR_BAD_VALUE,
			      "leave out --scheduled");
	toolcall_refused_with(t, "maintain", "{'interval_hours':1}", ERR_BAD_VALUE,
			      "needs --scheduled");
	toolcall_refused(t, "maintain", "{'interval_hours':0,'scheduled':true}", ERR_BAD_VALUE,
			 NULL);
	toolcall_refused(t, "maintain", "{'plan':'/nowhere/at/all'}", ERR_IO, NULL);
	toolcall_file_is(t, "state.json", STORE);
}

static void a_broken_file_stops_it(void **state)
{
	struct teststore *t = *state;

	fill(t);
	tmpdir_write(&t->dir, "relations.json", "{,}");
	toolcall_refused_with(t, "maintain", "{'step':'relations'}", ERR_BAD_DATA,
			      "relations.json:1:2");
	/* Among others it is left out, and nothing else is. */
	toolcall_reply_has(t, "maintain", "{'dry_run':true}",
			   "'relations':{'actions':[],'skipped':'");
	toolcall_reply_has(t, "maintain", "{'dry_run':true}", "relations.json:1:2: ");
	toolcall_file_is(t, "state.json", STORE);
	toolcall_reply_has(t, "maintain", "{}", "'do':'archive'");
	assert_true(tmpdir_has(&t->dir, "archive.json"));
	toolcall_file_is(t, "relations.json", "{,}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_dry_run_says_what_the_real_one_does),
		TEST(what_has_faded_goes_and_what_is_dear_stays),
		TEST(what_says_the_same_becomes_one),
		TEST(keys_that_are_looked_up_separately_stay),
		TEST(a_key_that_was_merged_away_finds_what_remains),
		TEST(a_key_that_a_person_merged_finds_what_remains),
		TEST(what_has_proved_its_worth_becomes_a_note),
		TEST(steps_that_meet_are_all_done),
		TEST(what_is_related_is_linked_once),
		TEST(a_crowd_gets_a_few_links_each),
		TEST(running_it_twice_changes_nothing_more),
		TEST_WITH_HISTORY(each_step_is_taken_back_byte_for_byte),
		TEST(a_plan_is_read_before_it_is_applied),
		TEST(what_has_changed_since_is_named),
		TEST(a_broken_plan_changes_nothing),
		TEST(a_plan_touches_nothing_that_is_protected_by_then),
		TEST(by_schedule_it_runs_once_an_interval),
		TEST(a_mark_that_says_nothing_does_not_keep_it_from_running),
		TEST(where_no_store_is_none_is_made),
		TEST(bad_arguments_change_nothing),
		TEST(a_broken_file_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
