#include "ops/similar_text.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static void check_text(const char *key, const char *value, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct json_fault fault;
	struct item item;
	struct json doc;

	assert_int_equal(json_parse(&doc, slice_of(value), &json_file_bounds, &fault), 0);
	entry_read(&item.entry, CATEGORY_STATE, &doc, JSON_ROOT, &arena);
	item.entry.key = slice_of(key);
	assert_true(slice_is(alike_text(&item, &arena), want));
	json_release(&doc);
	arena_release(&arena);
}

static void the_value_says_it(void **state)
{
	(void)state;
	check_text("shed", "\"paint it green\"", "paint it green");
	check_text("shed", "\"paint \\u0041\"", "paint A");
	check_text("shed", "{\"colour\":\"green\",\"coats\":2}", "colour green coats 2 ");
}

static void what_is_short_needs_its_key(void **state)
{
	(void)state;
	check_text("mainOffice", "\"Lisbon\"", "main office Lisbon");
	check_text("dark_mode", "true", "dark mode true ");
	check_text("port", "8080", "port 8080 ");
	check_text("empty", "\"\"", "empty ");
	check_text("nothing", "null", "nothing ");
}

static void short_texts_are_not_merged(void **state)
{
	(void)state;
	assert_true(alike_may_merge(slice_of("paint it green"), slice_of("Paint it green!")));
	assert_false(alike_may_merge(slice_of("office Lisbon"), slice_of("Office Lisbon")));
	assert_false(alike_may_merge(slice_of("paint it green"), slice_of("never paint it green")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_says_it),
		cmocka_unit_test(what_is_short_needs_its_key),
		cmocka_unit_test(short_texts_are_not_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
