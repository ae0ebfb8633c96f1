/* A text that does not parse, or is empty where there were entries, is no deletion. */
#include "store/history/sound_text.h"

#include "git/gitrepo.h"
#include "store/open/store.h"
#include "store/txn/repair.h"
#include "support/pastcall.h"
#include "support/toolcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <unistd.h>

#define RECORDED(name)                                                                             \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)
#define UNRECORDED(name)                                                                           \
	{                                                                                          \
#name " (without a history)", name, toolcall_set_up, toolcall_tear_down, NULL      \
	}

/* Two entries in one file, one in another. */
static void begin(struct teststore *t)
{
	toolcall_replies(t, "set", "{'key':'state:a','value':1}", NULL);
	toolcall_replies(t, "set", "{'key':'state:b','value':2}", NULL);
	toolcall_replies(t, "set", "{'key':'patterns:p','value':3}", NULL);
}

/* Reads go on and say so, changes of the file are refused, others are made. */
static void check_damaged(struct teststore *t, const char *text, const char *says)
{
	toolcall_write_file(t, "state.json", text);
	toolcall_reply_has(t, "list", "{'category':'state'}", "'refs':['state:a','state:b']");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':2");
	toolcall_reply_has(t, "list", "{}", says);
	toolcall_reply_has(t, "list", "{}", "answers use its last readable text");
	toolcall_refused_with(t, "set", "{'key':'state:c','value':4}", ERR_BAD_DATA, says);
	toolcall_refused_with(t, "set", "{'key':'a','value':4}", ERR_BAD_DATA, says);
	toolcall_refused_with(t, "delete", "{'key':'a'}", ERR_BAD_DATA, says);
	toolcall_refused_with(t, "clear-state", "{}", ERR_BAD_DATA, says);
	toolcall_replies(t, "set", "{'key':'patterns:q','value':5}", NULL);
	toolcall_file_is(t, "state.json", text);
}

static void a_slip_is_no_deletion(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} slips[] = {
		{"", "state.json is empty; it had 2 entries: `kota doctor --fix` puts them back, "
		     "`{}` empties it"},
		{" \n\n", "state.json is empty; it had 2 entries"},
		{"{'a': 1,, 'b': 2}", "state.json:1:9: "},
		{"{'a': {'value'", "state.json:1:"},
		{"[]", "state.json:1:1: the file must be an object"},
		{"{\n<<<<<<< HEAD\n'a': 1\n=======\n'a': 2\n>>>>>>> x\n}\n",
		 "state.json:2:1: a conflict that a merge left here"},
	};
	struct teststore *t = *state;

	begin(t);
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
		check_damaged(t, slips[i].text, slips[i].says);
		/* Another process knows only what the store has. */
		teststore_reopen(t);
		check_damaged(t, slips[i].text, slips[i].says);
	}
	toolcall_write_file(t, "state.json", "{}");
	toolcall_replies(t, "list", "{'category':'state'}", "{'refs':[]}");
	toolcall_replies(t, "set", "{'key':'state:c','value':4}", NULL);
	toolcall_replies(t, "list", "{'category':'state'}", "{'refs':['state:c']}");
}

/* What another process has changed since is newer than what this one has read. */
static void the_newest_text_stands(void **state)
{
	struct teststore *t = *state;
	struct store *mine = t->store;
	struct err err;

	begin(t);
	assert_int_equal(store_open(&t->store, fake_sys(), t->env, t->dir.path, &err), 0);
	toolcall_replies(t, "set", "{'key':'state:a','value':7}", NULL);
	store_close(t->store);
	t->store = mine;
	toolcall_write_file(t, "state.json", "");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':7");
}

/* An edit by hand that nothing has recorded is newer than what is. */
static void an_edit_stands(void **state)
{
	struct teststore *t = *state;

	begin(t);
	toolcall_write_file(t, "state.json", "{'a': 8}");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':8");
	toolcall_write_file(t, "state.json", "{'a': 9");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':8");
}

/* A file that is gone was deleted by hand: its entries are in the archive, and that is told once.
 */
static void a_removed_file_is_a_deletion(void **state)
{
	struct teststore *t = *state;

	begin(t);
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	/* A process that had read it, */
	toolcall_reply_has(t, "list", "{}", "state.json was removed: its 2 entries are in the");
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:p']}");
	toolcall_reply_has(t, "archived", "{}", "{'refs':['state:a@");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a','state:b']");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':2");
	/* and another one, with its next change. */
	toolcall_later();
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	teststore_reopen(t);
	toolcall_reply_has(t, "set", "{'key':'state:c','value':1}", "2 entries are in the archive");
	toolcall_replies(t, "set", "{'key':'state:d','value':1}", NULL);
	toolcall_replies(t, "list", "{'category':'state'}", "{'refs':['state:c','state:d']}");
	toolcall_reply_has(t, "restore", "{'key':'state:a'}", "'restored':true");
}

