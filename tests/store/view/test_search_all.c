#include "support/teststore.h"

#include "search/search.h"
#include "search/search_index.h"
#include "store/view/search_all_internal.h"
#include "store/view/snapshot.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ENTRIES 30

static size_t seek(struct teststore *t, const char *query)
{
	const struct sought *found;

	teststore_refresh(t);
	return store_search(t->store, slice_of(query), &found);
}

static const struct search *index_of(const struct teststore *t)
{
	return t->store->search->index;
}

static void fill(struct teststore *t)
{
	char key[32];

	for (int i = 0; i < ENTRIES; i++) {
		snprintf(key, sizeof key, "plan%c%c", 'a' + i % 6, 'a' + i / 6);
		teststore_set(t, (enum category)(i % CATEGORY_COUNT), key, "\"to be done\"", NULL);
	}
}

/* To the byte what it was: it is found again all the same. */
static void what_comes_back_is_found_again(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"plan\": \"harvest\", \"other\": \"rest\"}");
	assert_int_equal(seek(&t, "harvest"), 1);
	tmpdir_write(&t.dir, "state.json", "{\"other\": \"rest\"}");
	assert_int_equal(seek(&t, "harvest"), 0);
	tmpdir_write(&t.dir, "state.json", "{\"plan\": \"harvest\", \"other\": \"rest\"}");
	assert_int_equal(seek(&t, "harvest"), 1);
	teststore_close(&t);
}

static void a_change_costs_the_index_what_changed(void **state)
{
	struct teststore t;
	size_t items;

	(void)state;
	teststore_open(&t);
	fill(&t);
	assert_int_equal(seek(&t, "done"), ENTRIES);
	items = index_of(&t)->entry_count;
	assert_int_equal(items, ENTRIES);
	/* one entry becomes another */
	teststore_set(&t, CATEGORY_PREFERENCES, "planaa", "\"finished\"", NULL);
	assert_int_equal(seek(&t, "done"), ENTRIES - 1);
	assert_int_equal(seek(&t, "finished"), 1);
	assert_int_equal(index_of(&t)->entry_count, items + 1);
	/* one is new, of the others a hit changes nothing */
	teststore_set(&t, CATEGORY_STATE, "another", "\"done\"", NULL);
	store_hit(t.store, slice_of("state:another"));
	assert_int_equal(seek(&t, "done"), ENTRIES);
	assert_int_equal(index_of(&t)->entry_count, items + 2);
	/* one goes to the archive: it is taken out there, and in here */
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "another", REASON_STATE_CLEAR), 0);
	assert_int_equal(seek(&t, "done"), ENTRIES);
	assert_int_equal(index_of(&t)->entry_count, items + 3);
	teststore_close(&t);
}

static void many_changes_do_not_pile_up(void **state)
{
	struct teststore t;
	char value[32];

	(void)state;
	teststore_open(&t);
	for (int i = 0; i < 200; i++) {
		snprintf(value, sizeof value, "\"turn%d\"", i);
		teststore_set(&t, CATEGORY_STATE, "plan", value, NULL);
		value[0] = ' ';
		value[strlen(value) - 1] = ' ';
		assert_int_equal(seek(&t, value), 1);
		assert_in_range(index_of(&t)->entry_count, 1, 100);
	}
	teststore_close(&t);
}

/* An entry becomes due as time passes, and is not any more once it was used. */
static void what_is_used_again_is_due_no_longer(void **state)
{
	const struct sought *found;
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_set(&t, CATEGORY_STATE, "editor", "1", NULL);
	assert_int_equal(seek(&t, "editor"), 1);
	t.store->items[0].due = true;
	assert_int_equal(store_search(t.store, slice_of("editor"), &found), 1);
	assert_int_equal(found[0].status, SOUGHT_ARCHIVED);
	t.store->items[0].due = false;
	assert_int_equal(store_search(t.store, slice_of("editor"), &found), 1);
	assert_int_equal(found[0].status, SOUGHT_ACTIVE);
	teststore_close(&t);
}

static void notes_come_and_change_and_go(void **state)
{
	struct teststore t;
	size_t items;

	(void)state;
	teststore_open(&t);
	fill(&t);
	assert_int_equal(mkdirat(t.dir.fd, "notes", 0700), 0);
	tmpdir_write(&t.dir, "notes/a.md", "# Voyage\nby train\n");
	tmpdir_write(&t.dir, "notes/b.md", "# Garden\nby hand\n");
	assert_int_equal(seek(&t, "train"), 1);
	items = index_of(&t)->entry_count;
	tmpdir_write(&t.dir, "notes/a.md", "# Voyage\nby bicycle and ferry\n");
	assert_int_equal(seek(&t, "train"), 0);
	assert_int_equal(seek(&t, "bicycle"), 1);
	assert_int_equal(index_of(&t)->entry_count, items + 1);
	assert_int_equal(unlinkat(t.dir.fd, "notes/a.md", 0), 0);
	assert_int_equal(seek(&t, "bicycle"), 0);
	assert_int_equal(seek(&t, "garden"), 1);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_costs_the_index_what_changed),
		cmocka_unit_test(what_comes_back_is_found_again),
		cmocka_unit_test(many_changes_do_not_pile_up),
		cmocka_unit_test(what_is_used_again_is_due_no_longer),
		cmocka_unit_test(notes_come_and_change_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
