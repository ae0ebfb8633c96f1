/* Links and notes in a change of several files: all of it or nothing, whatever fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/txn/apply.h"

#include "base/map.h"
#include "support/fake_sys.h"
#include "support/opstore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLD_LINK "{\"from\": \"state:task\",  \"to\": \"preferences:editor\"}"
#define KEPT_LINK "{ \"from\":\"state:mood\", \"to\":\"state:task\", \"mine\" : 1.0 }"
#define OLD_LINKS "{\n  \"kept\": " KEPT_LINK ",\n  \"old\": " OLD_LINK "\n}\n"
#define NEW_LINKS                                                                                  \
	"{\n  \"kept\": " KEPT_LINK ",\n  \"new\": { \"from\":\"state:mood\", "                    \
	"\"to\":\"preferences:editor\" }\n}\n"
#define NOTE "---\ntags: [editor]\n---\n# editor\n\nemacs\n"
#define NOTE_PATH "notes/editor.md"

static size_t promote(struct op ops[4])
{
	struct op single[4];

	ops[0] = (struct op){
		.kind = OP_LINK_PUT,
		.category = CATEGORY_STATE,
		.key = slice_of("new"),
		.text = slice_of("{\"from\":\"state:mood\",\"to\":\"preferences:editor\"}"),
	};
	ops[1] = (struct op){
		.kind = OP_LINK_REMOVE,
		.category = CATEGORY_STATE,
		.key = slice_of("old"),
		.text = slice_of(OLD_LINK),
		.before = hash64(slice_of(OLD_LINK)),
	};
	ops[2] = (struct op){
		.kind = OP_NOTE_ADD,
		.category = CATEGORY_PREFERENCES,
		.key = slice_of("editor.md"),
		.text = slice_of(NOTE),
	};
	opstore_single(single);
	ops[3] = single[0];
	return 4;
}

static size_t take_back(struct op ops[4])
{
	ops[0] = (struct op){
		.kind = OP_NOTE_REMOVE,
		.category = CATEGORY_PREFERENCES,
		.key = slice_of("editor.md"),
		.text = slice_of(NOTE),
	};
	ops[1] = (struct op){
		.kind = OP_PUT,
		.category = CATEGORY_PREFERENCES,
		.key = slice_of("editor"),
		.text = slice_of("\"vim\""),
		.before = hash64(slice_of("{\"value\": \"emacs\"}")),
	};
	return 2;
}

static void make(struct opstore *store)
{
	fake_sys_reset(OPSTORE_NOW);
	opstore_make(store, promote);
	tmpdir_write(&store->dir, "relations.json", OLD_LINKS);
}

static bool holds(const struct opstore *store, const char *name, const char *text)
{
	char *now = tmpdir_read(&store->dir, name);
	bool same = now ? text && strcmp(now, text) == 0 : !text;

	free(now);
	return same;
}

static enum opstore_state state_of(const struct opstore *store)
{
	if (holds(store, "preferences.json", OLD_PREFERENCES) &&
	    holds(store, "relations.json", OLD_LINKS) && holds(store, NOTE_PATH, NULL))
		return OPSTORE_OLD;
	if (holds(store, "preferences.json", NEW_PREFERENCES) &&
	    holds(store, "relations.json", NEW_LINKS) && holds(store, NOTE_PATH, NOTE))
		return OPSTORE_NEW;
	return OPSTORE_NEITHER;
}

static void check_tidy(const struct opstore *store)
{
	opstore_check_tidy(store);
	assert_false(tmpdir_has(&store->dir, ".relations.json.tmp"));
	assert_false(tmpdir_has(&store->dir, ".relations.json.orphan"));
	assert_false(tmpdir_has(&store->dir, "notes/.kota-editor.md.tmp"));
	assert_false(tmpdir_has(&store->dir, "notes/.kota-editor.md.old"));
	assert_false(tmpdir_has(&store->dir, "notes/editor-2.md"));
}

static void test_all_of_it(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	opstore_run(&store, promote);
	opstore_check(&store, "preferences.json", NEW_PREFERENCES);
	opstore_check(&store, "relations.json", NEW_LINKS);
	opstore_check(&store, NOTE_PATH, NOTE);
	check_tidy(&store);
	/* Once more is no harm: all is done already. */
	opstore_run(&store, promote);
	assert_int_equal(state_of(&store), OPSTORE_NEW);
	opstore_run(&store, take_back);
	opstore_check(&store, "preferences.json",
		      "{\n  \"editor\": \"vim\",\n  \"theme\": {\"value\": \"dark\"}\n}\n");
	assert_true(holds(&store, NOTE_PATH, NULL));
	check_tidy(&store);
	tmpdir_remove(&store.dir);
}

