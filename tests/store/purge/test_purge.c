#include "store/purge/purge.h"

#include "git/gitrepo.h"
#include "git/walk.h"
#include "store/history/history.h"
#include "store/history/pending.h"
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

/* A past of several values, one of them archived. */
static void live(struct teststore *t)
{
	set(t, "token", "\"zebra-1\"");
	set(t, "other", "1");
	set(t, "token", "\"zebra-2\"");
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "token", REASON_DELETED), ERR_NONE);
	set(t, "token", "\"zebra-3\"");
}

static int purge(struct teststore *t, const char *name, struct err *err)
{
	struct purge_choices choices;
	struct purge_report report;
	struct purge_key key;
	int result;

	if (purge_find(&key, t->store, slice_of(name), fake_sys_now(), &choices, err) != 0)
		return -1;
	result = purge_run(t->store, &key, fake_sys_now(), &report, err);
	purge_report_release(&report);
	purge_key_release(&key);
	return result;
}

static int check_file(void *context, const char *path, const struct object_id *blob)
{
	STR_AUTO text = STR_INIT;
	struct err err;

	(void)path;
	assert_int_equal(repo_blob_read(context, blob, &text, &err), 0);
	assert_null(strstr(text.ptr, "zebra"));
	return 0;
}

/* No commit has the value, and the last one has the files as they are; returns how many there are.
 */
static size_t check_commits(struct teststore *t)
{
	struct repo *repo;
	struct walk *walk;
	struct commit commit;
	struct err err;
	size_t count = 0;

	teststore_reopen(t);
	assert_int_equal(history_repo(t->store, &repo, &err), 0);
	assert_int_equal(walk_open(&walk, repo, NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		assert_null(strstr(commit.message, "token"));
		assert_int_equal(repo_files(repo, &commit.id, check_file, repo, &err), 0);
		count++;
	}
	walk_close(walk);
	return count;
}

/* Nothing in the data directory but packed objects, which cannot be looked into like this. */
static void check_directory(struct teststore *t)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "! grep -r -q -e zebra -e token '%s' && "
		   "test -z \"$(find '%s/.git/objects/'[0-9a-f][0-9a-f] -type f 2>/dev/null)\"",
		   t->dir.path, t->dir.path);
	assert_int_equal(system(command.ptr), 0);
}

static void check_other(struct teststore *t)
{
	char *value = teststore_value(t, CATEGORY_STATE, "other");

	assert_string_equal(value, "1");
	free(value);
}

/* An edit by hand: the change that takes it out of the file waits for it. */
static void what_waits_for_a_secret_goes(void **state)
{
	const struct secret_sample *sample = secret_samples;
	struct teststore *t = *state;
	STR_AUTO command = STR_INIT;
	STR_AUTO token = STR_INIT;
	STR_AUTO text = STR_INIT;
	uint64_t chance = 7;
	struct err err;

	while (strcmp(sample->rule, "GitHub token") != 0)
		sample++;
	secret_make(sample->pattern, &chance, &token);
	set(t, "other", "1");
	for (int archived = 0; archived < 2; archived++) {
		str_clear(&text);
		str_printf(&text, "{\"other\": 1, \"door\": {\"value\": \"%s\"}}\n", token.ptr);
		tmpdir_write(&t->dir, "state.json", text.ptr);
		teststore_refresh(t);
		if (archived)
			assert_int_equal(
				teststore_archive(t, CATEGORY_STATE, "door", REASON_DELETED),
				ERR_NONE);
		else
			set(t, "door", "1");
		assert_true(pending_any(store_disk(t->store)));
		/* What waits is about another entry, and would be lost. */
		assert_int_not_equal(purge(t, "other", &err), 0);
		assert_non_null(strstr(err.text, "of another entry waits"));
		assert_true(pending_any(store_disk(t->store)));
		if (purge(t, "door", &err) != 0)
			fail_msg("%s", err.text);
		assert_false(pending_any(store_disk(t->store)));
		str_clear(&command);
		str_printf(&command, "! grep -r -q -e %s '%s'", token.ptr, t->dir.path);
		assert_int_equal(system(command.ptr), 0);
		check_other(t);
		set(t, "other", "1");
	}
}

static void nothing_is_left_and_nothing_else_is_lost(void **state)
{
	struct teststore *t = *state;
	struct err err;

	live(t);
	if (purge(t, "token", &err) != 0)
		fail_msg("%s", err.text);
	check_directory(t);
	assert_int_equal(check_commits(t), 6);
	check_other(t);
	set(t, "other", "2");
	assert_int_equal(check_commits(t), 7);
}

