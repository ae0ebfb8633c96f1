#include "model/diff.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static void check(const struct difference *d, const char *key, const char *before,
		  const char *after)
{
	assert_true(slice_is(d->key, key));
	assert_true(slice_equal(d->before, slice_of(before)));
	assert_true(slice_equal(d->after, slice_of(after)));
}

static void entries_that_changed_went_and_came(void **state)
{
	struct comparison c;

	(void)state;
	compare_entries(&c, CATEGORY_STATE, slice_of("{\"a\":1,\"b\":2,\"c\":3}"),
			slice_of("{\"d\":4,\"c\":3,\"b\":\"two\"}"));
	assert_int_equal(c.count, 3);
	check(&c.items[0], "a", "1", NULL);
	check(&c.items[1], "b", "2", "\"two\"");
	check(&c.items[2], "d", NULL, "4");
	assert_int_equal(c.items[0].category, CATEGORY_STATE);
	assert_false(c.items[0].record);
	comparison_release(&c);
}

static void looks_are_no_difference(void **state)
{
	struct comparison c;

	(void)state;
	compare_entries(&c, CATEGORY_STATE, slice_of("{\"a\":{\"x\":1,\"y\":\"b\"}}"),
			slice_of("{ \"a\" : {\"y\":\"\\u0062\", \"x\":1.0} }\n"));
	assert_int_equal(c.count, 0);
	assert_true(c.looks_differ);
	comparison_release(&c);
}

static void numbers_that_differ_in_the_last_digit_differ(void **state)
{
	struct comparison c;

	(void)state;
	compare_entries(&c, CATEGORY_STATE, slice_of("{\"a\":9007199254740993}"),
			slice_of("{\"a\":9007199254740992}"));
	assert_int_equal(c.count, 1);
	comparison_release(&c);
}

static void absent_blank_and_broken_texts_have_no_entries(void **state)
{
	struct comparison c;

	(void)state;
	compare_entries(&c, CATEGORY_STATE, slice_make(NULL, 0), slice_of("{\"a\":1}"));
	assert_int_equal(c.count, 1);
	assert_false(c.before_broken);
	comparison_release(&c);
	compare_entries(&c, CATEGORY_STATE, slice_of("{\"a\":1}"), slice_of("{\"a\":1,}"));
	assert_int_equal(c.count, 1);
	assert_true(c.after_broken);
	comparison_release(&c);
	compare_entries(&c, CATEGORY_STATE, slice_of(" \n"), slice_of("[1]"));
	assert_int_equal(c.count, 0);
	comparison_release(&c);
}

#define RECORD(key, value)                                                                         \
	"{\"key\":\"" key "@2026-11-21T10:00:00.000Z\",\"originalKey\":\"" key                     \
	"\",\"archivedAt\":\"2026-11-21T10:00:00.000Z\",\"reason\":\"deleted\",\"entry\":{"        \
	"\"value\":" value "}}"

static void records_are_compared_by_category(void **state)
{
	struct comparison c;

	(void)state;
	compare_records(&c, slice_of("{\"state\":[" RECORD("a", "1") "," RECORD("b", "1") "]}"),
			slice_of("{\"preferences\":[" RECORD("a", "1") "],\"state\":[" RECORD(
				"b", "1") "," RECORD("c", "1") "]}"));
	assert_int_equal(c.count, 3);
	assert_int_equal(c.items[0].category, CATEGORY_PREFERENCES);
	assert_true(slice_is(c.items[0].key, "a@2026-11-21T10:00:00.000Z"));
	assert_null(c.items[0].before.ptr);
	assert_int_equal(c.items[1].category, CATEGORY_STATE);
	assert_null(c.items[1].after.ptr);
	assert_true(slice_is(c.items[2].key, "c@2026-11-21T10:00:00.000Z"));
	assert_true(c.items[2].record);
	comparison_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_that_changed_went_and_came),
		cmocka_unit_test(looks_are_no_difference),
		cmocka_unit_test(numbers_that_differ_in_the_last_digit_differ),
		cmocka_unit_test(absent_blank_and_broken_texts_have_no_entries),
		cmocka_unit_test(records_are_compared_by_category),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
