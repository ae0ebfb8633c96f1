/* Putting back in a store without a history. */
#include "store/log/cold.h"
#include "support/toolcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)

static void set(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "set", arguments, NULL);
	toolcall_later();
}

static void an_overwritten_value(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1.0}");
	set(t, "{'key':'b','value':1}");
	set(t, "{'key':'a','value':2}");
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}",
			   "'value':1.0,'confidence':1,'created_at':'" TOOLCALL_T0
			   "','last_updated':'" TOOLCALL_T0 "'");
	/* The line is used; what the undo overwrote is there instead. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':2");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void deleted_and_cleared_entries(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':2}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_later();
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_later();
	toolcall_replies(t, "revert", "{'key':'b'}", "{'restored':['state:b'],'removed':[]}");
	toolcall_replies(t, "revert", "{'key':'a'}", "{'restored':['state:a'],'removed':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void an_entry_that_made_another_go(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'c','value':3}");
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':['state:c']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	/* Undoing that does it again: the same two are there as after the last set. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:c'],'removed':['state:a']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b','state:c']}");
}

static void an_entry_that_was_added_last(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "undo", "{}", ERR_NOT_FOUND,
			 "there is no earlier value to restore; without a history only what was "
			 "archived or overwritten last can be put back; turn one on with "
			 "\"git\": \"own\" in config.json");
	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'a','value':2}");
	set(t, "{'key':'b','value':1}");
	toolcall_refused_with(t, "revert", "{'key':'nobody'}", ERR_NOT_FOUND,
			      "there is no earlier value to restore");
	toolcall_replies(t, "undo", "{}", "{'restored':[],'removed':['state:b']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
	/* What it removed is kept: it can be undone, too, and again. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:b'],'removed':[]}");
	toolcall_later();
	toolcall_replies(t, "revert", "{'key':'b'}", "{'restored':[],'removed':['state:b']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void force_goes_behind_what_was_added(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'a','value':2}");
	set(t, "{'key':'b','value':1}");
	toolcall_replies(t, "undo", "{'force':true}", "{'restored':['state:a'],'removed':[]}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
}

/* A key that nobody names stays, though it was added by the same change. */
static void of_several_that_were_added_one_is_meant(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':{'value':1,'created_at':'" TOOLCALL_T0
			    "','last_updated':'" TOOLCALL_T0
			    "'},'b':{'value':2,'created_at':'" TOOLCALL_T0
			    "','last_updated':'" TOOLCALL_T0 "'}}");
	toolcall_later();
	toolcall_replies(t, "revert", "{'key':'b'}", "{'restored':[],'removed':['state:b']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:b'],'removed':[]}");
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':[],'removed':['state:b']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
}

static void what_was_changed_since_stays(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_write_file(t, "state.json", "{'a': 'mine'}");
	toolcall_refused_with(t, "undo", "{}", ERR_EXISTS, "state:a was changed since");
	toolcall_replies(t, "undo", "{'force':true}", "{'restored':['state:a'],'removed':[]}");
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':'mine'");
}

static void changes_cannot_be_named(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_refused(t, "undo", "{'change':'1234'}", ERR_NO_HISTORY,
			 "history is off; turn it on with \"git\": \"own\" in config.json");
	toolcall_refused_with(t, "revert", "{'key':'a','to':'1234'}", ERR_NO_HISTORY,
			      "history is off");
}

/* Two that say the same, one of them linked to a third. */
static void write_doubles(struct teststore *t)
{
	toolcall_write_file(t, "state.json",
			    "{'a':{'value':'User prefers dark mode','tags':['ui']},"
			    "'b':{'value':'user prefers dark mode'},'c':'other'}");
	toolcall_replies(t, "relate", "{'from':'a','to':'c','type':'supports'}", NULL);
	toolcall_later();
}

static void entries_that_became_one(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	write_doubles(t);
	before = tmpdir_read(&t->dir, "relations.json");
	toolcall_reply_has(t, "merge", "{'refs':['a','b'],'mode':'apply'}", "'archived_count':1");
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}",
			   "'restored':['state:a','state:b'],'removed':[],'relations':['rel-");
	after = tmpdir_read(&t->dir, "relations.json");
	assert_string_equal(after, before);
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':'User prefers dark mode'");
	toolcall_reply_has(t, "get", "{'query':'state:b'}", "'value':'user prefers dark mode'");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	free(before);
	free(after);
}

