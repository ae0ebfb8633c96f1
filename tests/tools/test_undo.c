#include "support/pastcall.h"
#include "support/secret_sample.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)

#define NOTHING "'restored':[],'removed':[]"

static void set(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "set", arguments, NULL);
	toolcall_later();
}

static void a_new_entry_goes(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_reply_has(t, "undo", "{}",
			   "'subject':'set state:a','restored':[],'removed':['state:a']}");
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	pastcall_log_is(t, "undo set state:a\nset state:a\n");
	pastcall_check_tree(t);
}

/* With its times, fields and number as they were written. */
static void an_old_value_comes_back(void **state)
{
	struct teststore *t = *state;
	char *before;

	set(t, "{'key':'a','value':1.0,'tags':['t']}");
	before = tmpdir_read(&t->dir, "state.json");
	set(t, "{'key':'a','value':{'b':1e400}}");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':[]}");
	toolcall_file_is(t, "state.json", before);
	free(before);
	/* Undoing an undo does it again, and so on. */
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':{'b':1e400}");
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1.0");
	pastcall_log_is(t, "undo set state:a\nredo set state:a\nundo set state:a\nset state:a\n"
			   "set state:a\n");
	pastcall_check_tree(t);
}

static void a_deleted_entry_comes_back_without_its_record(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a']");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	toolcall_reply_has(t, "undo", "{}", "'removed':['state:a']");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:a@" TOOLCALL_T1 "']}");
	pastcall_check_tree(t);
}

static void several_entries_come_back_at_once(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':[2]}");
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a','state:b'],'removed':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	toolcall_replies(t, "notes", "{'summary':'one'}", NULL);
	toolcall_later();
	toolcall_replies(t, "notes", "{'summary':'two'}", NULL);
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_reply_has(t, "get", "{'query':'conversation_notes'}", "'summary':'one'");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	pastcall_check_tree(t);
}

static void an_eviction_is_undone_with_the_set(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'c','value':3}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b','state:c']}");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':['state:c']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

/* Over the limit since: what is put back makes another one go. */
static void the_limits_hold(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	set(t, "{'key':'b','value':2}");
	set(t, "{'key':'c','value':3}");
	pastcall_replies(t, "undo", "{'change':'%s'}", 3,
			 "'restored':['state:a'],'removed':[],'evicted':['state:b']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:c']}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':30}}");
	toolcall_refused_with(t, "revert", "{'key':'a'}", ERR_TOO_LARGE,
			      "state:a cannot be restored: ");
}

/* A category file in which a person wrote one value larger than all limits. */
static void write_huge(struct teststore *t)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "{'huge':'");
	for (int i = 0; i < 60000; i++)
		str_addc(&text, 'h');
	str_adds(&text, "'}");
	toolcall_write_file(t, "state.json", text.ptr);
}

static void entry_count_is(struct teststore *t, size_t expected)
{
	size_t count;

	teststore_refresh(t);
	store_items(t->store, &count);
	assert_int_equal(count, expected);
}

/* The value that a person wrote is named; others neither go for it nor for its coming back. */
static void a_huge_value_pushes_nobody_out(void **state)
{
	struct teststore *t = *state;
	STR_AUTO undone = STR_INIT;

	for (int i = 0; i < 8; i++) {
		STR_AUTO arguments = STR_INIT;

		str_printf(&arguments, "{'key':'small %d','value':'%0500d','category':'patterns'}",
			   i, i);
		set(t, arguments.ptr);
		toolcall_later();
	}
	write_huge(t);
	toolcall_reply_has(t, "set", "{'key':'new','value':1,'category':'state'}",
			   "'warnings':['state:huge has ");
	entry_count_is(t, 10);
	toolcall_later();
	set(t, "{'key':'huge','value':'short'}");
	entry_count_is(t, 10);
	toolcall_reply(t, "undo", "{}", &undone);
	assert_null(strstr(undone.ptr, "evicted"));
	entry_count_is(t, 10);
	toolcall_reply_has(t, "get", "{'query':'huge'}", "hhhhhhhhhh");
}

