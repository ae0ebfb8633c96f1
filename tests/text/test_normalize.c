#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/normalize.h"

#include <stdio.h>

typedef void normalizer(struct slice text, struct str *out);

struct example {
	const char *in;
	const char *out;
};

static void check(normalizer *normalize, const char *in, const char *out)
{
	struct str result = STR_INIT;

	normalize(slice_of(in), &result);
	assert_string_equal(result.ptr, out);
	str_release(&result);
}

static void check_all(normalizer *normalize, const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(normalize, examples[i].in, examples[i].out);
}

#define CHECK(normalize, examples)                                                                 \
	check_all(normalize, examples, sizeof examples / sizeof examples[0])

static void ascii_keys(void **state)
{
	static const struct example examples[] = {
		{"", ""},
		{"work_context", "work context"},
		{"  Dark--Mode  ", "dark mode"},
		{"123 ABC", "123 abc"},
		{"mainEditor", "maineditor"},
		{"tab\tnew\nline", "tab new line"},
		{"???", ""},
		{"connections:sunil", "connections sunil"},
		{"D098X745TDY", "d098x745tdy"},
		{"a.b/c", "a b c"},
	};

	(void)state;
	CHECK(normalize_identity, examples);
}

static void plus_and_hash_stay_after_a_letter_or_number(void **state)
{
	static const struct example examples[] = {
		{"C", "c"},
		{"C++", "c++"},
		{"C#", "c#"},
		{"c++_style", "c++ style"},
		{"ticket #12", "ticket 12"},
		{"a + b", "a b"},
		{"+49 555", "49 555"},
		{"größe+", "grösse+"},
	};

	(void)state;
	CHECK(normalize_identity, examples);
}

static void other_scripts(void **state)
{
	static const struct example examples[] = {
		{"Größe", "grösse"},
		{"STRASSE", "strasse"},
		{"Straße", "strasse"},
		{"ＦＵＬＬ　ｗｉｄｔｈ", "full width"},
		{"ﬁle_name", "file name"},
		{"偏好_编辑器", "偏好 编辑器"},
		{"①", "1"},
		{"cafe\xCC\x81", "caf\xC3\xA9"},
		{"ΑΒΓ_δεζ", "αβγ δεζ"},
		{"Привет", "привет"},
		{"مرحبا_بك", "مرحبا بك"},
		{"हिन्दी", "हिन्दी"},
		{"“quoted”", "quoted"},
		{"ǅ", "dž"},
	};

	(void)state;
	CHECK(normalize_identity, examples);
}

static void ignorable_characters(void **state)
{
	static const struct example examples[] = {
		{"so\xC2\xADt", "sot"}, /* soft hyphen */
		{"a\xE2\x80\x8D"
		 "b",
		 "ab"}, /* zero width joiner */
		{"a\xE2\x80\x8B"
		 "b",
		 "a b"}, /* zero width space divides words */
		{"a\xC2\xA0"
		 "b",
		 "a b"},               /* no-break space */
		{"❤\xEF\xB8\x8F", ""}, /* heart with variation selector */
		{"🚀", ""},
	};

	(void)state;
	CHECK(normalize_identity, examples);
}

static void a_mark_counts_only_after_a_letter_or_number(void **state)
{
	(void)state;
	check(normalize_identity, "\xCC\x81", "");
	check(normalize_identity,
	      "_\xCC\x81"
	      "a",
	      "a");
}

static void invalid_bytes_divide_words(void **state)
{
	(void)state;
	check(normalize_identity,
	      "a\xFF"
	      "b",
	      "a b");
	check(normalize_identity, "\xC3", "");
	check(normalize_identity,
	      "\xED\xA0\x80"
	      "é",
	      "é");
}

static void nul_divides_words(void **state)
{
	struct str result = STR_INIT;

	(void)state;
	normalize_identity(slice_make("a\0b", 3), &result);
	assert_string_equal(result.ptr, "a b");
	normalize_identity(slice_make("ä\0b", 4), &result);
	assert_string_equal(result.ptr, "ä b");
	str_release(&result);
}

static void words_are_split_where_the_case_rises(void **state)
{
	static const struct example examples[] = {
		{"mainEditor", "main editor"},
		{"GeoSync", "geo sync"},
		{"fetch.unpackLimit", "fetch unpack limit"},
		{"HTTPServer", "httpserver"},
		{"sha1InWant", "sha1in want"},
		{"größeEinheit", "grösse einheit"},
		{"cafe\xCC\x81"
		 "Bar",
		 "caf\xC3\xA9 bar"},
		{"MAIN", "main"},
		{"Sunil은", "sunil 은"},
		{"3월 PDF로", "3월 pdf 로"},
	};

	(void)state;
	CHECK(normalize_words, examples);
}

