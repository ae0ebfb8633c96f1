#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

static void test_add(void **unused)
{
	struct str s = STR_INIT;

	(void)unused;
	assert_string_equal(s.ptr, "");
	str_adds(&s, "ab");
	str_addc(&s, 'c');
	str_add(&s, slice_make("de", 1));
	assert_string_equal(s.ptr, "abcd");
	assert_int_equal(s.len, 4);
	str_release(&s);
	assert_string_equal(s.ptr, "");
	assert_int_equal(s.cap, 0);
}

static void test_adding_nothing_takes_nothing(void **unused)
{
	struct str s = STR_INIT;

	(void)unused;
	str_adds(&s, "");
	str_adds(&s, NULL);
	str_add(&s, slice_make(NULL, 0));
	str_printf(&s, "%s", "");
	assert_int_equal(s.cap, 0);
	assert_ptr_equal(s.ptr, str_empty);
}

static void test_holds_nul(void **unused)
{
	STR_AUTO s = STR_INIT;

	(void)unused;
	str_add(&s, slice_make("a\0b", 3));
	str_addc(&s, '\0');
	assert_int_equal(s.len, 4);
	assert_memory_equal(s.ptr, "a\0b\0", 5);
}

static void test_grows(void **unused)
{
	STR_AUTO s = STR_INIT;

	(void)unused;
	for (int i = 0; i < 1000; i++) {
		str_addc(&s, (char)('a' + i % 26));
		assert_true(s.cap > s.len);
		assert_int_equal(s.ptr[s.len], '\0');
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(s.ptr[i], 'a' + i % 26);
}

static void test_reserve(void **unused)
{
	STR_AUTO s = STR_INIT;
	char *before;

	(void)unused;
	str_adds(&s, "x");
	str_reserve(&s, 100);
	before = s.ptr;
	for (int i = 0; i < 100; i++)
		str_addc(&s, 'y');
	assert_ptr_equal(s.ptr, before);
	assert_int_equal(s.len, 101);
}

static void test_printf(void **unused)
{
	STR_AUTO s = STR_INIT;

	(void)unused;
	str_adds(&s, ">");
	str_printf(&s, "%d %s", 42, "words");
	assert_string_equal(s.ptr, ">42 words");
	str_printf(&s, "%500d", 7);
	assert_int_equal(s.len, 509);
	assert_int_equal(s.ptr[508], '7');
	assert_int_equal(s.ptr[509], '\0');
}

static void test_clear_and_truncate(void **unused)
{
	STR_AUTO s = STR_INIT;

	(void)unused;
	str_clear(&s);
	str_truncate(&s, 0);
	assert_string_equal(s.ptr, "");
	str_adds(&s, "abcdef");
	str_truncate(&s, 3);
	assert_string_equal(s.ptr, "abc");
	str_truncate(&s, 3);
	assert_int_equal(s.len, 3);
	str_clear(&s);
	assert_string_equal(s.ptr, "");
	assert_int_equal(s.len, 0);
	assert_true(s.cap > 0);
	assert_string_equal(str_empty, "");
}

static void test_detach(void **unused)
{
	struct str s = STR_INIT;
	char *bytes = str_detach(&s);

	(void)unused;
	assert_string_equal(bytes, "");
	free(bytes);
	str_adds(&s, "mine");
	bytes = str_detach(&s);
	assert_string_equal(bytes, "mine");
	assert_int_equal(s.len, 0);
	assert_string_equal(s.ptr, "");
	free(bytes);
}

static void test_slices_equal(void **unused)
{
	struct slice absent = slice_of(NULL);
	struct slice empty = slice_of("");

	(void)unused;
	assert_true(slice_equal(absent, absent));
	assert_true(slice_equal(empty, slice_make("x", 0)));
	assert_false(slice_equal(absent, empty));
	assert_false(slice_equal(empty, absent));
	assert_true(slice_is(slice_make("abc", 2), "ab"));
	assert_false(slice_is(slice_make("abc", 2), "abc"));
	assert_false(slice_is(slice_make("ab\0", 3), "ab"));
}

static void test_slices_compare(void **unused)
{
	(void)unused;
	assert_int_equal(slice_compare(slice_of("ab"), slice_of("ab")), 0);
	assert_true(slice_compare(slice_of("ab"), slice_of("abc")) < 0);
	assert_true(slice_compare(slice_of("abc"), slice_of("ab")) > 0);
	assert_true(slice_compare(slice_of("b"), slice_of("abc")) > 0);
	assert_true(slice_compare(slice_of("\x7f"), slice_of("\x80")) < 0);
	assert_int_equal(slice_compare(slice_of(""), slice_of(NULL)), 0);
}

static void test_slices_are_sorted(void **unused)
{
	struct slice list[] = {slice_of("b"), slice_of("ab"), slice_of("a")};

	(void)unused;
	qsort(list, 3, sizeof *list, slice_compare_elements);
	assert_true(slice_is(list[0], "a"));
	assert_true(slice_is(list[1], "ab"));
	assert_true(slice_is(list[2], "b"));
}

static void test_whole_slice(void **unused)
{
	STR_AUTO s = STR_INIT;

	(void)unused;
	assert_true(slice_is(str_slice(&s), ""));
	str_adds(&s, "ab");
	assert_true(slice_is(str_slice(&s), "ab"));
}

static void test_lines_are_taken_off_one_by_one(void **state)
{
	struct slice text = slice_of("a\n\nb");
	struct slice line;

	(void)state;
	assert_true(slice_line(&text, &line) && slice_is(line, "a"));
	assert_true(slice_line(&text, &line) && line.len == 0);
	assert_true(slice_line(&text, &line) && slice_is(line, "b"));
	assert_false(slice_line(&text, &line));
	text = slice_of("c\n");
	assert_true(slice_line(&text, &line) && slice_is(line, "c"));
	assert_false(slice_line(&text, &line));
	text = slice_of(NULL);
	assert_false(slice_line(&text, &line));
	assert_true(slice_is(slice_last_line(slice_of("a\nb c \r\n\n")), "b c"));
	assert_true(slice_is(slice_last_line(slice_of("a")), "a"));
	assert_int_equal(slice_last_line(slice_of(" \n")).len, 0);
}

static void test_slices_start_and_end(void **state)
{
	(void)state;
	assert_true(slice_starts(slice_of("abc"), "ab") && slice_starts(slice_of("abc"), "abc"));
	assert_true(slice_starts(slice_of("abc"), "") && slice_ends(slice_of(""), ""));
	assert_false(slice_starts(slice_of("ab"), "abc") || slice_starts(slice_of("abc"), "b"));
	assert_true(slice_ends(slice_of("abc"), "bc") && slice_ends(slice_of("abc"), "abc"));
	assert_false(slice_ends(slice_of("bc"), "abc") || slice_ends(slice_of("abc"), "b"));
}

static void test_a_word_of_the_shell(void **state)
{
	STR_AUTO s = STR_INIT;

	(void)state;
	str_add_shell_word(&s, slice_of("/usr/bin/kota-1.0"));
	str_add_shell_word(&s, slice_of(" "));
	str_add_shell_word(&s, slice_of("it's $HOME"));
	str_add_shell_word(&s, slice_of(""));
	assert_string_equal(s.ptr, "/usr/bin/kota-1.0' ''it'\\''s $HOME'''");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_adding_nothing_takes_nothing),
		cmocka_unit_test(test_holds_nul),
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_reserve),
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_clear_and_truncate),
		cmocka_unit_test(test_detach),
		cmocka_unit_test(test_slices_equal),
		cmocka_unit_test(test_slices_compare),
		cmocka_unit_test(test_slices_are_sorted),
		cmocka_unit_test(test_whole_slice),
		cmocka_unit_test(test_lines_are_taken_off_one_by_one),
		cmocka_unit_test(test_slices_start_and_end),
		cmocka_unit_test(test_a_word_of_the_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
