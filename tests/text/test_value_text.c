#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/value_text.h"

static void check_text(const char *json, const char *text, const char *switches)
{
	struct str said = STR_INIT;
	struct str others = STR_INIT;

	value_text_of_json(slice_of(json), &said, &others);
	assert_string_equal(said.ptr, text);
	assert_string_equal(others.ptr, switches);
	str_release(&said);
	str_release(&others);
}

static void a_value_says_its_strings_names_and_numbers(void **state)
{
	(void)state;
	check_text("\"plain text\"", "plain text ", "");
	check_text("12.50", "12.50 ", "");
	check_text("null", "", "");
	check_text("true", "", "true ");
	check_text("{\"name\":\"a\\u0041\",\"n\":1,\"on\":false}", "name aA n 1 on ", "false ");
	check_text("[[\"a\"],[],{\"b\":[\"c\"]}]", "a b c ", "");
	check_text("not json", "not json ", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_says_its_strings_names_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
