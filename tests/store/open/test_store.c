#include "store/open/store.h"
#include "support/teststore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_value(struct teststore *t, const char *key, const char *expected)
{
	char *value = teststore_value(t, CATEGORY_STATE, key);

	if (!expected) {
		assert_null(value);
		return;
	}
	assert_non_null(value);
	assert_string_equal(value, expected);
	free(value);
}

static void assert_answer(struct teststore *t, const char *query, const char *expected)
{
	struct store_answer answer;

	store_lookup(t->store, slice_of(query), CATEGORY_ANY, &answer);
	assert_non_null(answer.item);
	assert_true(slice_is(answer.item->entry.value, expected));
}

static void assert_notice(struct teststore *t, const char *part)
{
	const char *const *notices;
	size_t count;

	notices = store_notices(t->store, &count);
	for (size_t i = 0; i < count; i++)
		if (strstr(notices[i], part))
			return;
	fail_msg("no notice with \"%s\"", part);
}

static void a_store_that_does_not_exist_reads_as_empty_and_is_not_made(void **state)
{
	char path[PATH_MAX + 8];
	struct store_answer answer;
	struct store *store;
	struct tmpdir dir;
	struct err err;
	size_t count;

	(void)state;
	tmpdir_make(&dir);
	snprintf(path, sizeof path, "%s/none", dir.path);
	assert_int_equal(store_open(&store, fake_sys(), surroundings_plain, path, &err), 0);
	assert_int_equal(store_refresh(store, TESTSTORE_NOW, &err), 0);
	store_items(store, &count);
	assert_int_equal(count, 0);
	store_lookup(store, slice_of("anything"), CATEGORY_ANY, &answer);
	assert_false(answer.lookup.found);
	store_hit(store, slice_of("state:x"));
	store_close(store);
	assert_int_equal(tmpdir_count(&dir), 0);
	tmpdir_remove(&dir);
}

static void a_store_that_was_removed_reads_as_empty_and_stays_removed(void **state)
{
	struct store_answer answer;
	struct teststore t;
	struct tmpdir spare;
	char gone[PATH_MAX + 8];

	(void)state;
	teststore_open(&t);
	tmpdir_make(&spare);
	snprintf(gone, sizeof gone, "%s/gone", spare.path);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	assert_value(&t, "a", "1");
	assert_int_equal(rename(t.dir.path, gone), 0);
	assert_value(&t, "a", NULL);
	store_lookup(t.store, slice_of("a"), CATEGORY_ANY, &answer);
	assert_false(answer.lookup.found);
	assert_int_equal(access(t.dir.path, F_OK), -1);
	assert_int_equal(rename(gone, t.dir.path), 0);
	assert_value(&t, "a", "1");
	tmpdir_remove(&spare);
	teststore_close(&t);
}

/* A file that was mended while it was looked at is not remembered as broken. */
static void a_broken_file_is_read_again_until_its_stat_can_be_believed(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 1,}");
	fake_sys_set_now(0); /* the file is younger than the clock */
	teststore_refresh(&t);
	fake_sys_clear_trace();
	teststore_refresh(&t);
	assert_int_not_equal(fake_sys_at(FAKE_OPENAT, "state.json", 0), SIZE_MAX);
	fake_sys_set_now(TESTSTORE_NOW + 400 * MS_PER_DAY);
	teststore_refresh(&t);
	fake_sys_clear_trace();
	teststore_refresh(&t);
	assert_int_equal(fake_sys_count(FAKE_PREAD), 0);
	teststore_close(&t);
}

/* A failure of the moment is over with the next request. */
static void a_file_that_could_not_be_read_once_is_read_again(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 1}");
	fake_sys_set_now(TESTSTORE_NOW + 400 * MS_PER_DAY);
	fake_sys_fail(FAKE_PREAD, 1, EIO, FAKE_ONCE);
	teststore_refresh(&t);
	assert_int_equal(fake_sys_hits(), 1);
	assert_notice(&t, "Input/output error");
	assert_value(&t, "a", "1");
	teststore_close(&t);
}