/* The note is durable, and lies ready, before the journal is in force. */
static void test_order_of_calls(void **state)
{
	struct opstore store;
	size_t staged;
	size_t committed;
	size_t placed;

	(void)state;
	make(&store);
	opstore_run(&store, promote);
	staged = fake_sys_at(FAKE_FSYNC, "notes/.kota-editor.md.tmp", 0);
	committed = fake_sys_at(FAKE_RENAMEAT2, ".journal.tmp", 0);
	placed = fake_sys_at(FAKE_RENAMEAT2, "notes/.kota-editor.md.tmp", 0);
	assert_true(staged < committed && committed < placed && placed != SIZE_MAX);
	assert_true(fake_sys_at(FAKE_RENAMEAT2, ".relations.json.tmp", committed) != SIZE_MAX);
	assert_true(fake_sys_at(FAKE_FSYNC, "notes", placed) <
		    fake_sys_at(FAKE_UNLINKAT, ".journal", placed));
	tmpdir_remove(&store.dir);
}

static void fail_each(int error, enum fake_times times)
{
	size_t hits = 1;

	for (unsigned n = 1; hits > 0; n++) {
		struct opstore store;
		struct err err;
		int result;

		make(&store);
		fake_sys_fail(FAKE_ANY, n, error, times);
		result = opstore_change(&store, promote, &err);
		hits = fake_sys_hits();
		fake_sys_reset(OPSTORE_NOW);
		if (result != 0 && !*err.text)
			fail_msg("call %u: no sentence", n);
		opstore_run(&store, NULL);
		check_tidy(&store);
		if (state_of(&store) != OPSTORE_NEW &&
		    (result == 0 || state_of(&store) == OPSTORE_NEITHER))
			fail_msg("call %u errno %d: %s", n, error, result ? err.text : "done");
		opstore_run(&store, promote);
		if (state_of(&store) != OPSTORE_NEW)
			fail_msg("call %u errno %d: the next change", n, error);
		tmpdir_remove(&store.dir);
	}
}

static void test_failing_calls(void **state)
{
	(void)state;
	fail_each(EIO, FAKE_ONCE);
	fail_each(ENOSPC, FAKE_ALWAYS);
}

static void test_dying(void **state)
{
	int status = 99;

	(void)state;
	for (unsigned n = 1; status != 0; n++) {
		struct opstore store;

		make(&store);
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(opstore_change_in_child, &store);
		fake_sys_reset(OPSTORE_NOW);
		opstore_run(&store, NULL);
		check_tidy(&store);
		if (state_of(&store) == OPSTORE_NEITHER ||
		    (status == 0 && state_of(&store) == OPSTORE_OLD))
			fail_msg("died at call %u", n);
		tmpdir_remove(&store.dir);
	}
}