/* A process that never read the file knows of it by what metadata.json counts. */
static void a_removed_file_is_told_to_who_never_read_it(void **state)
{
	struct teststore *t = *state;

	begin(t);
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	teststore_reopen(t);
	toolcall_reply_has(t, "list", "{}", "state.json was removed: its 2 entries are in the");
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:p']}");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a','state:b']");
}

/* ... and where that is gone with it, by the last text. */
static void files_that_are_removed_together_are_told(void **state)
{
	struct teststore *t = *state;

	begin(t);
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	assert_int_equal(unlinkat(t->dir.fd, "metadata.json", 0), 0);
	teststore_reopen(t);
	toolcall_reply_has(t, "list", "{}", "state.json was removed: its 2 entries are in the");
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:p']}");
}

/* A call that fails does not say it; then the next reply does, and once. */
static void what_was_done_is_told_by_the_next_reply(void **state)
{
	struct teststore *t = *state;

	begin(t);
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	toolcall_refused_with(t, "delete", "{'key':'nobody'}", ERR_NOT_FOUND, "nobody");
	toolcall_reply_has(t, "list", "{}", "state.json was removed: its 2 entries are in the");
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:p']}");
}

/* What the person wrote last, and this process has read, goes to the archive with the rest. */
static void an_edit_of_a_removed_file_is_kept(void **state)
{
	struct teststore *t = *state;

	begin(t);
	toolcall_later();
	toolcall_write_file(t, "state.json", "{'a': 1, 'by hand': 8}");
	toolcall_reply_has(t, "get", "{'query':'by hand'}", "'value':8");
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	toolcall_reply_has(t, "list", "{}", "state.json was removed: its 2 entries are in the");
	toolcall_reply_has(t, "archived", "{}", "state:by hand@");
	toolcall_reply_has(t, "restore", "{'key':'state:by hand'}", "'restored':true");
	toolcall_reply_has(t, "get", "{'query':'by hand'}", "'value':8");
}

/* Who removes a file and writes it again, as some editors do, has removed nothing. */
static void write_again(void *arg)
{
	tmpdir_write(arg, "state.json", "{\"a\": 5}\n");
}

static void a_file_that_comes_back_was_not_removed(void **state)
{
	struct teststore *t = *state;

	begin(t);
	assert_int_equal(unlinkat(t->dir.fd, "state.json", 0), 0);
	fake_sys_before(FAKE_SLEEP_MS, 1, write_again, &t->dir);
	toolcall_replies(t, "set", "{'key':'patterns:q','value':5}", NULL);
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':5");
}

