#include "cli/term/paint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *no_color_value;
static const char *term_value;
static const char *force_value;

static const char *look_up(const char *name)
{
	if (strcmp(name, "NO_COLOR") == 0)
		return no_color_value;
	if (strcmp(name, "CLICOLOR_FORCE") == 0)
		return force_value;
	return strcmp(name, "TERM") == 0 ? term_value : NULL;
}

static bool coloured(bool terminal, const char *no_color, const char *term)
{
	struct cli cli = {.env = look_up, .out_is_terminal = terminal};
	struct paint paint;

	no_color_value = no_color;
	term_value = term;
	paint = paint_for(&cli);
	assert_int_equal(paint.strong[0] != '\0', paint.plain[0] != '\0');
	return paint.strong[0] != '\0';
}

static void test_when(void **state)
{
	(void)state;
	assert_true(coloured(true, NULL, "xterm"));
	assert_true(coloured(true, "", "xterm"));
	assert_false(coloured(true, "1", "xterm"));
	assert_false(coloured(true, NULL, "dumb"));
	assert_false(coloured(true, NULL, ""));
	assert_false(coloured(true, NULL, NULL));
	assert_false(coloured(false, NULL, "xterm"));
	/* Into a pager. */
	force_value = "1";
	assert_true(coloured(false, NULL, NULL));
	assert_false(coloured(false, "1", "xterm"));
	force_value = "0";
	assert_false(coloured(false, NULL, "xterm"));
	assert_true(coloured(true, NULL, "xterm"));
	force_value = NULL;
}

static void test_add(void **state)
{
	static const struct paint paint = {"<s>", "<f>", "<w>", "</>"};
	struct str out = STR_INIT;

	(void)state;
	paint_add(&out, &paint, paint.warn, slice_of("a\x1b\nb"));
	paint_add(&out, &paint, "", slice_of("c"));
	assert_string_equal(out.ptr, "<w>a\\x1b\\x0ab</>c");
	str_release(&out);
}

static void check_fitted(const char *text, int columns, const char *expected)
{
	STR_AUTO out = STR_INIT;

	paint_add_fitted(&out, slice_of(text), columns);
	assert_string_equal(out.ptr, expected);
}

static void test_fitted(void **state)
{
	(void)state;
	check_fitted("abcde\n\nabcdef", 5, "abcde\n\nabcd\xe2\x80\xa6");
	check_fitted("\x1b[1mabcde\x1b[0m\n", 5, "\x1b[1mabcde\x1b[0m\n");
	/* What is cut gets its colour back to normal all the same. */
	check_fitted("\x1b[1mabcdef\x1b[0m\n", 5, "\x1b[1mabcd\x1b[0m\xe2\x80\xa6\n");
	check_fitted("\xe5\x81\x8f\xe5\xa5\xbd\xe5\xa5\xbd\n", 5,
		     "\xe5\x81\x8f\xe5\xa5\xbd\xe2\x80\xa6\n");
	check_fitted("ab\n", 0, "\xe2\x80\xa6\n");
	check_fitted("", 5, "");
}

static void test_json(void **state)
{
	struct cli cli = {.env = look_up};
	struct str out = STR_INIT;

	(void)state;
	paint_add_json(&out, &cli, slice_of("\"\x7f\""));
	cli.out_is_terminal = true;
	paint_add_json(&out, &cli, slice_of("\"\x7f\""));
	assert_string_equal(out.ptr, "\"\x7f\"\"\\u007f\"");
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_fitted),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