static void a_later_change_is_in_the_way(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'a','value':2}");
	set(t, "{'key':'b','value':1}");
	pastcall_refused(t, "undo", "{'change':'%s'}", 2, ERR_EXISTS,
			 "state:a was changed later, by ");
	pastcall_refused(t, "revert", "{'change':'%s'}", 2, ERR_EXISTS,
			 " \"set state:a\"; undo that first or let the user run kota undo ");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':2");
	pastcall_replies(t, "undo", "{'change':'%s','force':true}", 2, "'removed':['state:a']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
	/* What is as it was before already needs nothing. */
	pastcall_replies(t, "undo", "{'change':'%s'}", 3, NOTHING);
}

/* Also one that was not recorded yet when the undo was asked for. */
static void odd_looks_come_back(void **state)
{
	static const char *const text = "{'a' :  1,\n\t'b':{ 'value' : [ 2 ] },  'c': 3\n\n}";
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", text);
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_file_is(t, "state.json", text);
	toolcall_replies(t, "set", "{'key':'b','value':5}", NULL);
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_file_is(t, "state.json", text);
	pastcall_check_tree(t);
}

/* What somebody has done to the file since then stays. */
static void a_new_look_stays(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':1,'b':2}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_write_file(t, "state.json", "{'b': 2}");
	pastcall_replies(t, "undo", "{'change':'%s'}", 0, "'restored':['state:a']");
	toolcall_file_is(t, "state.json", "{'b': 2, 'a': 1}");
	pastcall_check_tree(t);
}

static void an_edit_by_hand_is_undone_like_any_change(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_write_file(t, "state.json", "{\n  'a': 'mine',\n  'b': [1,  2]\n}\n");
	pastcall_refused(t, "undo", "{'change':'%s'}", 0, ERR_EXISTS,
			 "\"edit state:a and 1 more\"");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':['state:b']}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a','state:b'],'removed':[]}");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':'mine'");
	pastcall_log_is(t, "redo edit state:a and 1 more\nundo edit state:a and 1 more\n"
			   "edit state:a and 1 more\nset state:a\n");
	pastcall_check_tree(t);
}

static void files_without_entries_stay(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_write_file(t, "config.json", "{'git':'own'}");
	toolcall_reply_has(t, "undo", "{}", NOTHING ",'left':['config.json']}");
	assert_true(tmpdir_has(&t->dir, "config.json"));
}

static void a_record_is_followed_to_the_cold_archive(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':'0123456789012345678901234567890123456789'}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_later();
	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':300}}");
	set(t, "{'key':'b','value':'0123456789012345678901234567890123456789'}");
	assert_int_equal(teststore_archived(t, "a", false), 0);
	assert_int_equal(teststore_archived(t, "a", true), 1);
	toolcall_replies(t, "undo", "{}", NULL);
	assert_int_equal(teststore_archived(t, "a", true), 1);
	pastcall_replies(t, "undo", "{'change':'%s'}", 3, "'restored':['state:a']");
	assert_int_equal(teststore_archived(t, "a", true), 0);
	pastcall_check_tree(t);
	toolcall_reply_has(t, "undo", "{}", "'removed':['state:a']");
	assert_int_equal(teststore_archived(t, "a", true), 1);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a']");
	assert_int_equal(teststore_archived(t, "a", true), 0);
	pastcall_check_tree(t);
}

/* 100 days later: it was away, and has not been idle. */
static void what_comes_back_does_not_expire_at_once(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	fake_sys_set_now(fake_sys_now() + INT64_C(100) * 24 * 3600 * 1000);
	toolcall_replies(t, "undo", "{}", NULL);
	toolcall_later();
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'last_updated':'" TOOLCALL_T0 "'");
}

