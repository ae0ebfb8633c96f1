#include "store/history/pending.h"

#include "store/open/store.h"
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

	teststore_open(t);
	teststore_mark(&t->dir);
	teststore_reopen(t);
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

static void append(struct teststore *t, const char *change)
{
	static const struct op ops[] = {
		{.kind = OP_PUT,
		 .category = CATEGORY_STATE,
		 .key = {"a\n", 2},
		 .text = {"{\"value\":1}", 11},
		 .before = 7,
		 .at_ms = 5},
		{.kind = OP_REMOVE, .category = CATEGORY_STATE, .key = {"b", 1}},
	};
	struct pending_line line = {.change = slice_of(change),
				    .at_ms = 1,
				    .tool = slice_of("memory_set"),
				    .file = slice_of("state.json"),
				    .ops = ops,
				    .op_count = 2};
	struct err err;
	off_t length;

	if (pending_append(store_disk(t->store), &line, &length, &err) != 0)
		fail_msg("%s", err.text);
}

static void read_all(struct teststore *t, struct pending *out)
{
	struct err err;

	if (pending_read(out, store_disk(t->store), &err) != 0)
		fail_msg("%s", err.text);
}

static void test_a_line_has_its_operations_and_whether_it_is_made(void **state)
{
	struct teststore *t = *state;
	struct pending pending;
	struct err err;

	append(t, "one");
	append(t, "two");
	assert_int_equal(pending_done(store_disk(t->store), slice_of("one"), &err), 0);
	for (int again = 0; again < 2; again++) {
		read_all(t, &pending);
		assert_int_equal(pending.count, 2);
		assert_true(pending.lines[0].done);
		assert_false(pending.lines[1].done);
		assert_int_equal(pending.lines[1].op_count, 2);
		assert_true(slice_is(pending.lines[1].ops[0].key, "a\n"));
		assert_true(slice_is(pending.lines[1].ops[0].text, "{\"value\":1}"));
		assert_int_equal(pending.lines[1].ops[0].before, 7);
		assert_int_equal(pending.lines[1].ops[1].kind, OP_REMOVE);
		/* What stays is written anew, with all of it. */
		pending.lines[0].stays = pending.lines[1].stays = true;
		assert_int_equal(pending_clear(store_disk(t->store), &pending, &err), 0);
		pending_release(&pending);
	}
}

/* A full disk, or a kill in the middle of a line. */
static void test_half_a_line_does_not_take_the_next_with_it(void **state)
{
	struct teststore *t = *state;
	struct pending pending;
	STR_AUTO text = STR_INIT;
	char *whole;

	append(t, "one");
	whole = tmpdir_read(&t->dir, ".pending");
	str_printf(&text, "%s{\"change\":\"half", whole);
	tmpdir_write(&t->dir, ".pending", text.ptr);
	free(whole);
	append(t, "two");
	read_all(t, &pending);
	assert_int_equal(pending.count, 2);
	assert_true(slice_is(pending.lines[1].change, "two"));
	pending_release(&pending);
}

/* `cp -al` makes a copy that shares the file: what is written here is none of its business. */
static void test_a_copy_by_hard_link_keeps_its_own(void **state)
{
	struct teststore *t = *state;
	struct pending pending;
	char *before;
	char *after;

	append(t, "one");
	assert_int_equal(linkat(t->dir.fd, ".pending", t->dir.fd, "copy", 0), 0);
	before = tmpdir_read(&t->dir, "copy");
	append(t, "two");
	after = tmpdir_read(&t->dir, "copy");
	assert_string_equal(before, after);
	free(before);
	free(after);
	read_all(t, &pending);
	assert_int_equal(pending.count, 2);
	pending_release(&pending);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_a_line_has_its_operations_and_whether_it_is_made),
		TEST(test_half_a_line_does_not_take_the_next_with_it),
		TEST(test_a_copy_by_hard_link_keeps_its_own),
	};

	return cmocka_run_group_tests_name("pending", tests, NULL, NULL);
}