/* A note goes while it is as it was made. */
static void a_promoted_entry(void **state)
{
	struct teststore *t = *state;
	char *text;

	set(t, "{'key':'a','value':'long','tags':['x']}");
	toolcall_replies(t, "reinforce", "{'refs':['a']}", NULL);
	toolcall_later();
	toolcall_replies(t, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
	assert_true(tmpdir_has(&t->dir, "notes/a.md"));
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	assert_false(tmpdir_has(&t->dir, "notes/a.md"));
	toolcall_later();
	toolcall_replies(t, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
	text = tmpdir_read(&t->dir, "notes/a.md");
	memcpy(strstr(text, "long"), "mine", 4);
	tmpdir_write(&t->dir, "notes/a.md", text);
	free(text);
	toolcall_later();
	toolcall_replies(t, "undo", "{}",
			 "{'restored':['state:a'],'removed':[],'left':['notes/a.md']}");
	assert_true(tmpdir_has(&t->dir, "notes/a.md"));
}

static void a_link(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	set(t, "{'key':'a','value':2}");
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'causes'}", NULL);
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'restored':[],'removed':[],'relations':['rel-");
	toolcall_file_is(t, "relations.json", "{}\n");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':2");
	/* The undo is the last change then, as it is with a history. */
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'restored':[],'removed':[],'relations':['rel-");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':2");
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'unlinked':['rel-");
	toolcall_file_is(t, "relations.json", "{}\n");
}

static void a_link_that_was_removed(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	set(t, "{'key':'a','value':2}");
	toolcall_replies(
		t, "relate",
		"{'from':'a','to':'b','type':'causes','strength':0.3,'metadata':{'why':1}}", NULL);
	before = tmpdir_read(&t->dir, "relations.json");
	toolcall_later();
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'causes','remove':true}", NULL);
	toolcall_file_is(t, "relations.json", "{}\n");
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'restored':[],'removed':[],'relations':['rel-");
	after = tmpdir_read(&t->dir, "relations.json");
	assert_string_equal(after, before);
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':2");
	free(before);
	free(after);
}

/* The person wrote it again: that stays, unless it is forced away, and then it is kept. */
static void a_link_that_was_written_again(void **state)
{
	struct teststore *t = *state;
	char *text;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'causes'}", NULL);
	text = tmpdir_read(&t->dir, "relations.json");
	toolcall_later();
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'causes','remove':true}", NULL);
	memcpy(strstr(text, "causes"), "CAUSES", 6);
	tmpdir_write(&t->dir, "relations.json", text);
	toolcall_later();
	toolcall_refused_with(t, "undo", "{}", ERR_EXISTS, " was changed since; ");
	toolcall_file_is(t, "relations.json", text);
	toolcall_reply_has(t, "undo", "{'force':true}", "'relations':['rel-");
	toolcall_later();
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_file_is(t, "relations.json", text);
	free(text);
}

/* A change that renames an entry leaves another link under the same name. */
static void a_link_that_was_replaced(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *text;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'causes'}", NULL);
	before = tmpdir_read(&t->dir, "relations.json");
	toolcall_later();
	toolcall_replies(t, "mv", "{'key':'a','new':'c'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_file_is(t, "relations.json", before);
	toolcall_later();
	toolcall_replies(t, "mv", "{'key':'a','new':'c'}", NULL);
	text = tmpdir_read(&t->dir, "relations.json");
	memcpy(strstr(text, "causes"), "CAUSES", 6);
	tmpdir_write(&t->dir, "relations.json", text);
	toolcall_later();
	toolcall_refused_with(t, "undo", "{}", ERR_EXISTS, " was changed since; ");
	toolcall_file_is(t, "relations.json", text);
	toolcall_replies(t, "undo", "{'force':true}", NULL);
	toolcall_file_is(t, "relations.json", before);
	free(before);
	free(text);
}

/* It says what the change did not leave. */
static void a_link_that_was_edited_since(void **state)
{
	struct teststore *t = *state;
	char *text;
	char *again;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':1}");
	toolcall_replies(t, "relate", "{'from':'a','to':'b','type':'causes'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", NULL);
	text = tmpdir_read(&t->dir, "relations.json");
	memcpy(strstr(text, "causes"), "CAUSES", 6);
	tmpdir_write(&t->dir, "relations.json", text);
	toolcall_later();
	toolcall_refused_with(t, "undo", "{}", ERR_EXISTS, " was changed since; ");
	toolcall_reply_has(t, "undo", "{'force':true}", "'unlinked':['rel-");
	toolcall_file_is(t, "relations.json", "{}\n");
	/* What the person wrote is kept as well. */
	toolcall_later();
	toolcall_replies(t, "undo", "{}", NULL);
	again = tmpdir_read(&t->dir, "relations.json");
	assert_non_null(strstr(again, "CAUSES"));
	free(again);
	free(text);
}

static void a_restored_record_goes_back(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1.0}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_replies(t, "restore", "{'key':'a'}", NULL);
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	for (int i = 0; i < 2; i++) {
		toolcall_later();
		toolcall_replies(t, "undo", "{}", "{'restored':[],'removed':['state:a']}");
		toolcall_reply_has(t, "archived", "{}", "{'refs':['state:a@");
		toolcall_later();
		toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
		toolcall_replies(t, "archived", "{}", "{'refs':[]}");
		toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':1.0");
	}
	toolcall_later();
	toolcall_replies(t, "revert", "{'key':'a'}", "{'restored':[],'removed':['state:a']}");
	toolcall_reply_has(t, "archived", "{}", "{'refs':['state:a@");
}

/* The cold archive may have a line twice: what it says is done once. */
static void a_line_that_stands_twice(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = STR_INIT;
	STR_AUTO twice = STR_INIT;
	const char *line;
	char *text;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_replies(t, "restore", "{'key':'a'}", NULL);
	cold_path(&path, fake_sys_now());
	text = tmpdir_read(&t->dir, path.ptr);
	line = strstr(text, "\"undo\":true,\"archivedAt\"");
	assert_non_null(line);
	while (line > text && line[-1] != '\n')
		line--;
	str_printf(&twice, "%s%.*s\n", text, (int)strcspn(line, "\n"), line);
	tmpdir_write(&t->dir, path.ptr, twice.ptr);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':[],'removed':['state:a']}");
	free(text);
	text = tmpdir_read(&t->dir, "archive.json");
	assert_non_null(strstr(text, "originalKey"));
	assert_null(strstr(strstr(text, "originalKey") + 1, "originalKey"));
	free(text);
}

static void one_that_came_again_since_stays(void **state)
{
	struct teststore *t = *state;

	write_doubles(t);
	toolcall_replies(t, "merge", "{'refs':['a','b'],'mode':'apply','keep':'first'}", NULL);
	toolcall_later();
	toolcall_replies(t, "set", "{'key':'b','value':'something new','category':'state'}", NULL);
	toolcall_replies(t, "undo", "{}", "{'restored':[],'removed':['state:b']}");
}

static void links_that_do_not_parse_hold_nothing_up(void **state)
{
	struct teststore *t = *state;

	write_doubles(t);
	toolcall_replies(t, "merge", "{'refs':['a','b'],'mode':'apply'}", NULL);
	toolcall_later();
	toolcall_write_file(t, "relations.json", "{");
	toolcall_reply_has(
		t, "undo", "{}",
		"{'restored':['state:a','state:b'],'removed':[],'left':['relations.json']");
}

/* Their times say nothing of when they came: what was set before is not taken for the last change.
 */
static void what_comes_with_old_times(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'z','value':2}");
	toolcall_replies(t, "mv", "{'key':'a','new':'b'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':['state:b']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:z']}");
	toolcall_later();
	toolcall_replies(t, "mv", "{'key':'a','new':'A'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':['state:A']}");
	toolcall_later();
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_replies(t, "restore", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':[],'removed':['state:a']}");
	toolcall_later();
	toolcall_replies(t, "undo", "{}", "{'restored':['state:a'],'removed':[]}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:z']}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_overwritten_value),
		TEST(deleted_and_cleared_entries),
		TEST(an_entry_that_made_another_go),
		TEST(an_entry_that_was_added_last),
		TEST(force_goes_behind_what_was_added),
		TEST(of_several_that_were_added_one_is_meant),
		TEST(what_was_changed_since_stays),
		TEST(changes_cannot_be_named),
		TEST(entries_that_became_one),
		TEST(a_promoted_entry),
		TEST(a_link),
		TEST(a_link_that_was_removed),
		TEST(a_link_that_was_edited_since),
		TEST(a_link_that_was_written_again),
		TEST(a_link_that_was_replaced),
		TEST(a_restored_record_goes_back),
		TEST(a_line_that_stands_twice),
		TEST(one_that_came_again_since_stays),
		TEST(what_comes_with_old_times),
		TEST(links_that_do_not_parse_hold_nothing_up),
	};

	return cmocka_run_group_tests_name("revert without a history", tests, NULL, NULL);
}
