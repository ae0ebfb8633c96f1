#include "store/history/history_log.h"

#include "git/gitrepo.h"
#include "store/history/history.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <unistd.h>

static int set_up(void **state)
{
	struct teststore *t = calloc(1, sizeof *t);

	teststore_open_in(t, surroundings_with_history);
	gitrepo_isolate(&t->dir);
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

static void set(struct teststore *t, const char *key, const char *value)
{
	assert_int_equal(teststore_set(t, CATEGORY_STATE, key, value, NULL), ERR_NONE);
}

static void changes_come_entry_by_entry_from_new_to_old(void **state)
{
	struct teststore *t = *state;
	struct log_change change;
	struct history_log *log;
	struct err err;

	set(t, "a", "1");
	tmpdir_write(&t->dir, "config.json", "{\"limits\": {\"expiry_days\": 10}}\n");
	set(t, "b", "2");
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "a", REASON_DELETED), ERR_NONE);
	assert_int_equal(history_log_open(&log, t->store, NULL, &err), 0);

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_true(slice_is(change.subject, "test state:a"));
	assert_true(slice_is(change.tool, "test"));
	assert_int_equal(change.count, 2);
	assert_true(change.items[0].record);
	assert_true(slice_is(change.items[1].key, "a"));
	assert_null(change.items[1].after.ptr);

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_int_equal(change.count, 1);
	assert_true(slice_is(change.items[0].key, "b"));
	assert_null(change.items[0].before.ptr);

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_null(change.tool.ptr);
	assert_int_equal(change.count, 0);
	assert_int_equal(change.file_count, 1);
	assert_string_equal(change.files[0], "config.json");

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_true(slice_is(change.subject, "begin"));
	assert_int_equal(history_log_next(log, &change, &err), 0);
	history_log_close(log);
}

/* Who is after one entry sees no others, and gets the rest of a change for the asking. */
static void narrowed_it_tells_the_rest_when_asked(void **state)
{
	struct teststore *t = *state;
	struct log_change change;
	struct history_log *log;
	struct err err;

	set(t, "a", "1");
	assert_int_equal(teststore_set(t, CATEGORY_PATTERNS, "b", "2", NULL), ERR_NONE);
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "a", REASON_DELETED), ERR_NONE);
	assert_int_equal(history_log_open(&log, t->store, NULL, &err), 0);
	history_log_narrow(log, 1u << CATEGORY_STATE);

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_int_equal(change.count, 1);
	assert_false(change.items[0].record);
	assert_int_equal(history_log_whole(log, &change, &err), 0);
	assert_int_equal(change.count, 2);
	assert_true(change.items[1].record);
	assert_int_equal(history_log_whole(log, &change, &err), 0);
	assert_int_equal(change.count, 2);

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_int_equal(change.count, 0);
	assert_int_equal(history_log_whole(log, &change, &err), 0);
	assert_true(slice_is(change.items[0].key, "b"));

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_true(slice_is(change.items[0].key, "a"));
	history_log_close(log);
}

/* A commit of the program's whose words name one entry, whatever the text has. */
static struct object_id record(struct teststore *t, const char *text, const char *ref)
{
	struct gitrepo r = {.repo = NULL};
	STR_AUTO message = STR_INIT;
	struct err err;

	assert_int_equal(history_repo(t->store, &r.repo, &err), 0);
	str_printf(&message, "set %s\n\nKota-Tool: memory_set\nKota-Ref: %s\n", ref, ref);
	return gitrepo_record(&r, "state.json", text, message.ptr);
}

static bool is_a(void *context, enum category category, struct slice key)
{
	(void)context;
	return category == CATEGORY_STATE && slice_is(key, "a");
}

/* How many changes are told of those that concern the entry a. */
static size_t count_told(struct teststore *t, const struct object_id *stop)
{
	const struct log_filter filter = {is_a, NULL, stop};
	struct log_change change;
	struct history_log *log;
	struct err err;
	size_t count = 0;

	assert_int_equal(history_log_open(&log, t->store, NULL, &err), 0);
	history_log_expect(log, &filter);
	while (history_log_next(log, &change, &err) == 1)
		count++;
	history_log_close(log);
	return count;
}

static void changes_of_other_entries_are_left_out(void **state)
{
	struct teststore *t = *state;
	struct object_id stop;

	set(t, "z", "0");
	record(t, "{\"a\": 1}", "state:a");
	assert_int_equal(count_told(t, NULL), 3);
	record(t, "{\"a\": 1, \"b\": 1}", "state:b");
	stop = record(t, "{\"a\": 1, \"b\": 2}", "state:b");
	record(t, "{\"a\": 1, \"b\": 3}", "\"state:\\u0062\"");
	assert_int_equal(count_told(t, NULL), 3);
	/* One change alone is not worth the comparison. */
	assert_int_equal(count_told(t, &stop), 6);
}

