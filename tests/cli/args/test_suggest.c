#include "cli/args/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *nearest(const char *word)
{
	static const char *const names[] = {"set",        "get", "list", "archived",
					    "--category", "mv",  NULL};
	struct suggestion suggestion = suggestion_for(slice_of(word));

	for (const char *const *name = names; *name; name++)
		suggestion_offer(&suggestion, *name);
	return suggestion.best;
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(nearest("gte"), "get");
	assert_string_equal(nearest("lst"), "list");
	assert_string_equal(nearest("archive"), "archived");
	assert_string_equal(nearest("--catgory"), "--category");
	assert_string_equal(nearest("m"), "mv");
	/* Of two that are as near the first. */
	assert_string_equal(nearest("et"), "set");
}

static void test_nothing_near(void **state)
{
	static const char long_word[] = "getgetgetgetgetgetgetgetgetgetgetgetget";

	(void)state;
	assert_null(nearest("frobnicate"));
	assert_null(nearest("xyz"));
	assert_null(nearest(""));
	assert_null(nearest(long_word));
	assert_null(nearest("\xff\xff\xff"));
}

static void test_add(void **state)
{
	struct suggestion suggestion = suggestion_for(slice_of("gte"));
	struct str out = STR_INIT;

	(void)state;
	suggestion_add(&suggestion, &out);
	assert_string_equal(out.ptr, "");
	suggestion_offer(&suggestion, "get");
	suggestion_add(&suggestion, &out);
	assert_string_equal(out.ptr, "did you mean get? ");
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_nothing_near),
		cmocka_unit_test(test_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
