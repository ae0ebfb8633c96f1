#include "store/view/read_through.h"

#include "store/txn/change_commit.h"
#include "store/txn/refresh.h"
#include "store/view/entry_lookup.h"
#include "store/view/search_all.h"
#include "support/teststore.h"

#include <errno.h>
#include <stdlib.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define KILLED 99

/* Takes the pilot from one category to another. */
static void move(struct change *change, struct store *store)
{
	const struct item *item = store_find(store, CATEGORY_CONNECTIONS, slice_of("pilot"));
	struct err err;

	assert_non_null(item);
	assert_int_equal(
		change_put(change, CATEGORY_PREFERENCES, item->entry.key, item->entry.text, &err),
		0);
	assert_int_equal(change_remove(change, item, &err), 0);
}

static void archive(struct change *change, struct store *store)
{
	const struct item *item = store_find(store, CATEGORY_CONNECTIONS, slice_of("pilot"));
	struct err err;

	assert_non_null(item);
	assert_int_equal(change_archive(change, item, REASON_FADED, &err), 0);
}

/* Makes a note of the pilot, and marks the entry in the same change. */
static void promote(struct change *change, struct store *store)
{
	const struct item *item = store_find(store, CATEGORY_CONNECTIONS, slice_of("pilot"));
	struct slice file;
	struct err err;

	assert_non_null(item);
	assert_int_equal(change_note(change, CATEGORY_CONNECTIONS, slice_of("pilot"),
				     slice_of("# Pilot\n\nAnn\n"), &file, &err),
			 0);
	assert_int_equal(change_put(change, CATEGORY_CONNECTIONS, item->entry.key,
				    slice_of("{\"value\": \"Ann\", \"status\": \"promoted\"}"),
				    &err),
			 0);
}

typedef void (*deed)(struct change *change, struct store *store);

struct killed {
	struct teststore *t;
	deed deed;
};

static int change_in_child(void *context)
{
	struct killed *killed = context;
	struct change_meta meta = {.tool = "test"};
	struct change *change;
	struct err err;

	if (change_begin(&change, killed->t->store, &meta, TESTSTORE_NOW, &err) != 0)
		return 1;
	killed->deed(change, killed->t->store);
	if (change_commit(change, NULL, &err) != 0)
		return 2;
	change_end(change);
	return 0;
}

/* How often the entry is to be seen. */
static size_t places(struct teststore *t)
{
	const struct archived *archived;
	size_t found = 0;
	size_t count;
	struct err err;

	for (int c = 0; c < CATEGORY_COUNT; c++)
		found += store_find(t->store, c, slice_of("pilot")) != NULL;
	assert_int_equal(store_archive_all(t->store, &archived, &count, &err), 0);
	for (size_t i = 0; i < count; i++)
		found += slice_is(archived[i].record.original_key, "pilot");
	return found;
}

/* Does a question find it, wherever it is? */
static bool is_found(struct teststore *t)
{
	struct store_answer answer;

	store_lookup(t->store, slice_of("pilot"), CATEGORY_ANY, &answer);
	store_lookup_archived(t->store, slice_of("pilot"), CATEGORY_ANY, &answer);
	return answer.lookup.found;
}

static bool is_searched(struct teststore *t)
{
	const struct sought *found;

	return store_search(t->store, slice_of("pilot"), &found) +
		       store_search_cold(t->store, slice_of("pilot"), 10, &found) >
	       0;
}

static char *read_files(const struct teststore *t)
{
	static const char *const names[] = {"preferences.json", "connections.json", "archive.json"};
	STR_AUTO all = STR_INIT;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *text = tmpdir_has(&t->dir, names[i]) ? tmpdir_read(&t->dir, names[i]) : NULL;

		str_adds(&all, text ? text : "-");
		free(text);
	}
	return strdup(all.ptr);
}

/*
 * A process is killed at each call on its way. Whoever looks then sees the entry once, whether the
 * change is made or not, changes no file by looking, and sees the same after it was finished.
 */
static void killed_at_each_call_with(deed what, const char *config)
{
	int status = KILLED;

	for (unsigned n = 1; status == KILLED; n++) {
		struct teststore t;
		struct killed killed = {&t, what};
		bool moved;
		char *before;
		char *after;
		struct err err;

		teststore_open(&t);
		assert_int_equal(teststore_set(&t, CATEGORY_CONNECTIONS, "pilot", "\"Ann\"", NULL),
				 ERR_NONE);
		tmpdir_write(&t.dir, "config.json", config);
		fake_sys_die(FAKE_ANY, n, KILLED);
		status = fake_sys_in_child(change_in_child, &killed);
		fake_sys_reset(TESTSTORE_NOW);
		before = read_files(&t);
		assert_int_equal(store_look(t.store, TESTSTORE_NOW, &err), 0);
		assert_int_equal(places(&t), 1);
		assert_true(is_found(&t));
		assert_true(is_searched(&t));
		moved = !store_find(t.store, CATEGORY_CONNECTIONS, slice_of("pilot"));
		after = read_files(&t);
		assert_string_equal(before, after);
		assert_int_equal(store_refresh(t.store, TESTSTORE_NOW, &err), 0);
		assert_int_equal(places(&t), 1);
		assert_true(is_found(&t));
		assert_true(is_searched(&t));
		assert_int_equal(moved,
				 !store_find(t.store, CATEGORY_CONNECTIONS, slice_of("pilot")));
		assert_false(tmpdir_has(&t.dir, ".journal"));
		free(before);
		free(after);
		teststore_close(&t);
	}
	assert_int_equal(status, 0);
}

