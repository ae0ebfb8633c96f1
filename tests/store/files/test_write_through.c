#include "store/files/write_through.h"

#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#define TEXT "{\"a\": 1}"

static void note(struct write_through *written, ino_t ino)
{
	struct str text = STR_INIT;
	struct json_fault fault;
	struct json doc;

	str_adds(&text, TEXT);
	assert_int_equal(json_parse(&doc, str_slice(&text), &json_file_bounds, &fault), 0);
	write_through_note(written, ino, &text, &doc);
	assert_int_equal(text.len, 0);
	assert_null(doc.nodes);
}

static void what_was_written_is_handed_out_once(void **state)
{
	const struct file_id id = {.present = true, .ino = 7, .size = sizeof TEXT - 1};
	struct write_through written = {.known = false};
	struct str text = STR_INIT;
	struct json doc;

	(void)state;
	note(&written, 6);
	note(&written, 7);
	assert_true(write_through_take(&written, &id, &text, &doc));
	assert_string_equal(text.ptr, TEXT);
	assert_ptr_equal(doc.text.ptr, text.ptr);
	assert_false(write_through_take(&written, &id, &text, &doc));
	json_release(&doc);
	str_release(&text);
}

static void another_file_is_not_taken_for_it(void **state)
{
	static const struct file_id others[] = {
		{.present = false, .ino = 7, .size = sizeof TEXT - 1},
		{.present = true, .ino = 8, .size = sizeof TEXT - 1},
		{.present = true, .ino = 7, .size = sizeof TEXT},
	};
	struct write_through written = {.known = false};
	struct str text = STR_INIT;
	struct json doc;

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		note(&written, 7);
		assert_false(write_through_take(&written, &others[i], &text, &doc));
		assert_false(written.known);
	}
	note(&written, 7);
	write_through_forget(&written);
}

static void check_value(struct teststore *t, const char *key, const char *expected)
{
	char *value = teststore_value(t, CATEGORY_STATE, key);

	assert_string_equal(value, expected);
	free(value);
}

static void a_change_does_not_read_what_it_wrote(void **state)
{
	struct teststore t;
	size_t written_at;

	(void)state;
	teststore_open(&t);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "1", NULL), ERR_NONE);
	fake_sys_clear_trace();
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "2", NULL), ERR_NONE);
	written_at = fake_sys_at(FAKE_RENAMEAT2, ".state.json.tmp", 0);
	assert_int_not_equal(written_at, SIZE_MAX);
	assert_int_equal(fake_sys_at(FAKE_OPENAT, "state.json", written_at), SIZE_MAX);
	check_value(&t, "a", "2");
	teststore_close(&t);
}

/* Within one step of the clock, and of the same length: its stat does not tell. */
static void an_edit_right_after_is_seen(void **state)
{
	struct teststore t;
	char *text;

	(void)state;
	teststore_open(&t);
	assert_int_equal(teststore_set(&t, CATEGORY_STATE, "a", "11111", NULL), ERR_NONE);
	text = tmpdir_read(&t.dir, "state.json");
	*strstr(text, "11111") = '2';
	tmpdir_write(&t.dir, "state.json", text);
	free(text);
	check_value(&t, "a", "21111");
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_handed_out_once),
		cmocka_unit_test(another_file_is_not_taken_for_it),
		cmocka_unit_test(a_change_does_not_read_what_it_wrote),
		cmocka_unit_test(an_edit_right_after_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
