/* cmocka.h needs the others before it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/utf8.h"

static void columns_of_text(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
	} cases[] = {
		{"", 0},
		{"plain", 5},
		{"caf\xC3\xA9", 4},
		{"cafe\xCC\x81", 4},             /* combining acute */
		{"\xE5\x81\x8F\xE5\xA5\xBD", 4}, /* two ideographs */
		{"\xEF\xBC\xA1", 2},             /* full-width A */
		{"\xEF\xBD\xB1", 1},             /* half-width katakana */
		{"\xED\x95\x9C", 2},             /* Hangul syllable */
		{"\xE1\x84\x92\xE1\x85\xA1", 2}, /* the same in jamo */
		{"\xF0\x9F\x98\x80", 2},         /* emoji */
		{"a\xE2\x80\x8D"
		 "b",
		 2},                     /* joiner */
		{"\xD0\x9F\xD1\x80", 2}, /* Cyrillic */
		{"\xF0\xA0\x80\x80", 2}, /* U+20000 */
		{"\xF3\xA0\x84\x80", 0}, /* variation selector 17 */
		{"\t\x7F\xC2\x85", 0},
		{"\xFF", 1},
		{"\xF4\x8F\xBF\xBF", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(utf8_columns(slice_of(cases[i].text)), cases[i].columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
