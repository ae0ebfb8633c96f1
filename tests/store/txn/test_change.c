#include "store/files/dir_lock.h"
#include "support/forge.h"
#include "support/surroundings.h"
#include "support/teststore.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_value(struct teststore *t, enum category category, const char *key,
			 const char *expected)
{
	char *value = teststore_value(t, category, key);

	if (!expected)
		assert_null(value);
	else
		assert_string_equal(value, expected);
	free(value);
}

static void assert_file(struct teststore *t, const char *name, const char *expected)
{
	char *text = tmpdir_read(&t->dir, name);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void a_set_is_there_for_the_next_process(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "port", "9007199254740993", NULL),
			 ERR_NONE);
	teststore_reopen(&t);
	assert_value(&t, CATEGORY_STATE, "port", "9007199254740993");
	assert_true(tmpdir_has(&t.dir, ".kota"));
	assert_true(tmpdir_has(&t.dir, ".gitignore"));
	assert_true(tmpdir_has(&t.dir, "metadata.json"));
	assert_false(tmpdir_has(&t.dir, ".journal"));
	teststore_close(&t);
}

static void a_key_is_replaced_by_identity_and_keeps_its_spelling(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_PREFERENCES, "Dark_Mode", "1", NULL);
	teststore_set(&t, CATEGORY_PREFERENCES, "dark-mode", "2", NULL);
	assert_value(&t, CATEGORY_PREFERENCES, "dark mode", "2");
	assert_value(&t, CATEGORY_PREFERENCES, "Dark_Mode", "2");
	teststore_set(&t, CATEGORY_PREFERENCES, "C", "1", NULL);
	teststore_set(&t, CATEGORY_PREFERENCES, "C++", "2", NULL);
	teststore_set(&t, CATEGORY_PREFERENCES, "C#", "3", NULL);
	assert_value(&t, CATEGORY_PREFERENCES, "c", "1");
	assert_value(&t, CATEGORY_PREFERENCES, "c#", "3");
	teststore_close(&t);
}

static void untouched_entries_keep_their_bytes(void **state)
{
	static const char before[] =
		"{\n    \"a\" : {\"value\":1.0,  \"mine\":\"x\"},\n\n    \"b\":\"bare\"\n}";
	struct teststore t;
	char *after;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", before);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "c", "3", NULL), ERR_NONE);
	after = tmpdir_read(&t.dir, "state.json");
	assert_memory_equal(after, before, sizeof before - 3);
	assert_int_not_equal(after[strlen(after) - 1], '\n');
	free(after);
	teststore_close(&t);
}

static void a_hand_edit_between_two_changes_is_picked_up(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	tmpdir_write(&t.dir, "state.json", "{\"a\": 10, \"mine\": {\"value\": [1, 2]}}\n");
	teststore_set(&t, CATEGORY_STATE, "b", "2", NULL);
	assert_value(&t, CATEGORY_STATE, "a", "10");
	assert_value(&t, CATEGORY_STATE, "mine", "[1, 2]");
	assert_value(&t, CATEGORY_STATE, "b", "2");
	teststore_close(&t);
}

static void a_broken_file_is_reported_and_not_touched(void **state)
{
	static const char broken[] = "{\n  \"a\": 1,\n}\n";
	struct teststore t;
	size_t count;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", broken);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "b", "2", NULL), ERR_BAD_DATA);
	assert_int_equal(teststore_set(&t, CATEGORY_PATTERNS, "b", "2", NULL), ERR_NONE);
	assert_file(&t, "state.json", broken);
	teststore_refresh(&t);
	assert_non_null(strstr(store_notices(t.store, &count)[0], "state.json:2:9"));
	teststore_close(&t);
}

static void an_archived_entry_leaves_its_file_and_stands_in_the_archive(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_DELETED), ERR_NONE);
	assert_value(&t, CATEGORY_STATE, "a", NULL);
	assert_int_equal(teststore_archived(&t, "a", false), 1);
	assert_false(tmpdir_has(&t.dir, ".journal"));
	/* The same key at the same time again: both records stay. */
	teststore_set(&t, CATEGORY_STATE, "a", "2", NULL);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_DELETED), ERR_NONE);
	assert_int_equal(teststore_archived(&t, "a", false), 2);
	teststore_close(&t);
}

static size_t lines_with(const char *text, const char *part)
{
	size_t found = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		found++;
	return found;
}

/* The only file of the cold archive, or NULL. */
static char *read_cold(struct teststore *t)
{
	return tmpdir_read(&t->dir, "archive.cold/2026-11.jsonl");
}

