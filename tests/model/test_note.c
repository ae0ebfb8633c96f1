#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/time.h"
#include "base/utf8.h"
#include "model/note.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static void name_is(const char *key, const char *expected)
{
	STR_AUTO name = STR_INIT;

	note_stem(&name, slice_of(key));
	assert_string_equal(name.ptr, expected);
}

static void a_name_is_the_key_without_what_has_a_meaning(void **state)
{
	(void)state;
	name_is("editor", "editor");
	name_is("Code review: when?", "Code-review-when");
	name_is("a / b \\ c", "a-b-c");
	name_is("[[a|b]]#c^d", "a-b-c-d");
	name_is("$(rm -rf ~)`x`", "(rm--rf-)-x");
	name_is("v1.2", "v1.2");
	name_is("C++", "C++");
	name_is("a\tb\nc\x01"
		"d\x7f",
		"a-b-c-d");
}

static void every_script_is_kept(void **state)
{
	(void)state;
	name_is("偏好 编辑器", "偏好-编辑器");
	name_is("Привет", "Привет");
	name_is("ไทย", "ไทย");
	name_is("🙂", "🙂");
}

static void no_name_leads_elsewhere(void **state)
{
	(void)state;
	name_is("..", "note");
	name_is("../../etc/passwd", "etc-passwd");
	name_is("/etc/passwd", "etc-passwd");
	name_is(".hidden", "hidden");
	name_is("-rf", "rf");
	name_is("end. ", "end");
	name_is("???", "note");
	name_is("", "note");
	/* Neither what turns the text around nor what nobody sees. */
	name_is("a\xe2\x80\xae"
		"b\xe2\x80\x8b"
		"c\xe2\x80\xa9",
		"abc");
}

static void names_of_devices_are_no_names(void **state)
{
	(void)state;
	name_is("con", "note-con");
	name_is("NUL", "note-NUL");
	name_is("Com1", "note-Com1");
	name_is("lpt9.txt", "note-lpt9.txt");
	name_is("com", "com");
	name_is("console", "console");
	name_is("coma", "coma");
}

static void a_long_key_is_cut_between_characters(void **state)
{
	STR_AUTO key = STR_INIT;
	STR_AUTO name = STR_INIT;

	(void)state;
	str_addc(&key, 'x');
	for (int i = 0; i < 100; i++)
		str_adds(&key, "é");
	note_stem(&name, str_slice(&key));
	assert_in_range(name.len, 100, NOTE_STEM_MAX);
	assert_int_equal(utf8_valid_prefix(str_slice(&name)), name.len);
}

/* 2026-11-21T09:30:00.000+01:00 */
#define NOW INT64_C(1795249800000)

static void note_is(const struct note_facts *facts, const char *expected)
{
	STR_AUTO text = STR_INIT;

	note_compose(&text, facts);
	assert_string_equal(text.ptr, expected);
}

static void a_text_stands_as_it_is(void **state)
{
	const struct note_facts facts = {
		.ref = slice_of("preferences:editor"),
		.key = slice_of("editor"),
		.value = slice_of("\"vim, with\\n* plugins\""),
		.tags = slice_of("[\"tools\",\"Odd Tag\",\"tools\",7]"),
		.entities = slice_of("[\"Vim \\\"8\\\"\"]"),
		.created_ms = NOW - MS_PER_DAY,
		.updated_ms = TIME_NONE,
		.promoted_ms = NOW,
		.score = 0.82341,
		.uses = 7,
	};

	(void)state;
	note_is(&facts, "---\n"
			"title: \"editor\"\n"
			"ref: \"preferences:editor\"\n"
			"tags: [\"tools\", \"odd_tag\"]\n"
			"entities: [\"Vim \\\"8\\\"\"]\n"
			"created: 2026-11-20T09:30:00.000+01:00\n"
			"promoted: 2026-11-21T09:30:00.000+01:00\n"
			"score: 0.8234\n"
			"uses: 7\n"
			"---\n\n"
			"# editor\n\n"
			"vim, with\n* plugins\n");
}

