#include "git/guard.h"

#include "base/str.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static int note(void *context, enum config_path what, const char *value)
{
	static const char letters[] = {'i', 'p', 'w'};

	str_printf(context, "%c:%s|", letters[what], value);
	return 0;
}

static void check(const char *text, const char *expected)
{
	STR_AUTO found = STR_INIT;
	int result = config_paths(slice_of(text), note, &found);

	str_adds(&found, "");
	assert_int_equal(result, expected ? 0 : -1);
	if (expected)
		assert_string_equal(found.ptr, expected);
}

static void test_what_is_included(void **state)
{
	(void)state;
	check("[include]\n\tpath = a\n", "i:a|");
	check("[INCLUDE] PATH=a\n[core]\n\tpath = b", "i:a|");
	check("\xef\xbb\xbf[includeIf \"gitdir:~/x]\\\"/\"]\r\n\tpath = a b ; c\r\n", "i:a b|");
	check("[includeif.gitdir:x]\npath = a", NULL);
	check("[includeIf.x]\npath = a", "i:a|");
	check("[include]\n\tpath\n\tother = x\n[user]\n\tname = path\n", "");
	check("[diff \"path = x\"]\n# path = x\n", "");
}

static void test_files_with_patterns(void **state)
{
	(void)state;
	check("[core]\n\texcludesFile = ~/i\n\tAttributesfile = /a\n\tworktree = ../w\n",
	      "p:~/i|p:/a|w:../w|");
	check("[core \"x\"]\n\tbare = false\n", "");
}

static void test_values(void **state)
{
	(void)state;
	check("[include]path=\"a;b\"c#d\n", "i:a;bc|");
	check("[include]path = a\\\nb\n", "i:ab|");
	check("[include]path = a\\\r\nb\n", "i:ab|");
	check("[include]path = \"a \" \t\n", "i:a |");
	check("[include]path = a\\tb\\\\c\\\"\n", "i:a\tb\\c\"|");
	check("[include]path =\n", "");
}

static void test_what_is_no_configuration(void **state)
{
	(void)state;
	check("[include\n", NULL);
	check("[]\n", NULL);
	check("= a\n", NULL);
	check("[include]path = \"a\n", NULL);
	check("[include]path = a\\q\n", NULL);
	check("[include]path a\n", NULL);
	check("[x \"y\n\"]\n", NULL);
	assert_int_equal(config_paths(slice_make("[a]\0", 4), note, NULL), -1);
	check("", "");
}

static int stop(void *context, enum config_path what, const char *value)
{
	(void)what;
	(void)value;
	return ++*(int *)context;
}

static void test_the_visitor_may_end_it(void **state)
{
	int count = 0;

	(void)state;
	assert_int_equal(config_paths(slice_of("[include]path=a\npath=b\n"), stop, &count), 1);
	assert_int_equal(count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_included),
		cmocka_unit_test(test_files_with_patterns),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_what_is_no_configuration),
		cmocka_unit_test(test_the_visitor_may_end_it),
	};

	return cmocka_run_group_tests_name("config_paths", tests, NULL, NULL);
}
