#include "support/pastcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define RECORDED(name)                                                                             \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)

/* An entry that was made, and used last, so many days ago; fields begin with a comma. */
static void add_entry(struct str *out, const char *key, int days, const char *fields)
{
	char time[TIMESTAMP_SIZE];

	timestamp_format(TESTSTORE_NOW - days * MS_PER_DAY, time);
	str_printf(out, "%s'%s':{'value':'v','created_at':'%s','last_updated':'%s'%s}",
		   out->len > 1 ? ",\n" : "", key, time, time, fields);
}

/* Usage counts since so long ago that the times of the entries are what matters. */
static void begin_usage(struct teststore *t)
{
	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	toolcall_write_file(t, "usage.jsonl", "{'since':'2026-01-01T00:00:00.000Z'}\n");
}

/* fresh has not faded; old, older and oldest have, in another order; the rest is protected. */
static void write_store(struct teststore *t)
{
	STR_AUTO state = STR_INIT;
	STR_AUTO preferences = STR_INIT;

	begin_usage(t);
	str_addc(&state, '{');
	add_entry(&state, "older", 70, "");
	add_entry(&state, "fresh", 40, "");
	add_entry(&state, "oldest", 85, "");
	add_entry(&state, "old", 60, "");
	add_entry(&state, "strong", 60, ",'strength':2");
	add_entry(&state, "pinned", 80, ",'pinned':true");
	add_entry(&state, "important", 80, ",'importance':0.8");
	add_entry(&state, "sourced", 80, ",'source':'cli'");
	str_addc(&state, '}');
	toolcall_write_file(t, "state.json", state.ptr);
	str_addc(&preferences, '{');
	add_entry(&preferences, "kept", 80, "");
	str_addc(&preferences, '}');
	toolcall_write_file(t, "preferences.json", preferences.ptr);
}

static void a_dry_run_says_what_would_go(void **state)
{
	struct teststore *t = *state;
	char *before;

	write_store(t);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_replies(
		t, "gc", "{}",
		"{'success':true,'dry_run':true,'removed_count':0,'archived_count':3,"
		"'freed_score_sum':0.102,'memory_ids':['state:oldest','state:older',"
		"'state:old'],'total_affected':3,'message':'Would archive 3 faded memories "
		"(score below 0.05); 4 more are faded and protected'}");
	toolcall_file_is(t, "state.json", before);
	assert_false(tmpdir_has(&t->dir, "archive.json"));
	free(before);
}

static void what_has_faded_goes_to_the_archive(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	toolcall_replies(t, "gc", "{'dry_run':false}",
			 "{'success':true,'dry_run':false,'removed_count':0,'archived_count':3,"
			 "'freed_score_sum':0.102,'memory_ids':['state:oldest','state:older',"
			 "'state:old'],'total_affected':3,'message':'Archived 3 faded memories "
			 "(score below 0.05); 4 more are faded and protected'}");
	toolcall_replies(t, "list", "{'category':'state'}",
			 "{'refs':['state:fresh','state:important','state:pinned','state:sourced',"
			 "'state:strong']}");
	toolcall_reply_has(t, "restore", "{'key':'old'}", "'reason':'faded'");
	/* Again there is nothing to do: what was restored is active. */
	toolcall_reply_has(t, "gc", "{'dry_run':false}", "'archived_count':0");
}

static void the_worst_go_first(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	toolcall_reply_has(t, "gc", "{'limit':2}",
			   "'freed_score_sum':0.062,'memory_ids':['state:oldest','state:older']");
	toolcall_reply_has(t, "gc", "{'limit':1,'dry_run':false}",
			   "'memory_ids':['state:oldest'],'total_affected':1,'message':'Archived 1 "
			   "faded memory (");
	toolcall_reply_has(t, "gc", "{'limit':99}", "'archived_count':2");
}

static void the_threshold_is_a_setting(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	toolcall_write_file(t, "config.json",
			    "{'forget_threshold':0.036,'decay':{'half_life_days':3}}");
	toolcall_reply_has(t, "gc", "{}", "(score below 0.036); ");
	toolcall_reply_has(t, "gc", "{}", "'memory_ids':['state:oldest','state:older']");
	toolcall_write_file(t, "config.json", "{'forget_threshold':0}");
	toolcall_reply_has(t, "gc", "{'dry_run':false}", "'archived_count':0");
	toolcall_write_file(t, "config.json",
			    "{'decay':{'model':'exponential','half_life_days':3}}");
	toolcall_reply_has(t, "gc", "{}", "'archived_count':5");
}

