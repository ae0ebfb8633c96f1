#include "store/purge/needles.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <string.h>

static bool finds(const char *value, const char *text)
{
	struct needles needles = NEEDLES_INIT;
	bool found;

	needles_add(&needles, slice_of(value));
	found = needles_in(&needles, slice_of(text));
	needles_release(&needles);
	return found;
}

static void test_a_value_as_others_write_it(void **state)
{
	(void)state;
	assert_true(finds("my zebra", "all of my zebras"));
	assert_false(finds("my zebra", "my zebr"));
	assert_false(finds("vim", "vim"));
	assert_true(finds("a \"b\" & <c>", "\"a \\\"b\\\" & <c>\""));
	assert_true(finds("a \"b\" & <c>", "a &quot;b&quot; &amp; &lt;c&gt;"));
	assert_true(finds("line one\nline two", "\"line one\\nline two\""));
}

static void test_the_beginning_of_a_long_value(void **state)
{
	char value[3 * NEEDLE_MAX];
	char text[NEEDLE_MAX + 4];

	(void)state;
	for (size_t i = 0; i < sizeof value - 1; i++)
		value[i] = (char)('a' + i % 7);
	value[sizeof value - 1] = '\0';
	snprintf(text, sizeof text, "%.*s...", NEEDLE_MAX, value);
	assert_true(finds(value, text));
	text[NEEDLE_MAX - 1] = '-';
	assert_false(finds(value, text));
}

static void test_words_that_tell(void **state)
{
	(void)state;
	assert_true(finds("the password is hunter2hunter2, mind", "hunter2hunter2"));
	assert_false(finds("the ordinary words of a sentence", "ordinary words"));
	assert_true(finds("see averyveryverylongwordindeed there", "averyveryverylongwordindeed"));
}

static void test_values_of_json(void **state)
{
	static const char text[] = "{\"user\": \"zebra one\", \"pin\": 123456, \"on\": true, "
				   "\"list\": [\"zebra\\u0020two\"]}";
	struct needles needles = NEEDLES_INIT;
	struct json_fault fault;
	struct json doc;

	(void)state;
	assert_int_equal(json_parse(&doc, slice_of(text), &json_file_bounds, &fault), 0);
	needles_add_json(&needles, &doc, JSON_ROOT);
	assert_true(needles_in(&needles, slice_of("zebra one")));
	assert_true(needles_in(&needles, slice_of("my pin: 123456")));
	assert_true(needles_in(&needles, slice_of("zebra two")));
	assert_true(needles_in(&needles, slice_of("zebra\\u0020two")));
	assert_false(needles_in(&needles, slice_of("true, user, zebra, pin")));
	json_release(&doc);
	needles_release(&needles);
}

/* Thousands are looked for in one pass, and more can come. */
static void test_many(void **state)
{
	struct needles needles = NEEDLES_INIT;
	char value[32];

	(void)state;
	assert_false(needles_in(&needles, slice_of("anything")));
	for (int i = 0; i < 5000; i++) {
		snprintf(value, sizeof value, "%d-value", 100000 + i);
		needles_add(&needles, slice_of(value));
		needles_add(&needles, slice_of(value));
	}
	assert_int_equal(needles.count, 5000);
	assert_true(needles_in(&needles, slice_of("x 104999-value")));
	assert_false(needles_in(&needles, slice_of("x 105000-value")));
	needles_add(&needles, slice_of("105000-value"));
	assert_true(needles_in(&needles, slice_of("x 105000-value")));
	needles_release(&needles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_value_as_others_write_it),
		cmocka_unit_test(test_the_beginning_of_a_long_value),
		cmocka_unit_test(test_words_that_tell),
		cmocka_unit_test(test_values_of_json),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("needles", tests, NULL, NULL);
}