static void what_has_parts_is_a_block_that_nothing_in_it_closes(void **state)
{
	struct note_facts facts = {
		.ref = slice_of("state:a"),
		.key = slice_of("a"),
		.value = slice_of("{\"n\":1.0,\"code\":\"```sh\"}"),
		.created_ms = TIME_NONE,
		.updated_ms = TIME_NONE,
		.promoted_ms = TIME_NONE,
		.score = INFINITY,
	};

	(void)state;
	note_is(&facts, "---\ntitle: \"a\"\nref: \"state:a\"\nuses: 0\n---\n\n# a\n\n"
			"````json\n{\n  \"n\": 1.0,\n  \"code\": \"```sh\"\n}\n````\n");
	facts.value = slice_of("[1e400]");
	facts.tags = slice_of("[]");
	facts.entities = slice_of("\"none\"");
	note_is(&facts, "---\ntitle: \"a\"\nref: \"state:a\"\nuses: 0\n---\n\n# a\n\n"
			"```json\n[\n  1e400\n]\n```\n");
	facts.value = slice_of("9007199254740993");
	note_is(&facts, "---\ntitle: \"a\"\nref: \"state:a\"\nuses: 0\n---\n\n# a\n\n"
			"9007199254740993\n");
	facts.value = slice_of("\"\"");
	note_is(&facts, "---\ntitle: \"a\"\nref: \"state:a\"\nuses: 0\n---\n\n# a\n\n");
}

/* Nothing in a key ends the front matter or its line, or is read as YAML. */
static void the_front_matter_holds_anything(void **state)
{
	const struct note_facts facts = {
		.ref = slice_of("state:x"),
		.key = slice_of(
			"a\n---\nb: \"c\" \\ #d\x7f\xe2\x80\xa8\xef\xbb\xbf\xf0\x9f\xbf\xbe"),
		.value = slice_of("true"),
		.created_ms = TIME_NONE,
		.updated_ms = TIME_NONE,
		.promoted_ms = TIME_NONE,
	};

	(void)state;
	note_is(&facts,
		"---\n"
		"title: \"a\\n---\\nb: \\\"c\\\" \\\\ #d\\u007f\\u2028\\ufeff\xef\xbf\xbd\"\n"
		"ref: \"state:x\"\nscore: 0.0000\nuses: 0\n---\n\n"
		"# a\\x0a---\\x0ab: \"c\" \\ #d\\x7f\\u{2028}\\u{feff}\\u{1fffe}\n\ntrue\n");
}

static int set_zone(void **state)
{
	(void)state;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	return 0;
}

static void check_ref(const char *text, const char *expected)
{
	STR_AUTO ref = STR_INIT;

	assert_int_equal(note_ref(slice_of(text), &ref), expected != NULL);
	if (expected)
		assert_string_equal(ref.ptr, expected);
}

static void test_what_the_front_matter_says(void **state)
{
	(void)state;
	check_ref("---\ntitle: x\nref: \"state:a \\\"b\\\"\"\n---\n", "state:a \"b\"");
	check_ref("---\nref: state:a\r\n---\n", "state:a");
	check_ref("---\ntitle: x\n---\nref: state:a\n---\n", NULL);
	check_ref("ref: state:a\n", NULL);
	check_ref("", NULL);
	assert_true(note_promoted(slice_of("---\nref: a\npromoted: "
					   "2026-09-21T16:53:20.000+02:00\n---\n")) ==
		    1790002400000);
	assert_true(note_promoted(slice_of("---\nref: a\n---\n")) == TIME_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_the_key_without_what_has_a_meaning),
		cmocka_unit_test(every_script_is_kept),
		cmocka_unit_test(no_name_leads_elsewhere),
		cmocka_unit_test(names_of_devices_are_no_names),
		cmocka_unit_test(a_long_key_is_cut_between_characters),
		cmocka_unit_test(a_text_stands_as_it_is),
		cmocka_unit_test(what_has_parts_is_a_block_that_nothing_in_it_closes),
		cmocka_unit_test(the_front_matter_holds_anything),
		cmocka_unit_test(test_what_the_front_matter_says),
	};

	return cmocka_run_group_tests(tests, set_zone, NULL);
}
