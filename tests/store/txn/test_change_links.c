/* Links and notes in a change, as operations ask for them. */
#include "store/txn/undo.h"
#include "store/view/relations.h"
#include "support/teststore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/stat.h>

static const struct change_meta meta = {.tool = "memory_relate", .session = "s1"};

static void begin(struct teststore *t, struct change **change)
{
	struct err err;

	if (change_begin(change, t->store, &meta, fake_sys_now(), &err) != 0)
		fail_msg("%s", err.text);
}

static void commit(struct change *change)
{
	struct err err;

	if (change_commit(change, NULL, &err) != 0)
		fail_msg("%s", err.text);
	change_end(change);
}

static enum err_code try_relate(struct change *change, const char *from, const char *to,
				enum relation_type type, struct slice *id)
{
	const struct relation relation = {
		.from = slice_of(from),
		.to = slice_of(to),
		.type = type,
		.strength = 0.5,
		.created_ms = TIME_NONE,
	};
	struct err err;

	return change_relate(change, &relation, id, &err) == 0 ? ERR_NONE : err.code;
}

static void relate(struct teststore *t, const char *from, const char *to, enum relation_type type)
{
	struct change *change;
	struct slice id;

	begin(t, &change);
	assert_int_equal(try_relate(change, from, to, type, &id), ERR_NONE);
	commit(change);
}

/* "state:a>state:b state:b>state:c", those that are hidden in brackets. */
static void assert_links(struct teststore *t, const char *expected)
{
	const struct link *links;
	STR_AUTO text = STR_INIT;
	struct err err;
	size_t count;

	teststore_refresh(t);
	assert_int_equal(store_links(t->store, &links, &count, &err), 0);
	for (size_t i = 0; i < count; i++)
		str_printf(&text, "%s%s%.*s>%.*s%s", i ? " " : "", links[i].shown ? "" : "(",
			   (int)links[i].from.len, links[i].from.ptr, (int)links[i].to.len,
			   links[i].to.ptr, links[i].shown ? "" : ")");
	assert_string_equal(text.ptr, expected);
}

static void open_abc(struct teststore *t)
{
	teststore_open(t);
	teststore_set(t, CATEGORY_STATE, "a", "1", NULL);
	teststore_set(t, CATEGORY_STATE, "b", "2", NULL);
	teststore_set(t, CATEGORY_PREFERENCES, "c", "3", NULL);
}

static void a_link_is_there_for_the_next_process(void **state)
{
	struct teststore t;
	char *text;

	(void)state;
	open_abc(&t);
	relate(&t, "state:a", "state:b", RELATION_SUPPORTS);
	teststore_reopen(&t);
	assert_links(&t, "state:a>state:b");
	text = tmpdir_read(&t.dir, "relations.json");
	assert_non_null(strstr(text, "  \"rel-"));
	assert_non_null(strstr(text, "\"created_at\": \"2026-11-21T"));
	free(text);
	teststore_close(&t);
}

static void the_same_link_is_made_once(void **state)
{
	struct teststore t;
	struct change *change;
	struct slice first;
	struct slice second;
	struct slice other;

	(void)state;
	open_abc(&t);
	begin(&t, &change);
	assert_int_equal(try_relate(change, "state:a", "state:b", RELATION_RELATED, &first), 0);
	assert_int_equal(try_relate(change, "state:a", "state:b", RELATION_RELATED, &second), 0);
	assert_int_equal(try_relate(change, "state:a", "state:b", RELATION_CAUSES, &other), 0);
	assert_true(slice_equal(first, second));
	assert_false(slice_equal(first, other));
	commit(change);
	relate(&t, "state:a", "state:b", RELATION_RELATED);
	assert_links(&t, "state:a>state:b state:a>state:b");
	teststore_close(&t);
}

static void an_id_that_is_taken_gets_a_number(void **state)
{
	struct teststore t;
	struct change *change;
	STR_AUTO id = STR_INIT;
	STR_AUTO text = STR_INIT;
	struct slice given;

	(void)state;
	open_abc(&t);
	relation_id(&id, slice_of("state:a"), slice_of("state:b"), RELATION_RELATED, 1);
	str_printf(&text, "{\"%s\": \"no link\"}", id.ptr);
	tmpdir_write(&t.dir, "relations.json", text.ptr);
	begin(&t, &change);
	assert_int_equal(try_relate(change, "state:a", "state:b", RELATION_RELATED, &given), 0);
	str_adds(&id, "-2");
	assert_true(slice_equal(given, str_slice(&id)));
	commit(change);
	assert_links(&t, "state:a>state:b");
	teststore_close(&t);
}