/* What expires while one asks is not what one asks to undo. */
static void expiry_is_passed_over(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'old','value':1}");
	fake_sys_set_now(fake_sys_now() + INT64_C(50) * 24 * 3600 * 1000);
	set(t, "{'key':'a','value':1}");
	fake_sys_set_now(fake_sys_now() + INT64_C(50) * 24 * 3600 * 1000);
	toolcall_reply_has(t, "undo", "{}", "'removed':['state:a']}");
	pastcall_log_is(t, "undo set state:a\nexpiry state:old\nset state:a\nset state:old\n");
	pastcall_replies(t, "undo", "{'change':'%s'}", 1, "'restored':['state:old']");
	toolcall_replies(t, "list", "{}", "{'refs':['state:old']}");
}

static void a_move_takes_its_usage_back(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "get", "{'query':'a'}", NULL);
	toolcall_replies(t, "mv", "{'key':'a','new':'patterns:b'}", NULL);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':['patterns:b']}");
	toolcall_reply_has(t, "search", "{'refs':['a']}", "'hits':2");
}

/* The entry has come again under a spelling of its own: there must not be two. */
static void another_spelling_is_in_the_way(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'main editor','value':1}");
	toolcall_replies(t, "delete", "{'key':'main editor'}", NULL);
	toolcall_later();
	set(t, "{'key':'Main_Editor','value':2}");
	pastcall_refused(t, "undo", "{'change':'%s'}", 1, ERR_EXISTS, "was changed since");
	/* As a rename to it is not. */
	toolcall_replies(t, "mv", "{'key':'Main_Editor','new':'Main Editor'}", NULL);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:Main_Editor']");
}

static void the_beginning_is_not_undone_lightly(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a': 1}");
	set(t, "{'key':'b','value':1}");
	toolcall_replies(t, "undo", "{}", NULL);
	pastcall_refused(t, "undo", "{'change':'%s'}", 2, ERR_BAD_VALUE,
			 "the history begins with ");
	pastcall_replies(t, "undo", "{'change':'%s','force':true}", 2, "'removed':['state:a']");
}

static void what_cannot_be_named(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "undo", "{}", ERR_NOT_FOUND, "the history has no change to undo");
	set(t, "{'key':'a','value':1}");
	toolcall_refused_with(t, "undo", "{'change':'00000000'}", ERR_NOT_FOUND, "00000000");
	toolcall_refused_with(t, "undo", "{'change':' '}", ERR_BLANK_ARGUMENT, "change");
}

static void a_broken_file_stops_what_is_about_it(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'p','category':'patterns','value':1}");
	toolcall_write_file(t, "state.json", "{'a': ");
	toolcall_reply_has(t, "undo", "{}", "'removed':['patterns:p']");
	pastcall_refused(t, "undo", "{'change':'%s'}", 2, ERR_BAD_DATA, "state.json:1:7: ");
}

/* In two parts, so that nobody takes a test for a leak. */
#define TOKEN                                                                                      \
	"ghp"                                                                                      \
	"_8Jq2LmX91ZpQw7RtYc4VbN6sKd3FhG0eUiOa"

/* One that was let in by the person is not let in again by whoever asks. */
static void a_secret_comes_back_only_with_leave(void **state)
{
	struct teststore *t = *state;

	store_disk(t->store)->origin.kind = ORIGIN_OWN;
	toolcall_write_file(t, "config.json", "{'secrets':'off'}");
	set(t, "{'key':'a','value':'" TOKEN "'}");
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_write_file(t, "config.json", "{}");
	pastcall_refused(t, "revert", "{'change':'%s'}", 0, ERR_BAD_VALUE, "holds a secret");
	pastcall_replies(t, "undo", "{'change':'%s','allow_secret':true}", 1,
			 "'restored':['state:a']");
}