static void what_a_set_overwrites_is_kept_and_not_listed(void **state)
{
	struct teststore t;
	char *cold;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "[1.0]", NULL);
	assert_null(read_cold(&t));
	fake_sys_set_now(TESTSTORE_NOW + 1000);
	teststore_set(&t, CATEGORY_STATE, "a", "2", NULL);
	cold = read_cold(&t);
	assert_non_null(cold);
	assert_int_equal(lines_with(cold, "\"undo\":true"), 1);
	assert_non_null(strstr(cold, "\"reason\":\"replaced\""));
	assert_non_null(strstr(cold, "\"value\":[1.0]"));
	free(cold);
	/* The same value again is nothing that could be lost. */
	fake_sys_set_now(TESTSTORE_NOW + 2000);
	teststore_set(&t, CATEGORY_STATE, "a", "2", NULL);
	cold = read_cold(&t);
	assert_int_equal(lines_with(cold, "\n"), 1);
	free(cold);
	assert_int_equal(teststore_archived(&t, "a", true), 0);
	assert_false(tmpdir_has(&t.dir, "archive.json"));
	teststore_close(&t);
}

static void what_is_archived_anyway_is_not_kept_twice(void **state)
{
	static const struct change_meta meta = {.tool = "test"};
	struct change *change;
	const struct item *item;
	struct teststore t;
	struct err err;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "{}", NULL);
	assert_int_equal(change_begin(&change, t.store, &meta, fake_sys_now(), &err), 0);
	item = store_find(t.store, CATEGORY_STATE, slice_of("a"));
	assert_int_equal(change_archive_copy(change, item, REASON_REPLACED, &err), 0);
	assert_int_equal(
		change_put(change, CATEGORY_STATE, slice_of("a"), slice_of("{\"value\":1}"), &err),
		0);
	assert_int_equal(change_commit(change, NULL, &err), 0);
	change_end(change);
	assert_null(read_cold(&t));
	assert_int_equal(teststore_archived(&t, "a", false), 1);
	teststore_close(&t);
}

static void too_large_and_too_deep_change_nothing(void **state)
{
	char large[4200];
	char deep[VALUE_DEPTH_MAX * 2 + 3];
	struct teststore t;

	(void)state;
	teststore_open(&t);
	memset(large, 'x', sizeof large);
	large[0] = large[sizeof large - 2] = '"';
	large[sizeof large - 1] = '\0';
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", large, NULL), ERR_TOO_LARGE);
	memset(deep, '[', VALUE_DEPTH_MAX + 1);
	memset(deep + VALUE_DEPTH_MAX + 1, ']', VALUE_DEPTH_MAX + 1);
	deep[sizeof deep - 1] = '\0';
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", deep, NULL), ERR_TOO_LARGE);
	assert_false(tmpdir_has(&t.dir, "state.json"));
	teststore_close(&t);
}

static void an_oversize_entry_of_a_person_may_shrink_only(void **state)
{
	struct teststore t;
	char text[6000];
	char value[5100];

	(void)state;
	teststore_open(&t);
	snprintf(text, sizeof text, "{\"big\": \"%0*d\"}\n", 5000, 0);
	tmpdir_write(&t.dir, "state.json", text);
	snprintf(value, sizeof value, "\"%0*d\"", 5050, 0);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "big", value, NULL), ERR_TOO_LARGE);
	snprintf(value, sizeof value, "\"%0*d\"", 3000, 0);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "big", value, NULL), ERR_NONE);
	teststore_close(&t);
}

static void an_error_in_the_settings_stops_changes_and_not_reads(void **state)
{
	struct teststore t;
	size_t count;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	tmpdir_write(&t.dir, "config.json", "{\n  \"limits\": {\"entry_bytes\": \"many\"}\n}\n");
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "b", "2", NULL), ERR_BAD_DATA);
	assert_value(&t, CATEGORY_STATE, "a", "1");
	assert_non_null(strstr(store_notices(t.store, &count)[0], "config.json:2:"));
	teststore_close(&t);
}

static void a_busy_store_says_so(void **state)
{
	struct teststore t;
	struct disk other;
	struct err err;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	assert_int_equal(disk_open(&other, fake_sys(), t.dir.path, &err), 0);
	assert_int_equal(disk_lock(&other, 0, &err), 0);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "b", "2", NULL), ERR_BUSY);
	assert_true(fake_sys_now() >= TESTSTORE_NOW + 5000);
	disk_unlock(&other);
	disk_close(&other);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "b", "2", NULL), ERR_NONE);
	teststore_close(&t);
}

