#include "store/log/undo_marks.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#define LINE "{\"a\":1}"
#define TAKEN_BACK "{\"void\":{\"a\":1}}"

static void check_opposite(const char *line, const char *expected)
{
	STR_AUTO out = STR_INIT;

	undo_mark_opposite(&out, slice_of(line));
	assert_string_equal(out.ptr, expected);
}

static void a_line_and_what_takes_it_back(void **state)
{
	(void)state;
	check_opposite(LINE, TAKEN_BACK);
	check_opposite(TAKEN_BACK, LINE);
	assert_true(undo_mark_is(slice_of(TAKEN_BACK)));
	assert_false(undo_mark_is(slice_of(LINE)));
	assert_false(undo_mark_is(slice_of("{\"void\":")));
	assert_false(undo_mark_is(slice_of("")));
}

static void the_later_one_counts(void **state)
{
	(void)state;
	assert_int_equal(undo_mark_last(slice_of(""), slice_of(LINE)), 0);
	assert_int_equal(undo_mark_last(slice_of("x\n"), slice_of(LINE)), 0);
	assert_int_equal(undo_mark_last(slice_of(LINE "\n"), slice_of(LINE)), 1);
	assert_int_equal(undo_mark_last(slice_of(LINE "\n" TAKEN_BACK "\n"), slice_of(LINE)), -1);
	assert_int_equal(undo_mark_last(slice_of(LINE "\n" TAKEN_BACK "\n"), slice_of(TAKEN_BACK)),
			 1);
	assert_int_equal(undo_mark_last(slice_of(LINE "\n" TAKEN_BACK "\n" LINE), slice_of(LINE)),
			 1);
}

static void a_mark_is_found_anywhere_in_a_text(void **state)
{
	(void)state;
	assert_false(undo_mark_any(slice_of(LINE)));
	assert_true(undo_mark_any(slice_of("x" TAKEN_BACK)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_and_what_takes_it_back),
		cmocka_unit_test(the_later_one_counts),
		cmocka_unit_test(a_mark_is_found_anywhere_in_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
