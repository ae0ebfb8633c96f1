#include "cli/args/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char a[] = "a";
static char dir[] = "--dir";
static char dir_x[] = "--dir=/x=y";
static char json[] = "--json";
static char json_no[] = "--json=no";
static char help[] = "-h";
static char version[] = "--version";
static char end[] = "--";
static char dash[] = "-";
static char number[] = "-5";

static struct words words_of(char **list, int count)
{
	return (struct words){.list = list, .count = count};
}

static void test_at_option(void **state)
{
	char *list[] = {dash, number, a, json, end, json};
	struct words words = words_of(list, 6);

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_false(words_at_option(&words));
		assert_ptr_equal(words_next(&words), list[i]);
	}
	assert_true(words_at_option(&words));
	assert_ptr_equal(words_next(&words), json);
	assert_false(words_at_option(&words));
	assert_true(words.plain);
	assert_ptr_equal(words_peek(&words), json);
	assert_false(words_at_option(&words));
	words_next(&words);
	assert_null(words_next(&words));
	assert_null(words_peek(&words));
	assert_false(words_at_option(&words));
}

static void test_take(void **state)
{
	char *list[] = {dir_x, json, help, version, dir, json, a};
	struct words words = words_of(list, 7);
	struct options options = {0};
	struct err err;
	bool taken;

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(options_take(&options, &words, &taken, &err), 0);
		assert_true(taken);
	}
	assert_string_equal(options.dir, "/x=y");
	assert_true(options.json && options.help && options.version);
	assert_int_equal(options_take(&options, &words, &taken, &err), 0);
	assert_string_equal(options.dir, "--json");
	assert_int_equal(options_take(&options, &words, &taken, &err), 0);
	assert_false(taken);
	assert_ptr_equal(words_peek(&words), a);
}

static void test_wrong(void **state)
{
	char *list[] = {json_no, dir};
	struct words words = words_of(list, 2);
	struct options options = {0};
	struct err err;
	bool taken;

	(void)state;
	assert_int_equal(options_take(&options, &words, &taken, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, "--json takes no value");
	assert_false(options.json);
	assert_int_equal(options_take(&options, &words, &taken, &err), -1);
	assert_string_equal(err.text, "--dir needs a value");
	assert_null(options.dir);
}

static void test_split(void **state)
{
	struct option_text option = option_split("--a=b=c");

	(void)state;
	assert_true(slice_is(option.name, "--a"));
	assert_true(slice_is(option.value, "b=c"));
	option = option_split("--a");
	assert_true(slice_is(option.name, "--a"));
	assert_null(option.value.ptr);
	option = option_split("--a=");
	assert_true(slice_is(option.value, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_option),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
