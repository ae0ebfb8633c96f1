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
#include <time.h>

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

/* One of the many that a key had: they all begin alike, and so does what others say. */
static void add_step(struct str *out, size_t number)
{
	str_printf(out, "step 1 of the way, then %zu more", number);
}

/* Clocks of the processor that a text takes in which none of so many values stands. */
static double clocks_for(size_t count)
{
	struct needles needles = NEEDLES_INIT;
	STR_AUTO text = STR_INIT;
	double best = 0;

	for (size_t i = 0; i < count; i++) {
		STR_AUTO value = STR_INIT;

		add_step(&value, i + 1000000);
		needles_add(&needles, str_slice(&value));
	}
	for (size_t i = 0; i < 20000; i++)
		add_step(&text, i + 100000);
	for (int turn = 0; turn < 3; turn++) {
		clock_t begin = clock();
		double took;

		assert_false(needles_in(&needles, str_slice(&text)));
		took = (double)(clock() - begin) + 1;
		best = turn == 0 || took < best ? took : best;
	}
	needles_release(&needles);
	return best;
}

/* Many more values take little more time, also where they have their beginnings in common. */
static void test_many_that_begin_alike(void **state)
{
	(void)state;
	assert_true(clocks_for(16000) < 6 * clocks_for(500));
}

/* One that begins with another is found by that one, and what lies between in order hides none. */
static void test_values_within_values(void **state)
{
	struct needles needles = NEEDLES_INIT;

	(void)state;
	needles_add(&needles, slice_of("zebra one"));
	needles_add(&needles, slice_of("zebra one and two"));
	needles_add(&needles, slice_of("zebra one and a half"));
	needles_add(&needles, slice_of("zebra once"));
	assert_true(needles_in(&needles, slice_of("a zebra one is")));
	assert_true(needles_in(&needles, slice_of("a zebra one and three")));
	assert_true(needles_in(&needles, slice_of("a zebra once")));
	assert_false(needles_in(&needles, slice_of("a zebra on, zebra o")));
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
		cmocka_unit_test(test_many_that_begin_alike),
		cmocka_unit_test(test_values_within_values),
	};

	return cmocka_run_group_tests_name("needles", tests, NULL, NULL);
}
