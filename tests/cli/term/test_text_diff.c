#include "cli/term/text_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check(const char *before, const char *after, const char *expected)
{
	const struct paint plain = {"", "", "", ""};
	STR_AUTO out = STR_INIT;

	str_adds(&out, "");
	text_diff_add(&out, "> ", slice_of(before), slice_of(after), &plain);
	assert_string_equal(out.ptr, expected);
}

static void lines_that_went_and_came_stand_among_those_that_stayed(void **state)
{
	(void)state;
	check("a", "b", "> - a\n> + b\n");
	check(NULL, "b", "> + b\n");
	check("a", NULL, "> - a\n");
	check(NULL, NULL, "");
	check("a\nb\nc", "a\nx\nc", ">   a\n> - b\n> + x\n>   c\n");
	check("a\nb", "b\na", "> - a\n>   b\n> + a\n");
}

static void what_is_far_from_a_difference_is_left_out(void **state)
{
	(void)state;
	check("1\n2\n3\n4\n5\n6\n7", "1\n2\n3\nx\n5\n6\n7",
	      ">   ...\n>   2\n>   3\n> - 4\n> + x\n>   5\n>   6\n>   ...\n");
}

static void nothing_of_it_acts_on_a_terminal(void **state)
{
	(void)state;
	check("a\x1b[2J", "\xe2\x80\xae", "> - a\\x1b[2J\n> + \\u{202e}\n");
}

static void texts_too_long_to_be_aligned_differ_as_a_whole(void **state)
{
	const struct paint plain = {"", "", "", ""};
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	size_t lines = 0;

	(void)state;
	for (int i = 0; i < 2000; i++)
		str_adds(&text, "\n");
	text_diff_add(&out, "", str_slice(&text), str_slice(&text), &plain);
	for (size_t i = 0; i < out.len; i++)
		lines += out.ptr[i] == '\n';
	assert_int_equal(lines, 2 * 2001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_went_and_came_stand_among_those_that_stayed),
		cmocka_unit_test(what_is_far_from_a_difference_is_left_out),
		cmocka_unit_test(nothing_of_it_acts_on_a_terminal),
		cmocka_unit_test(texts_too_long_to_be_aligned_differ_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