/* A store of which all is gone was removed as a whole. */
static void a_removed_store_is_no_deletion(void **state)
{
	struct teststore *t = *state;
	static const char *const names[] = {"state.json", "patterns.json", ".state.json.last",
					    ".patterns.json.last"};

	begin(t);
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:p','state:a','state:b']}");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlinkat(t->dir.fd, names[i], 0);
	toolcall_replies(t, "list", "{}", "{'refs':[]}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void repair(struct teststore *t)
{
	struct err err;

	if (repair_store(t->store, fake_sys()->now_ms(), &err) != 0)
		fail_msg("%s", err.text);
}

static void the_last_text_is_put_back(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	begin(t);
	before = tmpdir_read(&t->dir, "state.json");
	tmpdir_write(&t->dir, "state.json", "");
	teststore_reopen(t);
	repair(t);
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(after, before);
	free(after);
	assert_false(tmpdir_has(&t->dir, ".state.json.prev-broken"));
	/* What a person wrote is kept. */
	tmpdir_write(&t->dir, "state.json", "{\"a\": 1,,}");
	teststore_reopen(t);
	repair(t);
	after = tmpdir_read(&t->dir, "state.json");
	assert_string_equal(after, before);
	free(after);
	after = tmpdir_read(&t->dir, ".state.json.prev-broken");
	assert_string_equal(after, "{\"a\": 1,,}");
	free(after);
	free(before);
	toolcall_replies(t, "set", "{'key':'state:c','value':4}", NULL);
	toolcall_replies(t, "list", "{'category':'state'}",
			 "{'refs':['state:a','state:b','state:c']}");
}

/* Where nothing says what there was, the file is named and the others work. */
static void no_last_text_is_an_empty_file(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a': 1,}");
	toolcall_write_file(t, "patterns.json", "");
	toolcall_reply_has(t, "list", "{}", "its entries are left out until it is fixed");
	toolcall_replies(t, "set", "{'key':'patterns:p','value':3}", NULL);
}

/* One stray comma between two changes made the history name the person for every entry. */
static void a_slip_is_not_recorded(void **state)
{
	struct teststore *t = *state;

	begin(t);
	toolcall_write_file(t, "state.json", "{'a': 1,, 'b': 2}");
	toolcall_replies(t, "set", "{'key':'patterns:q','value':5}", NULL);
	assert_int_equal(pastcall_count(t), 5);
	repair(t);
	toolcall_replies(t, "set", "{'key':'state:c','value':4}", NULL);
	assert_int_equal(pastcall_count(t), 6);
	pastcall_check_tree(t);
	toolcall_reply_has(t, "blame", "{'key':'state:a'}", "'subject':'set state:a'");
	toolcall_reply_has(t, "undo", "{}", "'removed':['state:c']");
	pastcall_replies(t, "undo", "{'change':'%s'}", 4, "'removed':['state:b']");
}

/* A history from before, in which the versions that cannot be believed are commits. */
static void commits_of_slips_are_read_as_if_they_were_not_there(void **state)
{
	struct teststore *t = *state;
	struct gitrepo r = {.dir = t->dir};
	struct err err;
	char *sound;

	begin(t);
	sound = tmpdir_read(&t->dir, "state.json");
	assert_int_equal(repo_open(&r.repo, fake_sys(), t->dir.path, &err), 0);
	gitrepo_record(&r, "state.json", "{\"a\": 1,,}", "edit state.json");
	gitrepo_record(&r, "state.json", "", "edit state.json");
	gitrepo_record(&r, "state.json", sound, "edit state:a and 1 more");
	repo_close(r.repo);
	teststore_reopen(t);
	toolcall_reply_has(t, "blame", "{'key':'state:a'}", "'subject':'set state:a'");
	for (size_t n = 0; n < 3; n++)
		pastcall_replies(t, "show", "{'change':'%s'}", n, "'items':[]");
	toolcall_reply_has(t, "revert", "{'key':'state:b'}", "'removed':['state:b']");
	/* The last one is such a commit, and so is the file: what was before stands. */
	toolcall_replies(t, "set", "{'key':'state:b','value':6}", NULL);
	assert_int_equal(repo_open(&r.repo, fake_sys(), t->dir.path, &err), 0);
	gitrepo_record(&r, "state.json", "{\"a\"", "edit state.json");
	repo_close(r.repo);
	tmpdir_write(&t->dir, "state.json", "{\"a\"");
	teststore_reopen(t);
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':6");
	free(sound);
}

/* Where the history has the texts there is no copy of them. */
static void the_history_needs_no_copy(void **state)
{
	struct teststore *t = *state;

	begin(t);
	assert_false(tmpdir_has(&t->dir, ".state.json.last"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED(a_slip_is_no_deletion),
		UNRECORDED(a_slip_is_no_deletion),
		RECORDED(the_newest_text_stands),
		UNRECORDED(the_newest_text_stands),
		RECORDED(an_edit_stands),
		UNRECORDED(an_edit_stands),
		RECORDED(the_last_text_is_put_back),
		UNRECORDED(the_last_text_is_put_back),
		RECORDED(a_removed_file_is_a_deletion),
		RECORDED(a_removed_file_is_told_to_who_never_read_it),
		UNRECORDED(a_removed_file_is_told_to_who_never_read_it),
		UNRECORDED(a_removed_file_is_a_deletion),
		RECORDED(files_that_are_removed_together_are_told),
		UNRECORDED(files_that_are_removed_together_are_told),
		RECORDED(what_was_done_is_told_by_the_next_reply),
		UNRECORDED(what_was_done_is_told_by_the_next_reply),
		RECORDED(an_edit_of_a_removed_file_is_kept),
		UNRECORDED(an_edit_of_a_removed_file_is_kept),
		RECORDED(a_file_that_comes_back_was_not_removed),
		UNRECORDED(a_file_that_comes_back_was_not_removed),
		UNRECORDED(a_removed_store_is_no_deletion),
		UNRECORDED(no_last_text_is_an_empty_file),
		RECORDED(a_slip_is_not_recorded),
		RECORDED(commits_of_slips_are_read_as_if_they_were_not_there),
		RECORDED(the_history_needs_no_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
