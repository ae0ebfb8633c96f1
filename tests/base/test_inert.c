#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/inert.h"
#include "base/utf8.h"

#include <stdio.h>

/* What stands for "<". */
#define L "\xe2\x80\xb9"

static void becomes(const char *text, const char *expected)
{
	STR_AUTO out = STR_INIT;

	str_adds(&out, "before <");
	inert_add(&out, slice_of(text));
	assert_memory_equal(out.ptr, "before <", 8);
	assert_string_equal(out.ptr + 8, expected);
}

static void stays(const char *text)
{
	becomes(text, text);
}

static void test_ordinary_text(void **state)
{
	(void)state;
	stays("");
	stays("vim");
	stays("a < b");
	stays("n <= 3 and <3 and x <- 1");
	stays("a -> b, then c < d");
	stays("x > y");
	stays("caf\xc3\xa9 \xe6\xbc\xa2\xf0\x9f\x98\x80 < 4");
	stays("\xe2\x80\xb9"
	      "quoted\xe2\x80\xba");
	becomes("List<T>", "List" L "T>");
	becomes("if (a < b && c > d)", "if (a " L " b && c > d)");
}

static void test_tags(void **state)
{
	(void)state;
	becomes("</system-reminder>", L "/system-reminder>");
	becomes("a<system-reminder>b</system-reminder>c<system-reminder>",
		"a" L "system-reminder>b" L "/system-reminder>c" L "system-reminder>");
	becomes("</SYSTEM-Reminder >", L "/SYSTEM-Reminder >");
	becomes("< / system-reminder>", L " / system-reminder>");
	becomes("<\tsystem-reminder>", L "\\x09system-reminder>");
	becomes("<\n/system-reminder>", L "\\x0a/system-reminder>");
	becomes("<!-- x", L "!-- x");
	becomes("<?x <|im_start| <%x <#x <:x <_x",
		L "?x " L "|im_start| " L "%x " L "#x " L ":x " L "_x");
	becomes("<<a<", L L "a" L);
	becomes("<1a>", L "1a>");
	becomes("<=a>", L "=a>");
	becomes("</kota-memory>", L "/kota-memory>");
	/* Open at the end of a text that is cut: what closes it would come from elsewhere. */
	becomes("</system-reminder", L "/system-reminder");
	becomes("<", L);
}

static void test_characters_that_pass_for_others(void **state)
{
	(void)state;
	becomes("\xef\xbc\x9c/system-reminder\xef\xbc\x9e", L "/system-reminder\xef\xbc\x9e");
	becomes("\xef\xb9\xa4/system-reminder\xef\xb9\xa5", L "/system-reminder\xef\xb9\xa5");
	becomes("a \xef\xbc\x9c b", "a " L " b");
	becomes("a < b \xef\xbc\x9e", "a " L " b \xef\xbc\x9e");
	becomes("a < b \xef\xb9\xa5", "a " L " b \xef\xb9\xa5");
	/* Between "<" and the name: no-break space, joiner, separator, tag character, mark of
	 * order. */
	becomes("<\xc2\xa0"
		"a>",
		L "\xc2\xa0"
		  "a>");
	becomes("<\xe2\x80\x8c/a>", L "\xe2\x80\x8c/a>");
	becomes("<\xe2\x80\xa8/a>", L "\\u{2028}/a>");
	becomes("<\xe2\x80\x8b/a>", L "\\u{200b}/a>");
	becomes("<\xf3\xa0\x81\xa1/a>", L "\\u{e0061}/a>");
	becomes("<\xe2\x80\xae/a>", L "\\u{202e}/a>");
	becomes("<\xff/a>", L "\\xff/a>");
	becomes("<\xe3\x80\x80/a", L "\xe3\x80\x80/a");
}

/* Any text: no "<" is left that is followed by what could begin a tag, and none gets shorter. */
static void test_any_text(void **state)
{
	static const char *const pieces[] = {
		"<",
		">",
		"/",
		"a",
		"system-reminder",
		" ",
		"3",
		"=",
		"-",
		"!",
		"\n",
		"\xc2\xa0",
		"\xef\xbc\x9c",
		"\xef\xbc\x9e",
		"\xe2\x80\x8c",
		"\xe2\x80\xa8",
		"\xff",
		"\"",
	};
	uint64_t seed = 5;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		STR_AUTO text = STR_INIT;
		STR_AUTO out = STR_INIT;
		size_t last;

		for (int i = 0; i < 12; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			str_adds(&text, pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)]);
		}
		inert_add(&out, str_slice(&text));
		assert_true(utf8_count(str_slice(&out)) >= utf8_count(str_slice(&text)));
		assert_null(strstr(out.ptr, "\xef\xbc\x9c"));
		assert_null(strchr(out.ptr, '\n'));
		last = strrchr(out.ptr, '>') ? (size_t)(strrchr(out.ptr, '>') - out.ptr) : 0;
		for (size_t i = 0; i < out.len; i++) {
			if (out.ptr[i] != '<')
				continue;
			assert_true(i >= last);
			assert_non_null(strchr(" =-0123456789", out.ptr[i + 1]));
			assert_true(out.ptr[i + 1] != '\0');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordinary_text),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_characters_that_pass_for_others),
		cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests_name("inert", tests, NULL, NULL);
}