/* A change of a file in which an edit waits for its secret is taken back like any other. */
static void a_change_beside_an_edit_that_waits(void **state)
{
	struct teststore *t = *state;
	STR_AUTO token = STR_INIT;
	STR_AUTO text = STR_INIT;
	uint64_t seed = 11;

	secret_make("ghp_%A36;", &seed, &token);
	set(t, "{'key':'state:a','value':1}");
	set(t, "{'key':'state:door','value':1}");
	str_printf(&text, "{\"a\": {\"value\": 1}, \"door\": {\"value\": \"%s\"}}\n", token.ptr);
	tmpdir_write(&t->dir, "state.json", text.ptr);
	toolcall_replies(t, "delete", "{'key':'state:a'}", NULL);
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a']");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	/* One that carries the secret itself is in no commit: an older one is not taken for it. */
	toolcall_replies(t, "update", "{'key':'state:door','addition':'x'}", NULL);
	toolcall_refused_with(t, "undo", "{}", ERR_BAD_VALUE,
			      "the last change, \"update state:door\", is not in the history");
	toolcall_reply_has(t, "list", "{}", "'state:a'");
}

/*
 * The history has an older text of what was edited in a file that waited: the archive has the one
 * that the change came upon.
 */
static void what_waited_when_it_was_changed(void **state)
{
	struct teststore *t = *state;
	uint64_t seed = 8;
	STR_AUTO token = STR_INIT;
	STR_AUTO text = STR_INIT;

	secret_make("ghp_%A36;", &seed, &token);
	set(t, "{'key':'a','value':1}");
	set(t, "{'key':'b','value':2}");
	str_printf(&text, "{\"a\":1.5,\"b\":2.5,\"token\":\"%s\"}\n", token.ptr);
	tmpdir_write(&t->dir, "state.json", text.ptr);
	toolcall_replies(t, "set", "{'key':'a','value':3}", NULL);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':[]");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1.5");
	toolcall_later();
	toolcall_replies(t, "delete", "{'key':'b'}", NULL);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:b'],'removed':[]");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':2.5");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

/* So may the record of a deleted entry be what waits. */
static void a_deleted_secret_comes_back_only_with_leave(void **state)
{
	struct teststore *t = *state;
	uint64_t seed = 9;
	STR_AUTO token = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO expected = STR_INIT;

	secret_make("ghp_%A36;", &seed, &token);
	set(t, "{'key':'a','value':1}");
	str_printf(&text, "{\"a\":\"%s\"}\n", token.ptr);
	tmpdir_write(&t->dir, "state.json", text.ptr);
	toolcall_replies(t, "delete", "{'key':'a'}", NULL);
	toolcall_refused_with(t, "undo", "{}", ERR_BAD_VALUE, "holds a secret");
	toolcall_reply_has(t, "undo", "{'allow_secret':true}",
			   "'subject':'delete state:a','restored':['state:a'],'removed':[]");
	str_printf(&expected, "'value':'%s'", token.ptr);
	toolcall_reply_has(t, "get", "{'query':'a'}", expected.ptr);
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_entry_goes),
		TEST(an_old_value_comes_back),
		TEST(a_deleted_entry_comes_back_without_its_record),
		TEST(several_entries_come_back_at_once),
		TEST(an_eviction_is_undone_with_the_set),
		TEST(the_limits_hold),
		TEST(a_huge_value_pushes_nobody_out),
		TEST(a_later_change_is_in_the_way),
		TEST(odd_looks_come_back),
		TEST(a_new_look_stays),
		TEST(an_edit_by_hand_is_undone_like_any_change),
		TEST(files_without_entries_stay),
		TEST(a_record_is_followed_to_the_cold_archive),
		TEST(what_comes_back_does_not_expire_at_once),
		TEST(expiry_is_passed_over),
		TEST(a_move_takes_its_usage_back),
		TEST(another_spelling_is_in_the_way),
		TEST(the_beginning_is_not_undone_lightly),
		TEST(what_cannot_be_named),
		TEST(a_broken_file_stops_what_is_about_it),
		TEST(a_secret_comes_back_only_with_leave),
		TEST(a_change_beside_an_edit_that_waits),
		TEST(what_waited_when_it_was_changed),
		TEST(a_deleted_secret_comes_back_only_with_leave),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}