static void usage_that_cannot_be_written_and_a_far_clock_are_no_harm(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	assert_int_equal(mkdirat(t.dir.fd, "usage.jsonl", 0700), 0);
	tmpdir_write(&t.dir, "state.json",
		     "{\"a\": {\"value\": 1, \"last_updated\": \"2001-01-01T00:00:00Z\"}}");
	assert_value(&t, "a", "1");
	teststore_close(&t);
}

static void items_come_by_category_in_the_order_of_the_file(void **state)
{
	const struct item *items;
	struct teststore t;
	size_t count;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"z\": 1, \"a\": 2}");
	tmpdir_write(&t.dir, "preferences.json", "{\"m\": 3}");
	teststore_refresh(&t);
	items = store_items(t.store, &count);
	assert_int_equal(count, 3);
	assert_true(slice_is(items[0].ref, "preferences:m"));
	assert_true(slice_is(items[1].ref, "state:z"));
	assert_true(slice_is(items[2].ref, "state:a"));
	teststore_close(&t);
}

static void the_given_spelling_wins_then_the_first(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"dark_mode\": 1, \"Dark Mode\": 2}");
	assert_value(&t, "Dark Mode", "2");
	assert_value(&t, "dark_mode", "1");
	assert_value(&t, "DARK-MODE", "1");
	assert_answer(&t, "Dark Mode", "2");
	assert_answer(&t, "dark_mode", "1");
	assert_answer(&t, "DARK-MODE", "1");
	teststore_close(&t);
}

static void a_broken_file_is_a_notice_and_the_rest_is_there(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 1}");
	tmpdir_write(&t.dir, "patterns.json", "{\n\"a\": 1,\n}");
	assert_value(&t, "a", "1");
	assert_notice(&t, "patterns.json:2:7");
	tmpdir_write(&t.dir, "patterns.json", "{\"b\": 1}");
	assert_value(&t, "a", "1");
	assert_non_null(store_find(t.store, CATEGORY_PATTERNS, slice_of("b")));
	teststore_close(&t);
}

static void what_is_no_record_is_a_notice(void **state)
{
	const struct archived *records;
	struct teststore t;
	struct err err;
	size_t count;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "archive.json",
		     "{\"state\": {}, \"patterns\": [1, {\"key\": \"a@t\", \"entry\": 2}]}");
	teststore_refresh(&t);
	assert_int_equal(store_archive_all(t.store, &records, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_notice(&t, "archive.json: 2 members are not archive records");
	teststore_close(&t);
}

static void a_settled_file_is_not_read_again(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 1}");
	fake_sys_set_now(TESTSTORE_NOW + 400 * MS_PER_DAY);
	teststore_refresh(&t);
	fake_sys_clear_trace();
	teststore_refresh(&t);
	assert_int_equal(fake_sys_count(FAKE_PREAD), 0);
	teststore_close(&t);
}

static void a_file_that_was_just_written_is_not_believed_by_its_stat(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 1}");
	fake_sys_set_now(0); /* the file is younger than the clock */
	teststore_refresh(&t);
	fake_sys_clear_trace();
	teststore_refresh(&t);
	assert_int_not_equal(fake_sys_at(FAKE_OPENAT, "state.json", 0), SIZE_MAX);
	teststore_close(&t);
}

static void links_are_followed_to_own_files_and_dangling_ones_reported(void **state)
{
	struct tmpdir elsewhere;
	struct teststore t;
	char target[PATH_MAX + 16];
	char *text;

	(void)state;
	teststore_open(&t);
	/* They may lead out of the person's own place. */
	store_disk(t.store)->origin.kind = ORIGIN_OWN;
	store_disk(t.store)->origin.personal = true;
	tmpdir_make(&elsewhere);
	tmpdir_write(&elsewhere, "mine.json", "{\"a\": 1}");
	snprintf(target, sizeof target, "%s/mine.json", elsewhere.path);
	assert_int_equal(symlinkat(target, t.dir.fd, "state.json"), 0);
	assert_value(&t, "a", "1");
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "b", "2", NULL), ERR_NONE);
	text = tmpdir_read(&elsewhere, "mine.json");
	assert_non_null(strstr(text, "\"b\""));
	free(text);
	assert_int_equal(symlinkat("/nowhere/at/all", t.dir.fd, "patterns.json"), 0);
	assert_value(&t, "a", "1");
	assert_notice(&t, "patterns.json");
	assert_int_equal(teststore_set(&t, CATEGORY_PATTERNS, "x", "1", NULL), ERR_BAD_DATA);
	tmpdir_remove(&elsewhere);
	teststore_close(&t);
}