static void killed_at_each_call(deed what)
{
	killed_at_each_call_with(what, "{}");
}

/* The record does not fit, and goes where the index of the cold archive has to know of it. */
static void a_reader_finds_what_goes_to_the_cold_archive(void **state)
{
	(void)state;
	killed_at_each_call_with(archive, "{\"limits\":{\"total_bytes\":150}}");
}

static void a_reader_sees_a_move_whole(void **state)
{
	(void)state;
	killed_at_each_call(move);
}

static void a_reader_sees_an_entry_archived_whole(void **state)
{
	(void)state;
	killed_at_each_call(archive);
}

static size_t notes_found(struct teststore *t)
{
	const struct sought *all;
	size_t count = store_search_all(t->store, &all);
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += all[i].status == SOUGHT_NOTE;
	return found;
}

/* A note is there with the entry that says so, and not before. */
static void a_reader_sees_a_note_with_its_entry(void **state)
{
	int status = KILLED;
	size_t halves = 0;

	(void)state;
	for (unsigned n = 1; status == KILLED; n++) {
		struct teststore t;
		struct killed killed = {&t, promote};
		struct err err;

		teststore_open(&t);
		assert_int_equal(teststore_set(&t, CATEGORY_CONNECTIONS, "pilot", "\"Ann\"", NULL),
				 ERR_NONE);
		teststore_refresh(&t);
		assert_int_equal(notes_found(&t), 0);
		fake_sys_die(FAKE_ANY, n, KILLED);
		status = fake_sys_in_child(change_in_child, &killed);
		fake_sys_reset(TESTSTORE_NOW);
		halves += tmpdir_has(&t.dir, ".journal") && !tmpdir_has(&t.dir, "notes/pilot.md");
		/* Looked at twice: what was read through the journal is no file. */
		for (int look = 0; look < 2; look++) {
			const struct item *item;

			assert_int_equal(store_look(t.store, TESTSTORE_NOW, &err), 0);
			item = store_find(t.store, CATEGORY_CONNECTIONS, slice_of("pilot"));
			assert_non_null(item);
			assert_int_equal(notes_found(&t), item->entry.promoted);
		}
		assert_int_equal(store_refresh(t.store, TESTSTORE_NOW, &err), 0);
		assert_int_equal(notes_found(&t), tmpdir_has(&t.dir, "notes/pilot.md"));
		teststore_close(&t);
	}
	assert_int_equal(status, 0);
	assert_true(halves > 0);
}

/* Whoever cannot see or read the journal says so, and does not take it for none. */
static void a_journal_that_cannot_be_read_is_said(void **state)
{
	/* So long after that one look at the folder is enough: there is no second try. */
	int64_t later = sys_real()->now_ms() + INT64_C(86400000);
	bool hit = true;

	(void)state;
	for (unsigned n = 1; hit; n++) {
		struct teststore t;
		struct killed killed = {&t, move};
		size_t notices;
		struct err err;
		int result;

		teststore_open(&t);
		assert_int_equal(teststore_set(&t, CATEGORY_CONNECTIONS, "pilot", "\"Ann\"", NULL),
				 ERR_NONE);
		/* Between the two files: the entry stands in both. */
		fake_sys_die(FAKE_RENAMEAT2, 3, KILLED);
		assert_int_equal(fake_sys_in_child(change_in_child, &killed), KILLED);
		fake_sys_reset(later);
		assert_true(tmpdir_has(&t.dir, ".journal"));
		teststore_reopen(&t);
		fake_sys_fail(FAKE_ANY, n, EIO, FAKE_ONCE);
		result = store_look(t.store, later, &err);
		hit = fake_sys_hits() > 0;
		fake_sys_reset(later);
		store_notices(t.store, &notices);
		if (result == 0 && notices == 0)
			assert_int_equal(places(&t), 1);
		teststore_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_sees_a_move_whole),
		cmocka_unit_test(a_reader_sees_an_entry_archived_whole),
		cmocka_unit_test(a_reader_finds_what_goes_to_the_cold_archive),
		cmocka_unit_test(a_reader_sees_a_note_with_its_entry),
		cmocka_unit_test(a_journal_that_cannot_be_read_is_said),
	};

	return cmocka_run_group_tests_name("read_through", tests, NULL, NULL);
}
