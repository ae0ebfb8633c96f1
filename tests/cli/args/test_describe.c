#include "cli/args/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const colours[] = {"red", "green", NULL};

static const struct param key = {.name = "mainKey",
				 .type = PARAM_TEXT,
				 .flags = PARAM_REQUIRED | PARAM_POSITIONAL,
				 .help = "a key"};
static const struct param texts = {.name = "tags", .type = PARAM_TEXTS};
static const struct param colour = {.name = "colour",
				    .type = PARAM_CHOICE,
				    .choices = colours,
				    .fallback = "\"red\"",
				    .help = "which"};
static const struct param pinned = {.name = "is_pinned", .type = PARAM_BOOL, .help = "stays"};
static const struct param limit = {
	.name = "limit", .type = PARAM_INT, .flags = PARAM_REQUIRED, .min = 1, .max = 100};
static const struct param score = {.name = "score", .type = PARAM_NUMBER, .max = 0.5};

static void check(void (*describe)(struct str *out, const struct param *param),
		  const struct param *param, const char *expected)
{
	struct str out = STR_INIT;

	describe(&out, param);
	assert_string_equal(out.ptr, expected);
	str_release(&out);
}

static void test_option(void **state)
{
	(void)state;
	check(describe_option, &key, "MAIN-KEY");
	check(describe_option, &texts, "--tags TEXT");
	check(describe_option, &colour, "--colour NAME");
	check(describe_option, &pinned, "--[no-]is-pinned");
	check(describe_option, &limit, "--limit NUMBER");
}

static void test_type(void **state)
{
	(void)state;
	check(describe_type, &key, "a text");
	check(describe_type, &colour, "one of red, green");
	check(describe_type, &limit, "a whole number, 1 to 100");
	check(describe_type, &score, "a number, 0 to 0.5");
}

static void param_described(struct str *out, const struct param *param)
{
	describe_param(out, param, NULL);
}

static void test_param(void **state)
{
	(void)state;
	check(param_described, &key, "a key");
	check(param_described, &texts, "repeat it for more");
	check(param_described, &colour, "which; one of red, green; default red");
	check(param_described, &pinned, "stays");
	check(param_described, &limit, "a whole number, 1 to 100; required");
}

static void test_usage(void **state)
{
	const struct param both[] = {key, texts, {.name = "rest", .flags = PARAM_POSITIONAL}};
	struct tool tool = {.command = "try", .params = both, .param_count = 3};
	struct str out = STR_INIT;

	(void)state;
	describe_usage(&out, &tool);
	assert_string_equal(out.ptr, "try MAIN-KEY [REST]");
	assert_true(describe_has_options(&tool));
	tool.param_count = 1;
	assert_false(describe_has_options(&tool));
	str_release(&out);
}

static void help_may_be_given(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	describe_param(&out, &texts, "in other words");
	assert_string_equal(out.ptr, "in other words; repeat it for more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_may_be_given), cmocka_unit_test(test_option),
		cmocka_unit_test(test_type),         cmocka_unit_test(test_param),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
