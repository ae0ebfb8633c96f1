#include "cli/term/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct paint plain = {"", "", "", ""};

/* Prints a table of two columns; the cells are ended by NULL. */
static void print(struct str *out, int width, const char *const *cells)
{
	struct table table = {.columns = 2, .flexible = 1};

	str_clear(out);
	for (; *cells; cells++)
		table_add(&table, slice_of(*cells));
	table_print(&table, width, &plain, out);
	table_release(&table);
	assert_int_equal(table.count, 0);
}

static void test_fits(void **state)
{
	static const char *const cells[] = {"A", "B", "long one", "x", "s", "", NULL};
	struct str out = STR_INIT;

	(void)state;
	print(&out, 80, cells);
	assert_string_equal(out.ptr, "A         B\nlong one  x\ns         \n");
	str_release(&out);
}

static void test_cut(void **state)
{
	static const char *const cells[] = {"A", "B", "a", "0123456789abcdefghij", NULL};
	struct str out = STR_INIT;

	(void)state;
	print(&out, 23, cells);
	assert_string_equal(out.ptr, "A  B\na  0123456789abcdefghij\n");
	print(&out, 22, cells);
	assert_string_equal(out.ptr, "A  B\na  0123456789abcdefgh\xe2\x80\xa6\n");
	/* Narrower than twelve columns it gets only when there is nothing else to cut. */
	print(&out, 14, cells);
	assert_string_equal(out.ptr, "A  B\na  0123456789\xe2\x80\xa6\n");
	print(&out, 4, cells);
	assert_string_equal(out.ptr, "A  B\na  \xe2\x80\xa6\n");
	print(&out, 3, cells);
	assert_string_equal(out.ptr, "A  \na  \n");
	print(&out, 1, cells);
	assert_string_equal(out.ptr, "A\na\n");
	print(&out, -1, cells);
	assert_string_equal(out.ptr, "A\na\n");
	str_release(&out);
}

/* Characters of two columns: never half of one, and what follows still lines up. */
static void test_wide(void **state)
{
	struct table table = {.columns = 2, .flexible = 0};
	struct str out = STR_INIT;

	(void)state;
	table_add(&table, slice_of("\xe5\x81\x8f\xe5\xa5\xbd"));
	table_add(&table, slice_of("x"));
	table_add(&table, slice_of("abcdefghijk\xe5\x81\x8f\xe5\xa5\xbd"));
	table_add(&table, slice_of("y"));
	table_print(&table, 15, &plain, &out);
	assert_string_equal(out.ptr, "\xe5\x81\x8f\xe5\xa5\xbd          x\n"
				     "abcdefghijk\xe2\x80\xa6  y\n");
	table_release(&table);
	str_release(&out);
}

/* The flexible column first, then the widest, so that the narrow ones stay whole. */
static void test_which_column_is_cut(void **state)
{
	static const char *const cells[] = {"abcdefghijklmnop", "id", "ABCDEFGHIJKLMNOPQRST", NULL};
	static const struct {
		int width;
		const char *line;
	} cases[] = {
		{42, "abcdefghijklmnop  id  ABCDEFGHIJKLMNOPQRST\n"},
		{41, "abcdefghijklmnop  id  ABCDEFGHIJKLMNOPQR\xe2\x80\xa6\n"},
		{34, "abcdefghijklmnop  id  ABCDEFGHIJK\xe2\x80\xa6\n"},
		{31, "abcdefghijkl\xe2\x80\xa6  id  ABCDEFGHIJK\xe2\x80\xa6\n"},
		{20, "abcdef\xe2\x80\xa6  id  ABCDEF\xe2\x80\xa6\n"},
		{9, "\xe2\x80\xa6  id  A\xe2\x80\xa6\n"},
	};
	STR_AUTO out = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct table table = {.columns = 3, .flexible = 2};

		str_clear(&out);
		for (const char *const *cell = cells; *cell; cell++)
			table_add(&table, slice_of(*cell));
		table_print(&table, cases[i].width, &plain, &out);
		table_release(&table);
		assert_string_equal(out.ptr, cases[i].line);
	}
}

/* A family is cut between its members, and the last one is not joined to the ellipsis. */
static void test_joined(void **state)
{
	static const char *const cells[] = {"A",
					    "0123456789\xf0\x9f\x91\xa9\xe2\x80\x8d"
					    "\xf0\x9f\x91\xa7\xe2\x80\x8d\xf0\x9f\x91\xa6",
					    NULL};
	STR_AUTO out = STR_INIT;

	(void)state;
	print(&out, 17, cells);
	assert_string_equal(out.ptr, "A  0123456789\xf0\x9f\x91\xa9\xe2\x80\xa6\n");
}

static void test_made_visible(void **state)
{
	static const char *const cells[] = {"\x1b[2J", "a\nb", NULL};
	struct str out = STR_INIT;

	(void)state;
	print(&out, 80, cells);
	assert_string_equal(out.ptr, "\\x1b[2J  a\\x0ab\n");
	str_release(&out);
}

static void test_heading_is_faint(void **state)
{
	static const struct paint faint = {"<s>", "<f>", "<w>", "</>"};
	struct table table = {.columns = 1};
	struct str out = STR_INIT;

	(void)state;
	table_add(&table, slice_of("A"));
	table_add(&table, slice_of("b"));
	table_print(&table, 80, &faint, &out);
	assert_string_equal(out.ptr, "<f>A</>\nb\n");
	table_release(&table);
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_which_column_is_cut),
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_made_visible),
		cmocka_unit_test(test_heading_is_faint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
