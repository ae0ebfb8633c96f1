#include "store/txn/replace_file.h"

#include "git/gitrepo.h"
#include "git/walk.h"
#include "store/files/dir_lock.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "support/secret_sample.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BEFORE "{\n\t\"a\": 1,   \"b\": {\"value\": 2}\n}"

static int set_up(void **state)
{
	struct teststore *t = calloc(1, sizeof *t);

	teststore_open_in(t, surroundings_with_history);
	gitrepo_isolate(&t->dir);
	teststore_mark(&t->dir);
	tmpdir_write(&t->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	tmpdir_write(&t->dir, "state.json", BEFORE);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct teststore *t = *state;

	teststore_close(t);
	free(t);
	return 0;
}

static void add_names(struct str *out, const char *what, const struct replace_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		str_printf(out, "%s%s ", i == 0 ? what : "", i == 0 ? ":" : "");
		str_add(out, list->items[i]);
	}
	str_adds(out, list->count ? "; " : "");
}

/* Puts a text in place of another; *told gets the report. */
static int put(struct teststore *t, const char *file, const char *before, const char *after,
	       struct str *told, struct err *err)
{
	const struct revision revision = {file, slice_of(before), slice_of(after)};
	struct replace_report report;
	int result = replace_put(t->store, &revision, fake_sys()->now_ms(), &report, err);

	str_clear(told);
	add_names(told, "changed", &report.changed);
	add_names(told, "added", &report.added);
	add_names(told, "removed", &report.removed);
	add_names(told, "merged", &report.merged);
	add_names(told, "clashed", &report.clashed);
	add_names(told, "stayed", &report.stayed);
	replace_report_release(&report);
	return result;
}

static void check_put(struct teststore *t, const char *file, const char *before, const char *after,
		      const char *told)
{
	STR_AUTO said = STR_INIT;
	struct err err;

	if (put(t, file, before, after, &said, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(said.ptr, told);
}

static void check_file(struct teststore *t, const char *file, const char *expected)
{
	char *text = tmpdir_read(&t->dir, file);

	assert_string_equal(text, expected);
	free(text);
}

/* The last commit: the author's first letter and the subject. */
static void check_last_commit(struct teststore *t, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct commit commit;
	struct repo *repo;
	struct walk *walk;
	struct err err;

	assert_int_equal(history_repo(t->store, &repo, &err), 0);
	assert_int_equal(walk_open(&walk, repo, NULL, &err), 0);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	str_printf(&text, "%c ", commit.author[0]);
	str_add(&text, message_subject(commit.message));
	walk_close(walk);
	assert_string_equal(text.ptr, expected);
}

static void set(struct teststore *t, const char *key, const char *value)
{
	assert_int_equal(teststore_set(t, CATEGORY_STATE, key, value, NULL), ERR_NONE);
}

static void check_value(struct teststore *t, const char *key, const char *expected)
{
	char *value = teststore_value(t, CATEGORY_STATE, key);

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
	free(value);
}

static void every_byte_stays_and_it_is_the_persons_commit(void **state)
{
	struct teststore *t = *state;
	const char *after =
		"\xEF\xBB\xBF{ \"b\":{\"value\": 2} ,\r\n  \"c\" : 1.0  , \"a\":7}\r\n\r\n";

	set(t, "z", "0");
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "z", REASON_DELETED), ERR_NONE);
	tmpdir_write(&t->dir, "state.json", BEFORE);
	check_put(t, "state.json", BEFORE, after, "changed: state:a; added: state:c; ");
	check_file(t, "state.json", after);
	check_last_commit(t, "A edit state:a and 1 more");
	check_value(t, "c", "1.0");
}

static void what_waited_is_a_commit_of_its_own(void **state)
{
	struct teststore *t = *state;

	set(t, "z", "0");
	tmpdir_write(&t->dir, "patterns.json", "{\"by hand\": 1}");
	check_put(t, "connections.json", "", "{\"Ada\": 1}", "added: connections:Ada; ");
	check_last_commit(t, "A edit connections:Ada");
}

static void others_are_merged(void **state)
{
	struct teststore *t = *state;

	set(t, "c", "3");
	set(t, "b", "9");
	check_put(t, "state.json", BEFORE, "{\n\t\"a\": 7,   \"b\": {\"value\": 2}\n}",
		  "changed: state:a; merged: state:b state:c; ");
	check_last_commit(t, "A edit state:a");
	check_value(t, "a", "7");
	check_value(t, "b", "9");
	check_value(t, "c", "3");
}