static void the_folder_of_the_original_handler_opens_unchanged(void **state)
{
	static const char entries[] =
		"{\n  \"legacy\": {\n    \"value\": 1,\n    \"hits\": 3,\n    \"created\": "
		"\"2026-11-01T00:00:00Z\",\n    \"updated\": \"2026-11-02T00:00:00Z\",\n    "
		"\"accessed\": "
		"\"2026-11-03T00:00:00Z\"\n  }\n}";
	static const char archive[] =
		"{\"state\": [{\"key\": \"p@2026-10-02T00:00:00Z\", \"originalKey\": \"p\", "
		"\"archivedAt\": \"2026-10-02T00:00:00Z\", \"reason\": \"state_clear\", \"entry\": "
		"{\"value\": 2, \"created_at\": \"2026-10-01T00:00:00Z\", \"hits\": 1}}]}";
	const struct archived *records;
	const struct item *item;
	struct store_answer answer;
	struct teststore t;
	struct err err;
	size_t count;
	char *text;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "preferences.json", entries);
	tmpdir_write(&t.dir, "archive.json", archive);
	teststore_refresh(&t);
	item = store_find(t.store, CATEGORY_PREFERENCES, slice_of("legacy"));
	assert_non_null(item);
	assert_int_equal(item->hits, 3);
	assert_int_equal(item->accessed_ms, INT64_C(1793664000000));
	assert_int_equal(store_archive_all(t.store, &records, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_true(slice_is(records[0].ref, "state:p@2026-10-02T00:00:00Z"));
	store_lookup(t.store, slice_of("p"), CATEGORY_STATE, &answer);
	assert_non_null(answer.archived);
	text = tmpdir_read(&t.dir, "preferences.json");
	assert_string_equal(text, entries);
	free(text);
	text = tmpdir_read(&t.dir, "archive.json");
	assert_string_equal(text, archive);
	free(text);
	teststore_close(&t);
}

/* A clock that is behind: the 90 days begin anew, but not with every look. */
static void a_clock_that_is_behind_is_noted_once_a_day(void **state)
{
	struct teststore t;
	char *first;
	char *second;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	fake_sys_set_now(TESTSTORE_NOW - 10 * MS_PER_DAY);
	teststore_refresh(&t);
	first = tmpdir_read(&t.dir, "usage.jsonl");
	assert_non_null(strstr(first, "\"outranks\":true"));
	fake_sys_set_now(fake_sys_now() + MS_PER_DAY / 2);
	teststore_refresh(&t);
	second = tmpdir_read(&t.dir, "usage.jsonl");
	assert_string_equal(first, second);
	free(second);
	fake_sys_set_now(fake_sys_now() + MS_PER_DAY);
	teststore_refresh(&t);
	second = tmpdir_read(&t.dir, "usage.jsonl");
	assert_true(strlen(second) > strlen(first));
	free(first);
	free(second);
	teststore_close(&t);
}

static void an_error_in_the_settings_is_told_with_its_place(void **state)
{
	struct settings settings;
	struct teststore t;
	struct err err;

	(void)state;
	teststore_open(&t);
	teststore_refresh(&t);
	assert_int_equal(store_settings(t.store, &settings, &err), 0);
	assert_int_equal(settings.entries_per_category, 100);
	tmpdir_write(&t.dir, "config.json", "{\n  \"limits\": 1\n}\n");
	teststore_refresh(&t);
	assert_int_equal(store_settings(t.store, &settings, &err), -1);
	assert_non_null(strstr(err.text, "config.json:2:"));
	teststore_close(&t);
}

static void bad_lines_of_the_cold_archive_are_a_notice(void **state)
{
	const struct archived *records;
	struct teststore t;
	struct err err;
	size_t count;

	(void)state;
	teststore_open(&t);
	assert_int_equal(mkdirat(t.dir.fd, "archive.cold", 0700), 0);
	tmpdir_write(&t.dir, "archive.cold/2026-10.jsonl",
		     "{\"category\": \"state\", \"key\": \"k@t\", \"originalKey\": \"k\", "
		     "\"archivedAt\": \"2026-10-01T00:00:00Z\", \"reason\": \"evicted\", "
		     "\"entry\": {\"value\": 1}}\n"
		     "half a li\n"
		     "{\"category\": \"none\", \"key\": \"l@t\", \"entry\": {\"value\": 1}}\n"
		     "{\"key\": \"m@t\", \"entry\": {\"value\": 1}}\n"
		     "{\"category\": \"state\", \"entry\": {\"value\": 1}}\n"
		     "neither\n");
	teststore_refresh(&t);
	assert_int_equal(store_archive_all(t.store, &records, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_true(records[0].cold);
	assert_true(slice_is(records[0].ref, "state:k@t"));
	assert_notice(&t,
		      "2026-10.jsonl:2: cannot be read; 2 lines of the cold archive are left out");
	/* Asked again in the same request it is said once. */
	assert_int_equal(store_archive_all(t.store, &records, &count, &err), 0);
	store_notices(t.store, &count);
	assert_int_equal(count, 1);
	/* It is read once a request. */
	fake_sys_fail(FAKE_FDOPENDIR, 1, EACCES, FAKE_ONCE);
	assert_int_equal(store_archive_all(t.store, &records, &count, &err), 0);
	teststore_refresh(&t);
	assert_int_equal(store_archive_all(t.store, &records, &count, &err), -1);
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err.text, "archive.cold: Permission denied"));
	teststore_close(&t);
}

static void archived_entries_are_named_beside_an_archived_one(void **state)
{
	struct store_answer answer;
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "archive.json",
		     "{\"state\": ["
		     "{\"key\": \"office printer@t\", \"originalKey\": \"office printer\", "
		     "\"archivedAt\": \"2026-10-01T00:00:00Z\", \"entry\": {\"value\": 1}}, "
		     "{\"key\": \"office scanner@t\", \"originalKey\": \"office scanner\", "
		     "\"archivedAt\": \"2026-10-01T00:00:00Z\", \"entry\": {\"value\": 2}}]}\n");
	teststore_refresh(&t);
	store_lookup(t.store, slice_of("office"), CATEGORY_ANY, &answer);
	assert_non_null(answer.archived);
	assert_int_equal(answer.also_count, 1);
	assert_true(slice_is(answer.archived->ref, "state:office printer@t"));
	assert_true(slice_is(answer.also[0].ref, "state:office scanner@t"));
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_store_that_does_not_exist_reads_as_empty_and_is_not_made),
		cmocka_unit_test(a_store_that_was_removed_reads_as_empty_and_stays_removed),
		cmocka_unit_test(a_broken_file_is_read_again_until_its_stat_can_be_believed),
		cmocka_unit_test(a_file_that_could_not_be_read_once_is_read_again),
		cmocka_unit_test(usage_that_cannot_be_written_and_a_far_clock_are_no_harm),
		cmocka_unit_test(items_come_by_category_in_the_order_of_the_file),
		cmocka_unit_test(the_given_spelling_wins_then_the_first),
		cmocka_unit_test(a_broken_file_is_a_notice_and_the_rest_is_there),
		cmocka_unit_test(what_is_no_record_is_a_notice),
		cmocka_unit_test(a_settled_file_is_not_read_again),
		cmocka_unit_test(a_file_that_was_just_written_is_not_believed_by_its_stat),
		cmocka_unit_test(links_are_followed_to_own_files_and_dangling_ones_reported),
		cmocka_unit_test(a_clock_that_is_behind_is_noted_once_a_day),
		cmocka_unit_test(an_error_in_the_settings_is_told_with_its_place),
		cmocka_unit_test(bad_lines_of_the_cold_archive_are_a_notice),
		cmocka_unit_test(archived_entries_are_named_beside_an_archived_one),
		cmocka_unit_test(the_folder_of_the_original_handler_opens_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