static void a_directory_that_was_replaced_is_written_where_the_path_leads(void **state)
{
	struct teststore t;
	struct tmpdir spare;
	char *text;

	(void)state;
	teststore_open(&t);
	tmpdir_make(&spare);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	/* The two directories change places, as a checkout or a restored backup does it. */
	assert_int_equal(renameat2(AT_FDCWD, t.dir.path, AT_FDCWD, spare.path, RENAME_EXCHANGE), 0);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "b", "2", NULL), ERR_NONE);
	assert_value(&t, CATEGORY_STATE, "a", NULL);
	assert_value(&t, CATEGORY_STATE, "b", "2");
	text = tmpdir_read(&t.dir, "state.json"); /* its descriptor is still on the old one */
	assert_null(strstr(text, "\"b\""));
	free(text);
	assert_int_equal(renameat2(AT_FDCWD, t.dir.path, AT_FDCWD, spare.path, RENAME_EXCHANGE), 0);
	tmpdir_remove(&spare);
	teststore_close(&t);
}

/* One of this store, signed, in words that are not known here. */
static void write_newer_journal(struct teststore *t)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;

	str_printf(&body, "{\"format\":3,\"at\":1,\"ops\":[],\"store\":{\"path\":\"%s\"}}",
		   t->dir.path);
	forge_signed(&text, body.ptr, surroundings_state_home());
	tmpdir_write(&t->dir, ".journal", text.ptr);
}

/* A journal that a newer program has signed stops the change, and leaves the lock for who mends it.
 */
static void a_journal_that_cannot_be_understood_stops_changes(void **state)
{
	struct teststore t;
	int fd;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	/* Several files, so that there is a key. */
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_PRUNED), ERR_NONE);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	write_newer_journal(&t);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "2", NULL), ERR_BAD_DATA);
	fd = openat(t.dir.fd, ".lock", O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
	assert_value(&t, CATEGORY_STATE, "a", "1");
	assert_int_equal(unlinkat(t.dir.fd, ".journal", 0), 0);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "2", NULL), ERR_NONE);
	teststore_close(&t);
}

static size_t notices(const struct teststore *t, const char *part)
{
	size_t count;
	size_t hits = 0;
	const char *const *items = store_notices(t->store, &count);

	for (size_t i = 0; i < count; i++)
		hits += strstr(items[i], part) != NULL;
	return hits;
}

/* What came with the folder is not carried out, holds nothing up, and is told of once. */
static void a_forged_journal_is_set_aside(void **state)
{
	STR_AUTO body = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	forge_body(&body, "put", "state", "forged", "1");
	forge_unsigned(&text, body.ptr);
	tmpdir_write(&t.dir, ".journal", text.ptr);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "2", NULL), ERR_NONE);
	assert_int_equal(notices(&t, "/.journal is not signed: it is set aside as"), 1);
	assert_value(&t, CATEGORY_STATE, "a", "2");
	assert_value(&t, CATEGORY_STATE, "forged", NULL);
	assert_file(&t, ".journal.aside-1", text.ptr);
	assert_false(tmpdir_has(&t.dir, ".journal"));
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_PRUNED), ERR_NONE);
	assert_int_equal(notices(&t, ".journal"), 0);
	assert_file(&t, ".journal.aside-1", text.ptr);
	teststore_close(&t);
}

/* The key is for journals: a change of one file does not look for it. */
static void a_change_of_one_file_needs_no_key(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	teststore_reopen(&t);
	fake_sys_clear_trace();
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "2", NULL), ERR_NONE);
	teststore_refresh(&t);
	assert_true(fake_sys_at(FAKE_ANY, surroundings_state_home(), 0) == SIZE_MAX);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_PRUNED), ERR_NONE);
	assert_true(fake_sys_at(FAKE_ANY, surroundings_state_home(), 0) != SIZE_MAX);
	/* Once. */
	fake_sys_clear_trace();
	teststore_set(&t, CATEGORY_STATE, "a", "2", NULL);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_PRUNED), ERR_NONE);
	assert_true(fake_sys_at(FAKE_ANY, surroundings_state_home(), 0) == SIZE_MAX);
	teststore_close(&t);
}

static const char *homeless(const char *name)
{
	return strcmp(name, "KOTA_MEMORY_GIT") == 0 ? "off" : NULL;
}

static void a_change_without_a_key_says_so_once(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open_in(&t, homeless);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	assert_int_equal(notices(&t, "not signed"), 0);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "a", REASON_PRUNED), ERR_NONE);
	assert_int_equal(notices(&t, "not signed (there is no folder for kota's state: HOME"), 1);
	teststore_set(&t, CATEGORY_STATE, "b", "1", NULL);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "b", REASON_PRUNED), ERR_NONE);
	assert_int_equal(notices(&t, "not signed"), 0);
	teststore_close(&t);
}

static void counts_that_cannot_be_written_are_a_notice(void **state)
{
	struct teststore t;
	size_t count;

	(void)state;
	teststore_open(&t);
	assert_int_equal(mkdirat(t.dir.fd, "metadata.json", 0700), 0);
	tmpdir_write(&t.dir, "metadata.json/in_the_way", "");
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "1", NULL), ERR_NONE);
	assert_non_null(strstr(store_notices(t.store, &count)[0], "the change itself is safe"));
	assert_value(&t, CATEGORY_STATE, "a", "1");
	teststore_close(&t);
}