static void both_changed_one(void **state)
{
	struct teststore *t = *state;

	set(t, "a", "\"theirs\"");
	set(t, "b", "9");
	check_put(t, "state.json", BEFORE, "{\"a\": \"mine\"}",
		  "changed: state:a; removed: state:b; clashed: state:a; stayed: state:b; ");
	check_value(t, "a", "\"mine\"");
	check_value(t, "b", "9");
	assert_int_equal(teststore_archived(t, "a", true), 1);
}

static void others_removed_one(void **state)
{
	struct teststore *t = *state;

	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "b", REASON_DELETED), ERR_NONE);
	check_put(t, "state.json", BEFORE, "{\n\t\"a\": 3,   \"b\": {\"value\": 2}\n}",
		  "changed: state:a; merged: state:b; ");
	check_value(t, "b", NULL);
}

static void a_broken_file_is_mended(void **state)
{
	struct teststore *t = *state;
	STR_AUTO told = STR_INIT;
	struct err err;

	tmpdir_write(&t->dir, "state.json", "{\"a\": 1,}");
	check_put(t, "state.json", "{\"a\": 1,}", "{\"a\": 1}\n", "added: state:a; ");
	check_file(t, "state.json", "{\"a\": 1}\n");
	assert_false(tmpdir_has(&t->dir, ".state.json.edit"));
	/* So is one that is JSON, and no list of entries. */
	tmpdir_write(&t->dir, "state.json", "[1]\n");
	check_put(t, "state.json", "[1]\n", "{\"a\": 1}\n", "added: state:a; ");
	check_file(t, "state.json", "{\"a\": 1}\n");
	/* Broken meanwhile: it is not touched. */
	tmpdir_write(&t->dir, "state.json", "{\"a\": 1,}");
	assert_int_equal(put(t, "state.json", "{\"a\": 1}\n", "{\"a\": 2}\n", &told, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	check_file(t, "state.json", "{\"a\": 1,}");
	/* Broken before, and otherwise meanwhile: likewise. */
	assert_int_equal(put(t, "state.json", "{\"b\": 1,}", "{\"a\": 2}\n", &told, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	check_file(t, "state.json", "{\"a\": 1,}");
}

/* Settings that are not valid stop every change, but not this one. */
static void settings_are_mended(void **state)
{
	struct teststore *t = *state;
	STR_AUTO told = STR_INIT;
	struct err err;

	tmpdir_write(&t->dir, "config.json", "{\"gti\": \"own\"}");
	check_put(t, "config.json", "{\"gti\": \"own\"}", "{\"git\": \"own\"}", "");
	check_file(t, "config.json", "{\"git\": \"own\"}");
	check_last_commit(t, "k begin");
	assert_int_equal(put(t, "config.json", "{}", "{\"git\": \"off\"}", &told, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	check_file(t, "config.json", "{\"git\": \"own\"}");
	check_put(t, "synonyms.json", "", "{\"editor\": [\"ide\"]}", "");
	check_last_commit(t, "A edit synonyms.json");
}

/* Somebody saves in the instant in which the file is put in place. */
static void save_settings(void *context)
{
	struct teststore *t = context;

	tmpdir_write(&t->dir, "other", "{\"git\": \"off\"}");
	assert_int_equal(renameat(t->dir.fd, "other", t->dir.fd, "config.json"), 0);
}

static void save_other_settings(void *context)
{
	struct teststore *t = context;

	tmpdir_write(&t->dir, "other", "{\"secrets\": \"warn\"}");
	assert_int_equal(renameat(t->dir.fd, "other", t->dir.fd, "config.json"), 0);
}

static void a_race_loses_nothing(void **state)
{
	struct teststore *t = *state;
	STR_AUTO told = STR_INIT;
	struct err err;

	tmpdir_write(&t->dir, "config.json", "{}");
	/* The lock's own files are there already, so that the first rename is the exchange. */
	assert_int_equal(disk_lock(store_disk(t->store), 0, &err), 0);
	disk_unlock(store_disk(t->store));
	fake_sys_before(FAKE_RENAMEAT2, 1, save_settings, t);
	assert_int_equal(put(t, "config.json", "{}", "{\"git\": \"own\"}", &told, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	check_file(t, "config.json", "{\"git\": \"off\"}");
	assert_false(tmpdir_has(&t->dir, ".config.json.edit"));
}

/* And when it cannot be put back, or is saved once more in that instant. */
static void a_race_that_cannot_be_taken_back(void **state)
{
	struct teststore *t = *state;
	STR_AUTO told = STR_INIT;
	struct err err;

	tmpdir_write(&t->dir, "config.json", "{}");
	assert_int_equal(disk_lock(store_disk(t->store), 0, &err), 0);
	disk_unlock(store_disk(t->store));
	fake_sys_before(FAKE_RENAMEAT2, 1, save_settings, t);
	fake_sys_fail(FAKE_RENAMEAT2, 2, EIO, FAKE_ONCE);
	assert_int_equal(put(t, "config.json", "{}", "{\"git\": \"own\"}", &told, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	check_file(t, ".config.json.orphan", "{\"git\": \"off\"}");
	tmpdir_write(&t->dir, "config.json", "{}");
	fake_sys_before(FAKE_RENAMEAT2, 1, save_settings, t);
	fake_sys_before(FAKE_RENAMEAT2, 2, save_other_settings, t);
	assert_int_equal(put(t, "config.json", "{}", "{\"git\": \"own\"}", &told, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	check_file(t, "config.json", "{\"git\": \"off\"}");
	check_file(t, ".config.json.orphan-2", "{\"secrets\": \"warn\"}");
	assert_false(tmpdir_has(&t->dir, ".config.json.edit"));
}

static void what_a_kill_has_left_is_kept(void **state)
{
	struct teststore *t = *state;

	tmpdir_write(&t->dir, "config.json", "{}");
	tmpdir_write(&t->dir, ".config.json.edit", "{\"git\": \"off\"}");
	check_put(t, "config.json", "{}", "{\"git\": \"own\"}", "");
	check_file(t, ".config.json.orphan", "{\"git\": \"off\"}");
	/* What is no loss goes. */
	tmpdir_write(&t->dir, ".config.json.edit", "{\"git\": \"own\"}");
	check_put(t, "config.json", "{\"git\": \"own\"}", "{}", "");
	assert_false(tmpdir_has(&t->dir, ".config.json.edit"));
	assert_false(tmpdir_has(&t->dir, ".config.json.orphan-2"));
}

static void a_secret_is_told_and_not_recorded(void **state)
{
	struct teststore *t = *state;
	STR_AUTO after = STR_INIT;
	STR_AUTO secret = STR_INIT;
	uint64_t seed = 7;
	const char *const *notices;
	size_t count;

	set(t, "z", "0");
	secret_make("ghp_%A36;", &seed, &secret);
	str_printf(&after, "{\"token\": \"%s\"}", secret.ptr);
	check_put(t, "connections.json", "", after.ptr, "added: connections:token; ");
	notices = store_notices(t->store, &count);
	assert_int_equal(count, 1);
	assert_non_null(strstr(notices[0], "connections:token holds a secret"));
	check_last_commit(t, "k test state:z");
}

static void what_will_not_do(void **state)
{
	struct json_fault fault;

	(void)state;
	assert_true(replace_check("state.json", slice_of("{\"a\": 1}"), &fault));
	assert_false(replace_check("state.json", slice_of("{\n  \"a\": 1,\n}"), &fault));
	assert_int_equal(fault.line, 2);
	assert_int_equal(fault.column, 9);
	assert_false(replace_check("state.json", slice_of("[]"), &fault));
	assert_string_equal(fault.what, "the file must be an object, in { and }");
	assert_false(replace_check("config.json", slice_of("{\n \"gti\": \"own\"}"), &fault));
	assert_int_equal(fault.line, 2);
	assert_string_equal(replace_edited(slice_of("State")), "state.json");
	assert_string_equal(replace_edited(slice_of("config")), "config.json");
	assert_null(replace_edited(slice_of("metadata")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(every_byte_stays_and_it_is_the_persons_commit),
		TEST(what_waited_is_a_commit_of_its_own),
		TEST(others_are_merged),
		TEST(both_changed_one),
		TEST(others_removed_one),
		TEST(a_broken_file_is_mended),
		TEST(settings_are_mended),
		TEST(a_race_loses_nothing),
		TEST(a_race_that_cannot_be_taken_back),
		TEST(what_a_kill_has_left_is_kept),
		TEST(a_secret_is_told_and_not_recorded),
		TEST(what_will_not_do),
	};

	return cmocka_run_group_tests_name("revise", tests, NULL, NULL);
}