static void what_makes_no_link(void **state)
{
	struct teststore t;
	struct change *change;
	struct relation large = {
		.from = slice_of("state:a"), .to = slice_of("state:b"), .created_ms = TIME_NONE};
	STR_AUTO text = STR_INIT;
	struct slice id;
	struct err err;

	(void)state;
	open_abc(&t);
	begin(&t, &change);
	assert_int_equal(try_relate(change, "state:a", "state:a", RELATION_RELATED, &id),
			 ERR_BAD_VALUE);
	str_printf(&text, "{\"x\":\"%04096d\"}", 1);
	large.metadata = str_slice(&text);
	assert_int_equal(change_relate(change, &large, &id, &err), -1);
	assert_int_equal(err.code, ERR_TOO_LARGE);
	assert_int_equal(change_unrelate(change, slice_of("rel-x"), &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	change_end(change);
	tmpdir_write(&t.dir, "relations.json", "{,}");
	begin(&t, &change);
	assert_int_equal(try_relate(change, "state:a", "state:b", RELATION_RELATED, &id),
			 ERR_BAD_DATA);
	change_end(change);
	teststore_close(&t);
}

/* Links wait for the entries that they are about, whatever became of them. */
static void a_link_is_hidden_while_its_entry_is_away(void **state)
{
	struct teststore t;

	(void)state;
	open_abc(&t);
	relate(&t, "state:a", "preferences:c", RELATION_RELATED);
	teststore_archive(&t, CATEGORY_STATE, "a", REASON_EVICTED);
	assert_links(&t, "(state:a>preferences:c)");
	teststore_set(&t, CATEGORY_STATE, "A", "1", NULL);
	assert_links(&t, "state:A>preferences:c");
	teststore_close(&t);
}

static void a_link_that_is_taken_out_leaves_the_rest(void **state)
{
	static const char before[] = "{\"x\" : {\"from\":\"a\", \"to\":\"b\"},\n"
				     " \"y\":  {\"from\":\"b\", \"to\":\"c\", \"mine\": 1e2}}";
	struct teststore t;
	struct change *change;
	struct err err;
	char *text;

	(void)state;
	open_abc(&t);
	tmpdir_write(&t.dir, "relations.json", before);
	begin(&t, &change);
	assert_int_equal(change_unrelate(change, slice_of("x"), &err), 0);
	assert_int_equal(change_unrelate(change, slice_of("x"), &err), -1);
	commit(change);
	text = tmpdir_read(&t.dir, "relations.json");
	assert_string_equal(text, "{\"y\":  {\"from\":\"b\", \"to\":\"c\", \"mine\": 1e2}}");
	free(text);
	assert_links(&t, "state:b>preferences:c");
	teststore_close(&t);
}

static void links_follow_their_entries(void **state)
{
	struct teststore t;
	struct change *change;
	struct slice id;
	struct err err;
	char *text;

	(void)state;
	open_abc(&t);
	tmpdir_write(&t.dir, "relations.json",
		     "{\"1\": {\"from\":\"a\",\"to\":\"c\",\"mine\":1.0},\n"
		     "\"2\": {\"from\":\"b\",\"to\":\"c\"},\n"
		     "\"3\": {\"from\":\"a\",\"to\":\"b\"},\n"
		     "\"4\": {\"from\":\"a\",\"to\":\"b\",\"type\":\"causes\"},\n"
		     "\"5\": {\"from\":\"c\",\"to\":\"state:A\"}}");
	begin(&t, &change);
	assert_int_equal(try_relate(change, "state:a", "state:b", RELATION_SUPPORTS, &id), 0);
	assert_int_equal(change_repoint(change, slice_of("state:a"), slice_of("state:b"), &err), 0);
	assert_int_equal(try_relate(change, "state:b", "state:a", RELATION_CONSOLIDATED_FROM, &id),
			 0);
	commit(change);
	/* The first says what the second does, those between the two lead nowhere any more. */
	assert_links(&t, "state:b>preferences:c preferences:c>state:b state:b>state:a");
	text = tmpdir_read(&t.dir, "relations.json");
	assert_null(strstr(text, "\"1\""));
	assert_non_null(strstr(text, "\"2\": {\"from\":\"b\",\"to\":\"c\"}"));
	assert_non_null(strstr(text, "\"5\": {\"from\":\"c\",\"to\":\"state:b\"}"));
	free(text);
	teststore_close(&t);
}

static void a_link_may_move_twice(void **state)
{
	struct teststore t;
	struct change *change;
	struct err err;

	(void)state;
	open_abc(&t);
	relate(&t, "state:a", "preferences:c", RELATION_RELATED);
	begin(&t, &change);
	assert_int_equal(change_repoint(change, slice_of("state:a"), slice_of("state:n"), &err), 0);
	assert_int_equal(change_repoint(change, slice_of("state:n"), slice_of("state:b"), &err), 0);
	commit(change);
	assert_links(&t, "state:b>preferences:c");
	teststore_close(&t);
}

static enum err_code note(struct change *change, const char *stem, const char *text,
			  struct slice *file)
{
	struct err err;

	return change_note(change, CATEGORY_STATE, slice_of(stem), slice_of(text), file, &err) == 0
		       ? ERR_NONE
		       : err.code;
}

static void assert_file(struct teststore *t, const char *name, const char *expected)
{
	char *text = tmpdir_read(&t->dir, name);

	if (expected)
		assert_string_equal(text ? text : "(none)", expected);
	else
		assert_null(text);
	free(text);
}

static void a_note_gets_a_name_of_its_own(void **state)
{
	struct teststore t;
	struct change *change;
	struct slice file;
	struct stat st;

	(void)state;
	open_abc(&t);
	assert_int_equal(mkdirat(t.dir.fd, "notes", 0700), 0);
	tmpdir_write(&t.dir, "notes/plan.md", "mine");
	begin(&t, &change);
	assert_int_equal(note(change, "plan", "one", &file), ERR_NONE);
	assert_true(slice_is(file, "plan-2.md"));
	assert_int_equal(note(change, "plan", "two", &file), ERR_NONE);
	assert_true(slice_is(file, "plan-3.md"));
	commit(change);
	assert_file(&t, "notes/plan.md", "mine");
	assert_file(&t, "notes/plan-2.md", "one");
	assert_file(&t, "notes/plan-3.md", "two");
	assert_int_equal(fstatat(t.dir.fd, "notes/plan-2.md", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	teststore_close(&t);
}

static void a_change_that_is_not_made_makes_no_note(void **state)
{
	static const char *const stems[] = {"", " ", ".x", "a/b", "..", "\xff"};
	struct teststore t;
	struct change *change;
	struct slice file;

	(void)state;
	open_abc(&t);
	begin(&t, &change);
	assert_int_equal(note(change, "plan", "one", &file), ERR_NONE);
	for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
		assert_int_equal(note(change, stems[i], "x", &file), ERR_BAD_VALUE);
	change_end(change);
	assert_false(tmpdir_has(&t.dir, "notes"));
	teststore_close(&t);
}

static void a_note_goes_while_it_is_what_was_written(void **state)
{
	struct teststore t;
	struct change *change;
	struct slice file;
	struct err err;
	bool stays;

	(void)state;
	open_abc(&t);
	begin(&t, &change);
	note(change, "one", "text", &file);
	note(change, "two", "text", &file);
	commit(change);
	tmpdir_write(&t.dir, "notes/two.md", "text and mine");
	begin(&t, &change);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"one.md", "two.md", "three.md"};

		assert_int_equal(undo_note(change, slice_of(names[i]), slice_of(NULL),
					   slice_of("text"), &stays, &err),
				 0);
	}
	commit(change);
	assert_file(&t, "notes/one.md", NULL);
	assert_file(&t, "notes/two.md", "text and mine");
	teststore_close(&t);
}

/* Only the person's own settings lead out of the store; a folder there must be there. */
static void notes_go_where_the_person_says(void **state)
{
	struct teststore t;
	struct tmpdir vault;
	struct change *change;
	struct slice file;
	struct err err;
	STR_AUTO text = STR_INIT;

	(void)state;
	open_abc(&t);
	tmpdir_make(&vault);
	str_printf(&text, "{\"notes_dir\": \"%s\"}", vault.path);
	tmpdir_write(&t.dir, "config.json", text.ptr);
	assert_int_equal(change_begin(&change, t.store, &meta, fake_sys_now(), &err), -1);
	tmpdir_write(&t.dir, "config.json", "{\"notes_dir\": \"my/notes\"}");
	begin(&t, &change);
	assert_int_equal(note(change, "one", "text", &file), ERR_NONE);
	commit(change);
	assert_file(&t, "my/notes/one.md", "text");
	assert_int_equal(tmpdir_count(&vault), 0);
	tmpdir_remove(&vault);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_is_there_for_the_next_process),
		cmocka_unit_test(the_same_link_is_made_once),
		cmocka_unit_test(an_id_that_is_taken_gets_a_number),
		cmocka_unit_test(what_makes_no_link),
		cmocka_unit_test(a_link_is_hidden_while_its_entry_is_away),
		cmocka_unit_test(a_link_that_is_taken_out_leaves_the_rest),
		cmocka_unit_test(links_follow_their_entries),
		cmocka_unit_test(a_link_may_move_twice),
		cmocka_unit_test(a_note_gets_a_name_of_its_own),
		cmocka_unit_test(a_change_that_is_not_made_makes_no_note),
		cmocka_unit_test(a_note_goes_while_it_is_what_was_written),
		cmocka_unit_test(notes_go_where_the_person_says),
	};

	tmpdir_in_memory();
	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests_name("change_links", tests, NULL, NULL);
}
