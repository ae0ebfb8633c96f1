#include "model/entry.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct settings settings;
static struct err err;

static int admit(const char *text, size_t old_size)
{
	JSON_AUTO doc = {0};

	err_clear(&err);
	return admit_entry(&doc, slice_of("k"), slice_of(text), old_size, &settings, &err);
}

static void test_size(void **state)
{
	const char *text = "{\"value\":\"0123456789\"}";
	size_t size = entry_size(slice_of(text));

	(void)state;
	settings.entry_bytes = (int64_t)size;
	assert_int_equal(admit(text, 0), 0);
	settings.entry_bytes--;
	assert_int_equal(admit(text, 0), -1);
	assert_int_equal(err.code, ERR_TOO_LARGE);
	assert_string_equal(err.text, "the entry \"k\" would have 22 bytes; the limit is 21 "
				      "(limits.entry_bytes): shorten it or split it");
	/* One that is over the limit may stay as large as it is, but not grow. */
	assert_int_equal(admit(text, size), 0);
	assert_int_equal(admit(text, size - 1), -1);
}

/* A key of a hand-written file may be anything: it is cut at a character and acts on no terminal.
 */
static void test_key_shown(void **state)
{
	STR_AUTO key = STR_INIT;
	JSON_AUTO doc = {0};

	(void)state;
	settings_init(&settings);
	settings.entry_bytes = 1;
	str_adds(&key, "\x1b[1m");
	for (int i = 0; i < 60; i++)
		str_adds(&key, "\xc3\xa9");
	assert_int_equal(
		admit_entry(&doc, str_slice(&key), slice_of("{\"value\":1}"), 0, &settings, &err),
		-1);
	assert_memory_equal(err.text, "the entry \"\\x1b[1m\xc3\xa9", 20);
	assert_non_null(strstr(err.text, "\xc3\xa9...\" would have 11 bytes"));
}

static void check_depth(int depth, int expected)
{
	STR_AUTO text = STR_INIT;

	str_adds(&text, "{\"value\":");
	for (int i = 0; i < depth; i++)
		str_addc(&text, '[');
	for (int i = 0; i < depth; i++)
		str_addc(&text, ']');
	str_addc(&text, '}');
	settings_init(&settings);
	assert_int_equal(admit(text.ptr, 0), expected);
}

static void test_depth(void **state)
{
	(void)state;
	check_depth(VALUE_DEPTH_MAX, 0);
	check_depth(VALUE_DEPTH_MAX + 1, -1);
	assert_int_equal(err.code, ERR_TOO_LARGE);
	assert_string_equal(err.text, "value: nested 25 deep; at most 24 levels are allowed");
}

static void test_not_json(void **state)
{
	(void)state;
	settings_init(&settings);
	assert_int_equal(admit("{\"value\":}", 0), -1);
	assert_int_equal(err.code, ERR_BAD_VALUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_key_shown),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_not_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