/* Somebody has amended a commit, or the words are another's. */
static void words_that_do_not_name_an_entry_are_not_believed(void **state)
{
	struct teststore *t = *state;

	set(t, "z", "0");
	record(t, "{\"a\": 1}", "state:a");
	record(t, "{\"a\": 1, \"b\": 1}", "state:b");
	record(t, "{\"a\": 2, \"b\": 2}", "state:b");
	record(t, "{\"a\": 2, \"b\": 3}", "state:b");
	assert_int_equal(count_told(t, NULL), 6);
	record(t, "{\"a\": 3, \"b\": 4}", "\"state:\\u0061\"");
	assert_int_equal(count_told(t, NULL), 7);
}

static void what_no_change_says_is_told_and_not_recorded(void **state)
{
	struct teststore *t = *state;
	struct log_change change;
	struct object_id head;
	struct object_id same;
	struct history_log *log;
	struct err err;

	set(t, "a", "1");
	assert_int_equal(teststore_set(t, CATEGORY_PATTERNS, "b", "2", NULL), ERR_NONE);
	assert_int_equal(history_log_resolve(t->store, slice_of("HEAD"), &head, &err), 0);
	assert_int_equal(history_log_open(&log, t->store, NULL, &err), 0);
	assert_int_equal(history_log_unrecorded(log, &change, &err), 0);
	assert_int_equal(change.count + change.file_count, 0);
	history_log_close(log);

	tmpdir_write(&t->dir, "state.json", "{\"a\": 1, \"c\": 3}");
	tmpdir_write(&t->dir, "config.json", "{}");
	assert_int_equal(unlinkat(t->dir.fd, "patterns.json", 0), 0);
	assert_int_equal(history_log_open(&log, t->store, NULL, &err), 0);
	assert_int_equal(history_log_unrecorded(log, &change, &err), 0);
	assert_int_equal(change.count, 3);
	assert_int_equal(change.file_count, 1);
	assert_string_equal(change.files[0], "config.json");
	assert_true(slice_is(change.items[0].key, "a"));
	assert_true(slice_is(change.items[1].key, "c"));
	assert_null(change.items[1].before.ptr);
	assert_true(slice_is(change.items[2].key, "b"));
	assert_null(change.items[2].after.ptr);

	assert_int_equal(history_log_next(log, &change, &err), 1);
	assert_int_equal(change.count, 1);
	assert_true(slice_is(change.items[0].key, "b"));
	history_log_close(log);
	assert_int_equal(history_log_resolve(t->store, slice_of("HEAD"), &same, &err), 0);
	assert_true(object_id_equal(&head, &same));
}

static void an_entry_as_a_change_left_it(void **state)
{
	struct teststore *t = *state;
	struct object_id id;
	STR_AUTO text = STR_INIT;
	struct err err;

	set(t, "a", "1");
	set(t, "a", "2");
	assert_int_equal(history_log_resolve(t->store, slice_of("HEAD~1"), &id, &err), 0);
	assert_int_equal(
		history_log_entry_at(t->store, &id, CATEGORY_STATE, slice_of("a"), &text, &err), 0);
	assert_non_null(strstr(text.ptr, "\"value\": 1"));
	assert_int_equal(
		history_log_entry_at(t->store, &id, CATEGORY_STATE, slice_of("b"), &text, &err), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(history_log_resolve(t->store, slice_of("0000"), &id, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void without_history_it_says_how_to_have_one(void **state)
{
	struct teststore *t = *state;
	struct history_log *log;
	struct err err;

	assert_int_equal(history_log_open(&log, t->store, NULL, &err), -1);
	assert_int_equal(err.code, ERR_NO_HISTORY);
	assert_non_null(strstr(err.text, "next change"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(changes_come_entry_by_entry_from_new_to_old),
		TEST(narrowed_it_tells_the_rest_when_asked),
		TEST(changes_of_other_entries_are_left_out),
		TEST(words_that_do_not_name_an_entry_are_not_believed),
		TEST(what_no_change_says_is_told_and_not_recorded),
		TEST(an_entry_as_a_change_left_it),
		TEST(without_history_it_says_how_to_have_one),
	};

	return cmocka_run_group_tests_name("past", tests, NULL, NULL);
}