static void test_dying_while_a_note_is_taken_away(void **state)
{
	int status = 99;

	(void)state;
	for (unsigned n = 1; status != 0; n++) {
		struct opstore store;
		bool old;

		make(&store);
		opstore_run(&store, promote);
		store.ops = take_back;
		fake_sys_die(FAKE_ANY, n, 99);
		status = fake_sys_in_child(opstore_change_in_child, &store);
		fake_sys_reset(OPSTORE_NOW);
		opstore_run(&store, NULL);
		check_tidy(&store);
		old = holds(&store, "preferences.json", NEW_PREFERENCES);
		if (old != holds(&store, NOTE_PATH, NOTE) ||
		    old == holds(&store, NOTE_PATH, NULL) || (status == 0 && old))
			fail_msg("died at call %u", n);
		tmpdir_remove(&store.dir);
	}
}

static void edit_note(void *arg)
{
	const struct opstore *store = arg;

	tmpdir_write(&store->dir, NOTE_PATH, "mine");
}

/* A person's text stays, whenever it comes. */
static void test_a_note_that_somebody_changed(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	opstore_run(&store, promote);
	edit_note(&store);
	opstore_run(&store, take_back);
	opstore_check(&store, NOTE_PATH, "mine");
	check_tidy(&store);
	tmpdir_remove(&store.dir);
	/* In the instant before any name changes, that of the note among them. */
	for (unsigned n = 1; n <= 5; n++) {
		make(&store);
		opstore_run(&store, promote);
		fake_sys_reset(OPSTORE_NOW);
		fake_sys_before(FAKE_RENAMEAT2, n, edit_note, &store);
		opstore_run(&store, take_back);
		opstore_check(&store, NOTE_PATH, "mine");
		check_tidy(&store);
		tmpdir_remove(&store.dir);
	}
}

/* A file that comes in the instant before ours is not replaced: ours gets a number. */
static void test_a_note_that_is_in_the_way(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	assert_int_equal(mkdirat(store.dir.fd, "notes", 0700), 0);
	edit_note(&store);
	opstore_run(&store, promote);
	opstore_check(&store, NOTE_PATH, "mine");
	opstore_check(&store, "notes/editor-2.md", NOTE);
	assert_false(tmpdir_has(&store.dir, "notes/.kota-editor.md.tmp"));
	tmpdir_remove(&store.dir);
}

/* After a crash the file that is there may be our own, edited: it is not made twice. */
static void test_a_note_that_is_edited_before_the_redo(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	fake_sys_die(FAKE_UNLINKAT, 99, 99);
	for (unsigned n = 1; !tmpdir_has(&store.dir, NOTE_PATH); n++) {
		tmpdir_remove(&store.dir);
		make(&store);
		fake_sys_die(FAKE_FSYNC, n, 99);
		assert_int_equal(fake_sys_in_child(opstore_change_in_child, &store), 99);
	}
	assert_true(tmpdir_has(&store.dir, ".journal"));
	edit_note(&store);
	fake_sys_reset(OPSTORE_NOW);
	opstore_run(&store, NULL);
	opstore_check(&store, NOTE_PATH, "mine");
	check_tidy(&store);
	opstore_check(&store, "relations.json", NEW_LINKS);
	tmpdir_remove(&store.dir);
}

/* Where no note can be written nothing at all is changed, and nothing is left half done. */
static void test_a_folder_that_is_none(void **state)
{
	struct opstore store;

	(void)state;
	for (int i = 0; i < 2; i++) {
		make(&store);
		if (i == 0)
			tmpdir_write(&store.dir, "notes", "a file");
		else
			assert_int_equal(symlinkat("/tmp", store.dir.fd, "notes"), 0);
		opstore_check_fails(&store, promote, "the folder of the note notes/editor.md");
		assert_false(tmpdir_has(&store.dir, ".journal"));
		opstore_check(&store, "preferences.json", OLD_PREFERENCES);
		opstore_check(&store, "relations.json", OLD_LINKS);
		tmpdir_remove(&store.dir);
	}
}