/* A look at an entry keeps it. */
static void what_is_used_stays(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	toolcall_replies(t, "get", "{'query':'oldest'}", NULL);
	toolcall_reply_has(t, "gc", "{}", "'memory_ids':['state:older','state:old']");
}

/* Without a word on when usage began nobody knows when an entry was used last. */
static void after_a_clone_nothing_has_faded(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	tmpdir_write(&t->dir, "usage.jsonl", "");
	toolcall_reply_has(t, "gc", "{}", "'archived_count':0");
}

static void it_never_destroys(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	toolcall_refused(t, "gc", "{'archive_instead':false,'dry_run':false}", ERR_BAD_VALUE,
			 "archive_instead: what has faded is archived, never destroyed; only the "
			 "user can destroy an entry, with kota purge");
	toolcall_reply_has(t, "gc", "{'archive_instead':true}", "'archived_count':3");
}

static void bad_arguments_change_nothing(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "gc", "{'limit':0}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "gc", "{'limit':1.5}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "gc", "{'limit':'few'}", ERR_WRONG_TYPE, NULL);
	toolcall_refused(t, "gc", "{'dry_run':'perhaps'}", ERR_WRONG_TYPE, NULL);
	toolcall_refused(t, "gc", "{'force':true}", ERR_UNKNOWN_ARGUMENT, NULL);
	toolcall_reply_has(t, "gc", "{}", "'archived_count':0");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void a_file_that_cannot_be_read_is_told(void **state)
{
	struct teststore *t = *state;

	write_store(t);
	tmpdir_write(&t->dir, "config.json", "[");
	toolcall_refused_with(t, "gc", "{}", ERR_BAD_DATA, "config.json:1:");
	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	tmpdir_write(&t->dir, "archive.json", "[");
	toolcall_refused_with(t, "gc", "{}", ERR_BAD_DATA, "archive.json:1:");
	toolcall_refused_with(t, "gc", "{'dry_run':false}", ERR_BAD_DATA, "archive.json:1:");
	toolcall_reply_has(t, "list", "{}", "'state:oldest'");
}

/* Who was wanted is not known then, and protected by that: neither a run nor its rehearsal. */
static void without_usage_nothing_is_decided(void **state)
{
	struct teststore *t = *state;
	char *before;

	write_store(t);
	assert_int_equal(unlinkat(t->dir.fd, "usage.jsonl", 0), 0);
	assert_int_equal(mkdirat(t->dir.fd, "usage.jsonl", 0700), 0);
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_refused_with(t, "gc", "{'dry_run':false}", ERR_IO, "usage.jsonl cannot be read");
	toolcall_refused_with(t, "gc", "{}", ERR_IO, "usage.jsonl cannot be read");
	toolcall_file_is(t, "state.json", before);
	free(before);
}

static void one_undo_takes_it_back(void **state)
{
	struct teststore *t = *state;

	char *before;
	char *after;
	char *records;

	write_store(t);
	toolcall_write_file(t, "archive.json",
			    "{ 'state' : [ {'key':'x@" TOOLCALL_T0 "',   'entry': 1} ]}");
	before = tmpdir_read(&t->dir, "state.json");
	records = tmpdir_read(&t->dir, "archive.json");
	toolcall_replies(t, "list", "{}", NULL);
	toolcall_replies(t, "gc", "{'dry_run':false}", NULL);
	after = tmpdir_read(&t->dir, "state.json");
	pastcall_check_tree(t);
	toolcall_reply_has(t, "undo", "{}",
			   "'restored':['state:old','state:older','state:oldest'],'removed':[]");
	toolcall_file_is(t, "state.json", before);
	toolcall_file_is(t, "archive.json", records);
	pastcall_check_tree(t);
	toolcall_reply_has(t, "undo", "{}", "'removed':['state:old','state:older','state:oldest']");
	toolcall_file_is(t, "state.json", after);
	pastcall_check_tree(t);
	free(before);
	free(after);
	free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_dry_run_says_what_would_go),
		TEST(what_has_faded_goes_to_the_archive),
		TEST(the_worst_go_first),
		TEST(the_threshold_is_a_setting),
		TEST(what_is_used_stays),
		TEST(after_a_clone_nothing_has_faded),
		TEST(it_never_destroys),
		TEST(bad_arguments_change_nothing),
		TEST(a_file_that_cannot_be_read_is_told),
		TEST(without_usage_nothing_is_decided),
		RECORDED(one_undo_takes_it_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
