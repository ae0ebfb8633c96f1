#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/swap/layout.h"

static bool same(enum store_file file, const char *a, const char *b)
{
	bool forth = layout_same(file, slice_of(a), slice_of(b));

	assert_int_equal(forth, layout_same(file, slice_of(b), slice_of(a)));
	return forth;
}

static void order_and_look_of_entries_do_not_matter(void **state)
{
	const enum store_file file = (enum store_file)CATEGORY_STATE;

	(void)state;
	assert_true(same(file, "{\"a\":1,\"b\":[2]}", "{ \"b\" : [ 2 ],\n\t\"a\":1}\n"));
	assert_false(same(file, "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}"));
	assert_false(same(file, "{\"a\":1}", "{\"a\":1,\"b\":2}"));
	assert_false(same(file, "{\"a\":1.0}", "{\"a\":1}"));
	assert_false(same(file, "{\"a\":[1,2]}", "{\"a\":[2,1]}"));
	assert_true(same(file, "{}", "{\n}"));
}

static void records_may_stand_in_any_order(void **state)
{
	const enum store_file file = STORE_FILE_ARCHIVE;

	(void)state;
	assert_true(same(file, "{\"state\":[1,2],\"patterns\":[]}", "{\"state\":[2,1]}"));
	assert_false(same(file, "{\"state\":[1,2]}", "{\"state\":[1,1]}"));
	assert_false(same(file, "{\"state\":[1]}", "{\"patterns\":[1]}"));
	assert_false(same(file, "{\"state\":[1]}", "{\"state\":[1,1]}"));
}

static void what_does_not_parse_is_like_nothing(void **state)
{
	const enum store_file file = STORE_FILE_RELATIONS;

	(void)state;
	assert_false(same(file, "{", "{"));
	assert_false(same(file, "[]", "[]"));
	assert_false(same(file, "", "{}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_look_of_entries_do_not_matter),
		cmocka_unit_test(records_may_stand_in_any_order),
		cmocka_unit_test(what_does_not_parse_is_like_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