static void what_waits_is_recorded_first_or_it_is_refused(void **state)
{
	struct teststore *t = *state;
	struct err err;

	live(t);
	tmpdir_write(&t->dir, ".git/index.lock", "");
	set(t, "other", "1");
	set(t, "more", "1");
	assert_int_equal(purge(t, "token", &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(teststore_archived(t, "token", true), 1);
	assert_int_equal(unlinkat(t->dir.fd, ".git/index.lock", 0), 0);
	assert_int_equal(purge(t, "token", &err), 0);
	check_directory(t);
	check_commits(t);
}

static void a_file_that_does_not_parse_is_mended_first(void **state)
{
	struct teststore *t = *state;
	struct err err;

	live(t);
	tmpdir_write(&t->dir, "state.json", "{\"token\": 1,,}");
	assert_int_equal(purge(t, "state:token", &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_non_null(strstr(err.text, "state.json:1:"));
}

/* Gives an entry another key, as a move does. */
static void move_to(struct teststore *t, const char *from, enum category category, const char *to)
{
	static const struct change_meta meta = {.tool = "mv"};
	const struct item *item;
	struct change *change;
	STR_AUTO text = STR_INIT;
	struct err err;

	assert_int_equal(change_begin(&change, t->store, &meta, fake_sys_now(), &err), 0);
	item = store_find(t->store, CATEGORY_STATE, slice_of(from));
	assert_non_null(item);
	str_add(&text, item->entry.text);
	assert_int_equal(change_remove(change, item, &err), 0);
	assert_int_equal(change_put(change, category, slice_of(to), str_slice(&text), &err), 0);
	assert_int_equal(change_commit(change, NULL, &err), 0);
	change_end(change);
}

/* Also one that only an earlier name is in. */
static void a_file_of_an_earlier_name_is_mended_first(void **state)
{
	struct teststore *t = *state;
	struct err err;

	set(t, "oldtoken", "\"zebra-1\"");
	move_to(t, "oldtoken", CATEGORY_PATTERNS, "token");
	tmpdir_write(&t->dir, "state.json", "{\"other\": 1,,}");
	assert_int_equal(purge(t, "token", &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_null(strstr(err.text, "not finished"));
	assert_false(tmpdir_has(&t->dir, ".purge"));
	tmpdir_write(&t->dir, "state.json", "{}");
	assert_int_equal(purge(t, "token", &err), 0);
	check_directory(t);
}

static void a_detached_head_is_refused_before_anything_changes(void **state)
{
	struct teststore *t = *state;
	struct repo *repo;
	struct object_id head;
	char text[OBJECT_ID_DIGITS + 1];
	struct err err;
	char *value;

	live(t);
	assert_int_equal(history_repo(t->store, &repo, &err), 0);
	assert_int_equal(repo_head(repo, &head, &err), 0);
	object_id_text(&head, text);
	tmpdir_write(&t->dir, ".git/HEAD", text);
	assert_int_equal(purge(t, "token", &err), -1);
	assert_non_null(strstr(err.text, "cannot be rewritten now"));
	value = teststore_value(t, CATEGORY_STATE, "token");
	assert_string_equal(value, "\"zebra-3\"");
	free(value);
}

static void a_repository_of_the_person_is_named_and_left_alone(void **state)
{
	struct teststore *t = *state;
	struct purge_choices choices;
	struct purge_report report;
	struct purge_key key;
	struct err err;
	bool named = false;

	live(t);
	assert_int_equal(unlinkat(t->dir.fd, ".git/info/kota-memory", 0), 0);
	assert_int_equal(
		purge_find(&key, t->store, slice_of("token"), TESTSTORE_NOW, &choices, &err), 0);
	assert_int_equal(purge_run(t->store, &key, TESTSTORE_NOW, &report, &err), 0);
	for (size_t i = 0; i < report.unreached_count; i++)
		named = named || strstr(report.unreached[i], "was not made by kota");
	assert_true(named);
	assert_int_equal(report.commits, 0);
	assert_int_equal(report.entries, 1);
	assert_int_equal(report.records, 1);
	purge_report_release(&report);
	purge_key_release(&key);
}

/* The entry may have had other names there: it is not taken for one that had none. */
static void a_repository_that_cannot_be_read_is_not_none(void **state)
{
	struct teststore *t = *state;
	struct err err;

	live(t);
	assert_int_equal(unlinkat(t->dir.fd, ".git/info/kota-memory", 0), 0);
	tmpdir_write(&t->dir, ".git/config", "[core\n");
	teststore_reopen(t);
	assert_int_equal(purge(t, "token", &err), -1);
	assert_non_null(strstr(err.text, "may know the entry by other names, and cannot be read"));
}

/* The sentence names the folder in which the file is. */
static void a_month_that_cannot_be_written_is_named(void **state)
{
	static const char month[] = "archive.cold/2026-11.jsonl";
	bool named = false;

	(void)state;
	for (unsigned n = 1; !named && n < 30; n++) {
		struct teststore t;
		struct err err;

		teststore_open(&t);
		set(&t, "token", "\"zebra\"");
		mkdirat(t.dir.fd, "archive.cold", 0700);
		tmpdir_write(&t.dir, month,
			     "{\"category\":\"state\",\"key\":\"token@2026-11-01T00:00:00.000Z\","
			     "\"originalKey\":\"token\",\"archivedAt\":"
			     "\"2026-11-01T00:00:00.000Z\",\"reason\":\"deleted\","
			     "\"entry\":{\"value\":\"zebra\"}}\n");
		fake_sys_fail(FAKE_RENAMEAT2, n, EIO, FAKE_ONCE);
		if (purge(&t, "token", &err) != 0 && strstr(err.text, "2026-11.jsonl")) {
			named = true;
			assert_non_null(strstr(err.text, month));
		}
		fake_sys_reset(TESTSTORE_NOW);
		teststore_close(&t);
	}
	assert_true(named);
}

static void which_entry_a_key_means(void **state)
{
	struct teststore *t = *state;
	struct purge_choices choices;
	struct purge_key key;
	struct err err;

	live(t);
	assert_int_equal(teststore_set(t, CATEGORY_PATTERNS, "gone", "1", NULL), ERR_NONE);
	assert_int_equal(unlinkat(t->dir.fd, "patterns.json", 0), 0);
	set(t, "other", "2");
	assert_int_equal(
		purge_find(&key, t->store, slice_of("Gone"), TESTSTORE_NOW, &choices, &err), 0);
	assert_int_equal(key.category, CATEGORY_PATTERNS);
	purge_key_release(&key);
	assert_int_equal(teststore_archive(t, CATEGORY_STATE, "token", REASON_DELETED), ERR_NONE);
	assert_int_equal(
		purge_find(&key, t->store, slice_of("token"), TESTSTORE_NOW, &choices, &err), 0);
	assert_int_equal(key.category, CATEGORY_STATE);
	purge_key_release(&key);
	assert_int_equal(
		purge_find(&key, t->store, slice_of("nobody"), TESTSTORE_NOW, &choices, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

/* Another month: records of then and of now are in different files. */
#define LATER (TESTSTORE_NOW + (int64_t)40 * 24 * 3600 * 1000)

/* As live(), under another name at first, which another entry has now. */
static void live_elsewhere(struct teststore *t)
{
	set(t, "oldtoken", "\"zebra-1\"");
	set(t, "other", "1");
	set(t, "oldtoken", "\"zebra-2\"");
	move_to(t, "oldtoken", CATEGORY_STATE, "token");
	fake_sys_set_now(LATER);
	set(t, "token", "\"zebra-3\"");
	set(t, "oldtoken", "\"heron\"");
}

static void check_heron(struct teststore *t)
{
	char *value = teststore_value(t, CATEGORY_STATE, "oldtoken");

	assert_string_equal(value, "\"heron\"");
	free(value);
}

/* No text of any commit has the value; the other entry of that name has its commit. */
static size_t count_herons(struct teststore *t)
{
	struct object_id blob;
	struct repo *repo;
	struct walk *walk;
	struct commit commit;
	struct err err;
	size_t count = 0;

	teststore_reopen(t);
	assert_int_equal(history_repo(t->store, &repo, &err), 0);
	assert_int_equal(walk_open(&walk, repo, NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		STR_AUTO text = STR_INIT;

		assert_int_equal(repo_files(repo, &commit.id, check_file, repo, &err), 0);
		assert_int_equal(repo_file_at(repo, &commit.id, "state.json", &blob, &err), 0);
		if (!object_id_is_none(&blob))
			assert_int_equal(repo_blob_read(repo, &blob, &text, &err), 0);
		count += strstr(text.ptr, "heron") != NULL && strstr(commit.message, "oldtoken");
	}
	walk_close(walk);
	return count;
}

static void names_of_before_go_and_who_has_them_now_stays(void **state)
{
	struct teststore *t = *state;
	struct err err;

	live_elsewhere(t);
	if (purge(t, "token", &err) != 0)
		fail_msg("%s", err.text);
	check_heron(t);
	assert_int_equal(count_herons(t), 1);
	check_other(t);
}

static int purge_in_child(void *context)
{
	struct err err;

	return purge(context, "token", &err) == 0 ? 0 : 1;
}

/* Without a history nothing but the mark knows the names that are half gone. */
static void killed_without_a_history_the_names_are_kept(void **state)
{
	int status = 99;

	(void)state;
	for (unsigned n = 1; status == 99; n++) {
		STR_AUTO command = STR_INIT;
		struct teststore t;
		struct err err;

		teststore_open(&t);
		live_elsewhere(&t);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(purge_in_child, &t);
		assert_true(status == 99 || status == 0);
		fake_sys_reset(LATER);
		teststore_reopen(&t);
		if (purge(&t, "token", &err) != 0 && err.code != ERR_NOT_FOUND)
			fail_msg("call %u: %s", n, err.text);
		str_printf(&command, "! grep -r -q -e zebra '%s'", t.dir.path);
		if (system(command.ptr) != 0)
			fail_msg("call %u: something is left", n);
		check_heron(&t);
		check_other(&t);
		assert_false(tmpdir_has(&t.dir, ".purge"));
		teststore_close(&t);
		assert_true(n < 100000);
	}
}

static void killed_at_any_call_other_entries_stay(void **state)
{
	int status = 99;

	(void)state;
	for (unsigned n = 1; status == 99; n += 1 + n / 3) {
		struct teststore t;
		struct err err;

		teststore_open_in(&t, surroundings_with_history);
		gitrepo_isolate(&t.dir);
		live_elsewhere(&t);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(purge_in_child, &t);
		assert_true(status == 99 || status == 0);
		fake_sys_reset(LATER);
		teststore_reopen(&t);
		if (purge(&t, "token", &err) != 0 && err.code != ERR_NOT_FOUND)
			fail_msg("call %u: %s", n, err.text);
		check_heron(&t);
		assert_int_equal(count_herons(&t), 1);
		check_other(&t);
		assert_false(tmpdir_has(&t.dir, ".purge"));
		teststore_close(&t);
		assert_true(n < 100000);
	}
}

/* Dies at one call after the other, further and further on; purging again finishes. */
static void killed_at_any_call_it_can_be_done_again(void **state)
{
	int status = 99;

	(void)state;
	for (unsigned n = 1; status == 99; n += 1 + n / 3) {
		struct teststore t;
		struct err err;

		teststore_open_in(&t, surroundings_with_history);
		gitrepo_isolate(&t.dir);
		live(&t);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(purge_in_child, &t);
		assert_true(status == 99 || status == 0);
		fake_sys_reset(TESTSTORE_NOW);
		teststore_reopen(&t);
		/* All of it may be gone. */
		if (purge(&t, "token", &err) != 0 && err.code != ERR_NOT_FOUND)
			fail_msg("call %u: %s", n, err.text);
		check_directory(&t);
		assert_int_equal(check_commits(&t), 6);
		check_other(&t);
		assert_false(tmpdir_has(&t.dir, ".purge"));
		teststore_close(&t);
		assert_true(n < 100000);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_left_and_nothing_else_is_lost),
		TEST(what_waits_for_a_secret_goes),
		TEST(what_waits_is_recorded_first_or_it_is_refused),
		TEST(a_file_that_does_not_parse_is_mended_first),
		TEST(a_file_of_an_earlier_name_is_mended_first),
		TEST(a_detached_head_is_refused_before_anything_changes),
		TEST(a_repository_of_the_person_is_named_and_left_alone),
		TEST(a_repository_that_cannot_be_read_is_not_none),
		TEST(a_month_that_cannot_be_written_is_named),
		TEST(which_entry_a_key_means),
		TEST(names_of_before_go_and_who_has_them_now_stays),
		cmocka_unit_test(killed_at_any_call_it_can_be_done_again),
		cmocka_unit_test(killed_at_any_call_other_entries_stay),
		cmocka_unit_test(killed_without_a_history_the_names_are_kept),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("purge", tests, NULL, NULL);
}
