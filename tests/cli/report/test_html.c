#include "cli/report/html.h"
#include "support/secret_sample.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

static void test_elements(void **state)
{
	STR_AUTO out = STR_INIT;
	struct html h;

	(void)state;
	h = (struct html){.out = &out};
	html_open(&h, "i");
	html_attr(&h, "hidden", NULL);
	html_open(&h, "b.x.y");
	html_text(&h, "1");
	html_close(&h);
	html_open(&h, "br");
	html_close(&h);
	html_open(&h, "u");
	html_close(&h);
	html_close(&h);
	assert_string_equal(out.ptr, "<i hidden><b class=\"x y\">1</b><br><u></u></i>");
}

static void test_a_drawing(void **state)
{
	STR_AUTO out = STR_INIT;
	struct html h;

	(void)state;
	h = (struct html){.out = &out};
	html_open(&h, "svg");
	html_open(&h, "rect");
	html_attr_number(&h, "x", 1.005);
	html_attr_number(&h, "y", -0.001);
	html_attr_number(&h, "r", 100);
	html_attr_percent(&h, "width", 1.0 / 3);
	html_attr_int(&h, "height", -7);
	html_close(&h);
	html_close(&h);
	html_open(&h, "i");
	html_close(&h);
	assert_string_equal(out.ptr, "<svg><rect x=\"1\" y=\"0\" r=\"100\" width=\"33.33%\" "
				     "height=\"-7\"/></svg>\n<i></i>");
}

#define HOSTILE "</td><script>alert(1)</script> \"a\" 'b' & <!--"
#define HARMLESS                                                                                   \
	"&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;a&quot; &#39;b&#39; &amp; &lt;!--"

static void test_everything_is_escaped(void **state)
{
	STR_AUTO out = STR_INIT;
	struct html h;

	(void)state;
	h = (struct html){.out = &out};
	html_open(&h, "i");
	html_attr(&h, "title", HOSTILE);
	html_text(&h, HOSTILE);
	html_stored(&h, slice_of(HOSTILE), 0);
	html_printf(&h, "%s", HOSTILE);
	html_close(&h);
	assert_string_equal(out.ptr, "<i title=\"" HARMLESS "\">" HARMLESS "<bdi>" HARMLESS
				     "</bdi>" HARMLESS "</i>");
}

/* Controls, what turns text around, what hides, bytes that are no text. */
static void test_what_cannot_be_seen_is_shown(void **state)
{
	static const struct {
		struct slice text;
		const char *shown;
	} cases[] = {
		{{"a\0b", 3}, "a\\x00b"},
		{{"a\x1b[2J", 5}, "a\\x1b[2J"},
		{{"a\xe2\x80\xae"
		  "b",
		  5},
		 "a\\u{202e}b"},
		{{"\xe2\x81\xa6x", 4}, "\\u{2066}x"},
		{{"\xff", 1}, "\\xff"},
		{{"a\xe2\x80\x8b"
		  "b",
		  5},
		 "a\\u{200b}b"},
		{{" a \r\n\t b", 8}, " a b"},
		{{"\xd7\xa9\xd7\x9c", 4}, "\xd7\xa9\xd7\x9c"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO out = STR_INIT;
		STR_AUTO expected = STR_INIT;
		struct html h;

		h = (struct html){.out = &out};
		html_stored(&h, cases[i].text, 0);
		str_printf(&expected, "<bdi>%s</bdi>", cases[i].shown);
		assert_string_equal(out.ptr, expected.ptr);
	}
}

static void test_long_text_is_cut_at_a_character(void **state)
{
	STR_AUTO out = STR_INIT;
	struct html h;

	(void)state;
	h = (struct html){.out = &out};
	html_stored(&h, slice_of("\xc3\xa4\xc3\xb6\xc3\xbc"), 2);
	html_stored(&h, slice_of("ab"), 2);
	assert_string_equal(out.ptr, "<bdi>\xc3\xa4\xc3\xb6\xe2\x80\xa6</bdi><bdi>ab</bdi>");
}

/* Also where the part that is shown would not be known for one. */
static void test_a_secret_is_not_shown(void **state)
{
	STR_AUTO secret = STR_INIT;
	STR_AUTO text = STR_INIT;
	STR_AUTO out = STR_INIT;
	uint64_t random = 1;
	struct html h;

	(void)state;
	secret_make("ghp_%A36;", &random, &secret);
	str_printf(&text, "use %s", secret.ptr);
	h = (struct html){.out = &out};
	html_stored(&h, str_slice(&text), 10);
	assert_null(strstr(out.ptr, "ghp_"));
	assert_string_equal(out.ptr, "<span class=\"secret\">hidden: GitHub token</span>");
}

static void test_numbers_are_grouped(void **state)
{
	static const struct {
		int64_t number;
		const char *text;
	} cases[] = {{0, "0"},       {999, "999"},     {1000, "1,000"}, {1234567, "1,234,567"},
		     {-999, "-999"}, {-1000, "-1,000"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO out = STR_INIT;
		struct html h;

		h = (struct html){.out = &out};
		html_count(&h, cases[i].number);
		assert_string_equal(out.ptr, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_a_drawing),
		cmocka_unit_test(test_everything_is_escaped),
		cmocka_unit_test(test_what_cannot_be_seen_is_shown),
		cmocka_unit_test(test_long_text_is_cut_at_a_character),
		cmocka_unit_test(test_a_secret_is_not_shown),
		cmocka_unit_test(test_numbers_are_grouped),
	};

	return cmocka_run_group_tests_name("page_html", tests, NULL, NULL);
}