/* A clock that is not believed expires nothing, so that the time of the last cleanup stays. */
static void a_distrusted_clock_is_no_cleanup(void **state)
{
	struct teststore t;
	char *before;
	char *after;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "a", "1", NULL);
	before = tmpdir_read(&t.dir, "metadata.json");
	fake_sys_set_now(TESTSTORE_NOW - 2 * MS_PER_DAY);
	teststore_set(&t, CATEGORY_STATE, "b", "1", NULL);
	after = tmpdir_read(&t.dir, "metadata.json");
	assert_string_not_equal(before, after);
	assert_non_null(strstr(before, "\"lastCleanup\""));
	assert_memory_equal(strstr(before, "\"lastCleanup\""), strstr(after, "\"lastCleanup\""),
			    strlen("\"lastCleanup\": \"2026-11-21T00:00:00.000"));
	free(before);
	free(after);
	teststore_close(&t);
}

/* usage.jsonl, long enough to be compacted: hits of an entry, of records, and of what is gone. */
static void usage_of_what_is_gone_is_compacted_away(void **state)
{
	static const char *const refs[] = {"state:active", "state:archived",  "state:cold",
					   "state:gone",   "patterns:active", "nonsense"};
	static const char cold[] = "{\"category\":\"state\",\"key\":\"cold@2026-10-01T00:00:00Z\","
				   "\"originalKey\":\"cold\",\"reason\":\"expiry\","
				   "\"entry\":{\"value\":1}}\n";
	struct str lines = STR_INIT;
	struct teststore t;
	char *usage;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "active", "1", NULL);
	teststore_set(&t, CATEGORY_STATE, "archived", "1", NULL);
	teststore_archive(&t, CATEGORY_STATE, "archived", REASON_DELETED);
	assert_int_equal(mkdirat(t.dir.fd, "archive.cold", 0700), 0);
	tmpdir_write(&t.dir, "archive.cold/2026-10.jsonl", cold);
	for (int i = 0; i < 1200; i++)
		str_printf(&lines, "{\"hit\":\"%s\",\"at\":\"2026-11-20T08:30:00.000Z\"}\n",
			   refs[i % 6]);
	tmpdir_write(&t.dir, "usage.jsonl", lines.ptr);
	str_release(&lines);
	teststore_set(&t, CATEGORY_STATE, "other", "1", NULL);
	usage = tmpdir_read(&t.dir, "usage.jsonl");
	assert_non_null(strstr(usage, "{\"ref\":\"state:active\",\"hits\":200,"));
	assert_non_null(strstr(usage, "{\"ref\":\"state:archived\",\"hits\":200,"));
	assert_non_null(strstr(usage, "{\"ref\":\"state:cold\",\"hits\":200,"));
	assert_null(strstr(usage, "gone"));
	assert_null(strstr(usage, "patterns"));
	assert_null(strstr(usage, "nonsense"));
	free(usage);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_is_there_for_the_next_process),
		cmocka_unit_test(a_key_is_replaced_by_identity_and_keeps_its_spelling),
		cmocka_unit_test(untouched_entries_keep_their_bytes),
		cmocka_unit_test(a_hand_edit_between_two_changes_is_picked_up),
		cmocka_unit_test(a_broken_file_is_reported_and_not_touched),
		cmocka_unit_test(an_archived_entry_leaves_its_file_and_stands_in_the_archive),
		cmocka_unit_test(what_a_set_overwrites_is_kept_and_not_listed),
		cmocka_unit_test(what_is_archived_anyway_is_not_kept_twice),
		cmocka_unit_test(too_large_and_too_deep_change_nothing),
		cmocka_unit_test(an_oversize_entry_of_a_person_may_shrink_only),
		cmocka_unit_test(an_error_in_the_settings_stops_changes_and_not_reads),
		cmocka_unit_test(a_busy_store_says_so),
		cmocka_unit_test(a_journal_that_cannot_be_understood_stops_changes),
		cmocka_unit_test(a_forged_journal_is_set_aside),
		cmocka_unit_test(a_change_of_one_file_needs_no_key),
		cmocka_unit_test(a_change_without_a_key_says_so_once),
		cmocka_unit_test(counts_that_cannot_be_written_are_a_notice),
		cmocka_unit_test(a_distrusted_clock_is_no_cleanup),
		cmocka_unit_test(usage_of_what_is_gone_is_compacted_away),
		cmocka_unit_test(a_directory_that_was_replaced_is_written_where_the_path_leads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
