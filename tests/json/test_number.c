/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "json/doc.h"
#include "json/doc_internal.h"

static struct json parsed(const char *text)
{
	struct json_fault fault;
	struct json doc;

	if (json_parse(&doc, slice_of(text), &json_file_bounds, &fault) != 0)
		fail_msg("%s: %s", text, fault.what);
	return doc;
}

static void assert_int_value(const char *text, bool is_int, int64_t expected)
{
	struct json doc = parsed(text);
	int64_t value = 4711;

	if (json_int(&doc, JSON_ROOT, &value) != is_int)
		fail_msg("%s", text);
	assert_true(value == (is_int ? expected : 4711));
	json_release(&doc);
}

static void integers_are_exact(void **state)
{
	(void)state;
	assert_int_value("0", true, 0);
	assert_int_value("-0", true, 0);
	assert_int_value("0e999999999999999999999", true, 0);
	assert_int_value("-17", true, -17);
	assert_int_value("5.0", true, 5);
	assert_int_value("1e3", true, 1000);
	assert_int_value("1.25e2", true, 125);
	assert_int_value("1200e-2", true, 12);
	assert_int_value("0.00012E+5", true, 12);
	assert_int_value("10.50e1", true, 105);
	assert_int_value("1e00000000000000000000000000000003", true, 1000);
	assert_int_value("9007199254740993", true, 9007199254740993);
	assert_int_value("9223372036854775807", true, INT64_MAX);
	assert_int_value("9223372036854775807.000", true, INT64_MAX);
	assert_int_value("922337203685477580.7e1", true, INT64_MAX);
	assert_int_value("-9223372036854775808", true, INT64_MIN);
	assert_int_value("1e18", true, 1000000000000000000);
}

static void other_numbers_are_no_integers(void **state)
{
	(void)state;
	assert_int_value("9223372036854775808", false, 0);
	assert_int_value("-9223372036854775809", false, 0);
	assert_int_value("18446744073709551617", false, 0);
	assert_int_value("1e19", false, 0);
	assert_int_value("1e999999999", false, 0);
	assert_int_value("1e99999999999999999999999999", false, 0);
	assert_int_value("1e-99999999999999999999999999", false, 0);
	assert_int_value("1.5", false, 0);
	assert_int_value("1e-1", false, 0);
	assert_int_value("\"1\"", false, 0);
	assert_int_value("true", false, 0);
}

static void doubles_are_finite(void **state)
{
	static const struct {
		const char *text;
		bool fits;
		double expected;
	} cases[] = {
		{"1.5", true, 1.5},
		{"-0", true, 0.0},
		{"1e308", true, 1e308},
		{"1e-400", true, 0.0},
		{"9007199254740993", true, 9007199254740992.0},
		{"1e400", false, 0},
		{"-1e400", false, 0},
		{"\"1\"", false, 0},
		{"null", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct json doc = parsed(cases[i].text);
		double value = 4711;

		assert_int_equal(json_double(&doc, JSON_ROOT, &value), cases[i].fits);
		assert_true(value == (cases[i].fits ? cases[i].expected : 4711));
		json_release(&doc);
	}
}

/* A number that is not followed by anything, not even a terminator. */
static void double_reads_no_further_than_its_text(void **state)
{
	struct json_fault fault;
	struct json doc;
	double value;

	(void)state;
	assert_int_equal(json_parse(&doc, slice_make("1234", 2), &json_line_bounds, &fault), 0);
	assert_true(json_double(&doc, JSON_ROOT, &value));
	assert_true(value == 12);
	json_release(&doc);
}

static void assert_same(const char *a, const char *b, bool same)
{
	if (json_number_equal(slice_of(a), slice_of(b)) != same)
		fail_msg("%s, %s", a, b);
	assert_int_equal(json_number_equal(slice_of(b), slice_of(a)), same);
}

static void equal_numbers(void **state)
{
	(void)state;
	assert_same("1", "1.0", true);
	assert_same("1", "1e0", true);
	assert_same("100", "1e2", true);
	assert_same("0.001", "1E-3", true);
	assert_same("-0", "0", true);
	assert_same("0", "0.00e99", true);
	assert_same("12.5", "125e-1", true);
	assert_same("1.2500", "0.0125e2", true);
	assert_same("1e400", "10e399", true);
	assert_same("1e1000000000000000000000", "10e999999999999999999999", true);
	assert_same("1e-1000000000000000000000", "0.1e-999999999999999999999", true);
	assert_same("10e-1", "1e000", true);
}

static void different_numbers(void **state)
{
	(void)state;
	assert_same("1", "-1", false);
	assert_same("1", "0", false);
	assert_same("1", "10", false);
	assert_same("1", "11", false);
	assert_same("101", "11", false);
	assert_same("9007199254740993", "9007199254740992", false);
	assert_same("0.1", "0.1000000000000000055511151231257827", false);
	assert_same("1e400", "1e401", false);
	assert_same("1e400", "2e400", false);
	assert_same("1e-400", "0", false);
	assert_same("1e1000000000000000000000", "1e999999999999999999999", false);
	assert_same("1e1000000000000000000000", "1e-1000000000000000000000", false);
	assert_same("1e99999999999999999999", "1", false);
	assert_same("1e18446744073709551616", "1", false); /* 2^64 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(other_numbers_are_no_integers),
		cmocka_unit_test(doubles_are_finite),
		cmocka_unit_test(double_reads_no_further_than_its_text),
		cmocka_unit_test(equal_numbers),
		cmocka_unit_test(different_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