static void parts_are_split_inside_abbreviations_too(void **state)
{
	static const struct example examples[] = {
		{"sslCAPath", "ssl ca path"},  {"allowAnySHA1InWant", "allow any sha1 in want"},
		{"HTTPServer", "http server"}, {"ПКСервер", "пк сервер"},
		{"mainEditor", "main editor"},
	};

	(void)state;
	CHECK(normalize_parts, examples);
}

static void a_key_of_symbols_is_its_own_text(void **state)
{
	(void)state;
	check(normalize_key, "🚀", "🚀");
	check(normalize_key, "???", "???");
	check(normalize_key, "🚀 Launch", "launch");
}

static void the_result_replaces_what_was_there(void **state)
{
	struct str result = STR_INIT;

	(void)state;
	str_adds(&result, "before");
	normalize_identity(slice_of("After"), &result);
	assert_string_equal(result.ptr, "after");
	normalize_words(slice_of(""), &result);
	assert_string_equal(result.ptr, "");
	str_release(&result);
}

/* The short way for ASCII and the long way must agree: a character that vanishes forces it. */
static void both_ways_agree_on_ascii(void **state)
{
	struct str quick = STR_INIT;
	struct str slow = STR_INIT;
	char text[8];

	(void)state;
	for (int a = 1; a < 128; a++) {
		for (int b = 1; b < 128; b += 3) {
			char with_joiner[16];

			snprintf(text, sizeof text, "x%c%cY+", a, b);
			snprintf(with_joiner, sizeof with_joiner, "%s\xE2\x80\x8D", text);
			normalize_words(slice_of(text), &quick);
			normalize_words(slice_of(with_joiner), &slow);
			assert_string_equal(quick.ptr, slow.ptr);
			normalize_parts(slice_of(text), &quick);
			normalize_parts(slice_of(with_joiner), &slow);
			assert_string_equal(quick.ptr, slow.ptr);
		}
	}
	str_release(&quick);
	str_release(&slow);
}

static void normal_text_stays_normal(void **state)
{
	static const char *const texts[] = {"Größe_Einheit", "ＦＵＬＬ", "ﬃ ǅ",
					    "C++ #1",        "हिन्दी",    "Å"};
	struct str once = STR_INIT;
	struct str twice = STR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		normalize_identity(slice_of(texts[i]), &once);
		normalize_identity(str_slice(&once), &twice);
		assert_string_equal(once.ptr, twice.ptr);
	}
	str_release(&once);
	str_release(&twice);
}

/* Sorting marks takes the square of their number, so that a long run has to be cut. */
static void a_flood_of_marks_is_cut(void **state)
{
	struct str flood = STR_INIT;
	struct str result = STR_INIT;

	(void)state;
	str_addc(&flood, 'a');
	for (int i = 0; i < 500000; i++)
		str_adds(&flood, i % 2 ? "\xCC\x81" : "\xCC\xA3");
	normalize_identity(str_slice(&flood), &result);
	assert_true(result.len > 1 && result.len < 100);
	str_release(&flood);
	str_release(&result);
}

static void check_fold(const char *in, bool umlauts_as_e, const char *out, size_t changed)
{
	struct str result = STR_INIT;

	assert_int_equal(normalize_fold(slice_of(in), umlauts_as_e, &result), changed);
	assert_string_equal(result.ptr, out);
	str_release(&result);
}

static void folding_leaves_out_diacritics(void **state)
{
	(void)state;
	check_fold("grösse", false, "grosse", 1);
	check_fold("grösse", true, "groesse", 1);
	check_fold("łódź", false, "lodz", 3);
	check_fold("żółty motyw", true, "zolty motyw", 3);
	check_fold("smørrebrød", false, "smorrebrod", 2);
	check_fold("plain", true, "plain", 0);
	check_fold("日本語 キーボード", false, "日本語 キーボード", 0);
	check_fold("회의", false, "회의", 0);
	check_fold("हिन्दी", false, "हिन्दी", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascii_keys),
		cmocka_unit_test(plus_and_hash_stay_after_a_letter_or_number),
		cmocka_unit_test(other_scripts),
		cmocka_unit_test(ignorable_characters),
		cmocka_unit_test(a_mark_counts_only_after_a_letter_or_number),
		cmocka_unit_test(invalid_bytes_divide_words),
		cmocka_unit_test(nul_divides_words),
		cmocka_unit_test(words_are_split_where_the_case_rises),
		cmocka_unit_test(parts_are_split_inside_abbreviations_too),
		cmocka_unit_test(a_key_of_symbols_is_its_own_text),
		cmocka_unit_test(the_result_replaces_what_was_there),
		cmocka_unit_test(both_ways_agree_on_ascii),
		cmocka_unit_test(normal_text_stays_normal),
		cmocka_unit_test(a_flood_of_marks_is_cut),
		cmocka_unit_test(folding_leaves_out_diacritics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