/* A folder that turns bad behind the commit point holds up the note and nothing else. */
static void test_a_redo_without_a_folder(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	fake_sys_die(FAKE_RENAMEAT2, 2, 99);
	assert_int_equal(fake_sys_in_child(opstore_change_in_child, &store), 99);
	assert_int_equal(unlinkat(store.dir.fd, "notes/.kota-editor.md.tmp", 0), 0);
	assert_int_equal(unlinkat(store.dir.fd, "notes", AT_REMOVEDIR), 0);
	tmpdir_write(&store.dir, "notes", "a file");
	fake_sys_reset(OPSTORE_NOW);
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json", NEW_PREFERENCES);
	opstore_check(&store, "relations.json", NEW_LINKS);
	opstore_check_fails(&store, promote, "waits until the note editor.md can be written");
	assert_int_equal(unlinkat(store.dir.fd, "notes", 0), 0);
	opstore_run(&store, NULL);
	opstore_check(&store, NOTE_PATH, NOTE);
	check_tidy(&store);
	tmpdir_remove(&store.dir);
}

static void test_broken_relations(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	tmpdir_write(&store.dir, "relations.json", "{\n  \"kept\": 1,\n}\n");
	opstore_check_fails(&store, promote, "relations.json:2:");
	opstore_check(&store, "relations.json", "{\n  \"kept\": 1,\n}\n");
	opstore_check(&store, "preferences.json", OLD_PREFERENCES);
	assert_false(tmpdir_has(&store.dir, "notes/editor.md"));
	assert_false(tmpdir_has(&store.dir, "notes/.kota-editor.md.tmp"));
	/* Behind the commit point it holds up its own part. */
	tmpdir_write(&store.dir, "relations.json", OLD_LINKS);
	fake_sys_reset(OPSTORE_NOW);
	fake_sys_die(FAKE_RENAMEAT2, 2, 99);
	assert_int_equal(fake_sys_in_child(opstore_change_in_child, &store), 99);
	fake_sys_reset(OPSTORE_NOW);
	tmpdir_write(&store.dir, "relations.json", "{");
	opstore_run(&store, NULL);
	opstore_check(&store, "preferences.json", NEW_PREFERENCES);
	opstore_check(&store, NOTE_PATH, NOTE);
	opstore_check_fails(&store, promote, "/relations.json can be read");
	tmpdir_write(&store.dir, "relations.json", OLD_LINKS);
	opstore_run(&store, NULL);
	assert_int_equal(state_of(&store), OPSTORE_NEW);
	tmpdir_remove(&store.dir);
}

/* What a person did to another link meanwhile stays, and what they did to ours is kept. */
static void test_hand_edits(void **state)
{
	struct opstore store;

	(void)state;
	make(&store);
	tmpdir_write(&store.dir, "relations.json",
		     "{\"old\": {\"from\":\"state:a\",\"to\":\"state:b\"},  \"x\":{}}");
	opstore_run(&store, promote);
	opstore_check(
		&store, "relations.json",
		"{\"x\":{},  \"new\":{\"from\":\"state:mood\",\"to\":\"preferences:editor\"}}");
	opstore_check_cold(&store, "\"category\":\"state\",\"key\":\"old@");
	opstore_check_cold(&store, "\"to\":\"state:b\"");
	tmpdir_remove(&store.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_it),
		cmocka_unit_test(test_order_of_calls),
		cmocka_unit_test(test_failing_calls),
		cmocka_unit_test(test_dying),
		cmocka_unit_test(test_dying_while_a_note_is_taken_away),
		cmocka_unit_test(test_a_note_that_somebody_changed),
		cmocka_unit_test(test_a_note_that_is_in_the_way),
		cmocka_unit_test(test_a_note_that_is_edited_before_the_redo),
		cmocka_unit_test(test_a_folder_that_is_none),
		cmocka_unit_test(test_a_redo_without_a_folder),
		cmocka_unit_test(test_broken_relations),
		cmocka_unit_test(test_hand_edits),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests_name("apply_links", tests, NULL, NULL);
}
