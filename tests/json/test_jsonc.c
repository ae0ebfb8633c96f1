#include "json/jsonc.h"

#include <stdlib.h>

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#define VALUE "{\"command\":\"/bin/kota\",\"args\":[\"serve\"]}"

static const char *const server_names[] = {"mcpServers", "memory", NULL};
static const struct jsonc_spot server = {server_names, false};

static const char *const local_names[] = {"projects", "/p", "mcpServers", "memory", NULL};
static const struct jsonc_spot local = {local_names, false};

static const char *const hook_names[] = {"hooks", "SessionStart", NULL};
static const struct jsonc_spot hook = {hook_names, true};

/* What the spot holds: of an array the last element. */
static uint32_t find(const struct jsonc *doc, const struct jsonc_spot *spot)
{
	uint32_t node = jsonc_find(doc, spot);
	uint32_t last = JSON_NONE;

	if (!spot->element)
		return node;
	for (uint32_t it = json_first(&doc->json, node); it; it = json_next(&doc->json, it))
		last = it;
	return last;
}

/* Adds to a text (NULL: no file); the caller frees what it is then. */
static char *add(const char *before, const struct jsonc_spot *spot)
{
	struct jsonc_edit edit = JSONC_EDIT_INIT;
	struct json_fault fault;
	struct jsonc doc;
	char *after;

	if (before)
		assert_int_equal(jsonc_parse(&doc, slice_of(before), &fault), 0);
	assert_int_equal(jsonc_add(&edit, before ? &doc : NULL, spot, slice_of(VALUE), &fault), 0);
	after = str_detach(&edit.text);
	jsonc_edit_release(&edit);
	if (before)
		jsonc_release(&doc);
	return after;
}

/* Takes it out of a text and compares what is left; NULL: nothing. */
static void check_removed(const char *text, const struct jsonc_spot *spot, const char *wanted)
{
	struct jsonc_edit edit = JSONC_EDIT_INIT;
	struct json_fault fault;
	struct jsonc doc;
	uint32_t node;

	assert_int_equal(jsonc_parse(&doc, slice_of(text), &fault), 0);
	node = find(&doc, spot);
	assert_int_not_equal(node, JSON_NONE);
	jsonc_remove(&edit, &doc, spot, node);
	assert_int_equal(edit.absent, wanted == NULL);
	if (wanted)
		assert_string_equal(edit.text.ptr, wanted);
	jsonc_edit_release(&edit);
	jsonc_release(&doc);
}

/* Adding makes a text that can be read and holds the value; removing gives the old one back. */
static void check_there_and_back(const char *before, const struct jsonc_spot *spot)
{
	char *after = add(before, spot);
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct jsonc doc;
	uint32_t node;

	if (jsonc_parse(&doc, slice_of(after), &fault) != 0)
		fail_msg("%u:%u: %s\n%s", fault.line, fault.column, fault.what, after);
	node = find(&doc, spot);
	assert_int_not_equal(node, JSON_NONE);
	node = json_member(&doc.json, node, "command");
	assert_true(slice_is(json_string(&doc.json, node, &scratch), "/bin/kota"));
	jsonc_release(&doc);
	check_removed(after, spot, before);
	free(after);
}

static void check_added(const char *before, const struct jsonc_spot *spot, const char *wanted)
{
	char *after = add(before, spot);

	assert_string_equal(after, wanted);
	free(after);
	check_there_and_back(before, spot);
}

static void test_a_new_file(void **state)
{
	(void)state;
	check_added(NULL, &server,
		    "{\n  \"mcpServers\": {\n    \"memory\": {\n      \"command\": \"/bin/kota\",\n"
		    "      \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n");
}

static void test_beside_others_with_comments(void **state)
{
	(void)state;
	check_added(
		"{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"a\": {}, // the a\n\t\t\"b\": 1 // b\n"
		"\t\t// \"c\": 2\n\t},\n}\n",
		&server,
		"{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"a\": {}, // the a\n\t\t\"b\": 1, // b\n"
		"\t\t\"memory\": {\n\t\t\t\"command\": \"/bin/kota\",\n\t\t\t\"args\": [\n"
		"\t\t\t\t\"serve\"\n\t\t\t]\n\t\t}\n\t\t// \"c\": 2\n\t},\n}\n");
}

static void test_a_comma_that_is_there(void **state)
{
	(void)state;
	check_added("{\r\n    \"mcpServers\": {\r\n        \"a\": 1, /* x */\r\n    },\r\n}",
		    &server,
		    "{\r\n    \"mcpServers\": {\r\n        \"a\": 1, /* x */\r\n"
		    "        \"memory\": {\r\n            \"command\": \"/bin/kota\",\r\n"
		    "            \"args\": [\r\n                \"serve\"\r\n            ]\r\n"
		    "        },\r\n    },\r\n}");
}

static void test_on_one_line(void **state)
{
	(void)state;
	check_added("{\"a\":1}", &server, "{\"a\":1,\"mcpServers\":{\"memory\":" VALUE "}}");
	check_added("{\"a\":1,\"mcpServers\":{}}", &server,
		    "{\"a\":1,\"mcpServers\":{ \"memory\":" VALUE " }}");
}

/* Every way in which people write such files, and every depth. */
static void test_there_and_back(void **state)
{
	static const char *const texts[] = {
		NULL,
		"{}",
		"{}\n",
		"{ }",
		"{\n}\n",
		"{\r\n}\r\n",
		"\xEF\xBB\xBF{}\n",
		"\xEF\xBB\xBF{\n  \"a\": 1\n}\n",
		"// first\n{ // here\n}\n",
		"/* a\n b */ {\n\n\n} // end",
		"{\"a\": 1}",
		"{\"a\": 1, }",
		"{\"a\": [1, 2,], \"b\": {\"c\": null,},}",
		"{\n  \"a\": 1\n}",
		"{\n\t\"a\": 1,\n}\n",
		"{\n    \"a\": \"// no comment, }\" // a comment, }\n    /* , */ , \n}\n",
		"{\n  \"a\": 1 /* two\n lines */\n}\n",
		"{\n  \"a\": 1, /* two\n lines */ // and one\n}\n",
		"{ \"a\": 1,\n  \"b\": 2 }\n",
		"{\n  \"mcpServers\": {}\n}\n",
		"{\n  \"mcpServers\": { }\n}\n",
		"{\n  \"mcpServers\": {\n  }\n}\n",
		"{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
		"{\"mcpServers\":{}}",
		"{\"mcpServers\":{ }}",
		"{\"mcpServers\":{\t}}",
		"{\"mcpServers\": { } }",
		"{\"mcpServers\": {\"a\": {\"command\": \"b\"}}}",
		"{\n  \"mcpServers\": {\"a\": 1},\n  \"z\": 2\n}\n",
		"{\n  \"mcpServers\": {\n    \"a\": {\n      \"x\": 1\n    }\n  }\n}\n",
		"{\n  \"projects\": {}\n}\n",
		"{\n  \"projects\": {\n    \"/p\": {}\n  }\n}\n",
		"{\n  \"projects\": {\n    \"/p\": {\n      \"mcpServers\": {},\n      \"b\": []\n "
		"   }\n"
		"  }\n}\n",
		"{\n  \"projects\": {\n    \"/q\": {\"mcpServers\": {}}\n  }\n}\n",
		"{\n  \"hooks\": {}\n}\n",
		"{\n  \"hooks\": {\n    \"SessionStart\": []\n  }\n}\n",
		"{\"hooks\":{\"SessionStart\":[]}}",
		"{\"hooks\":{\"SessionStart\":[{\"hooks\":[]}]}}",
		"{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": []\n      "
		"},\n"
		"    ],\n    \"Stop\": []\n  }\n}\n",
		"{\n\t\"hooks\": {\n\t\t\"Stop\": [] // done\n\t}\n}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		check_there_and_back(texts[i], &server);
		check_there_and_back(texts[i], &local);
		check_there_and_back(texts[i], &hook);
	}
}

/* Somebody has changed what is around it since: only the value goes. */
static void test_removing_from_what_changed(void **state)
{
	(void)state;
	check_removed("{\"mcpServers\": {\n  \"memory\": {},\n  \"b\": 1}}", &server,
		      "{\"mcpServers\": {\n  \"b\": 1}}");
	check_removed("{\"mcpServers\": {\"a\": 1, /* x */ \"memory\": {}, /* y */ \"b\": 1}}",
		      &server, "{\"mcpServers\": {\"a\": 1, /* x */ /* y */ \"b\": 1}}");
	check_removed("{\"mcpServers\": {\"a\": 1, /* x */ \"memory\": {} /* y */}}", &server,
		      "{\"mcpServers\": {\"a\": 1 /* x */ /* y */}}");
	check_removed("{\"mcpServers\": { /* x */ \"memory\": {}, /* y */}}", &server,
		      "{\"mcpServers\": { /* x */ /* y */}}");
}

static void test_what_is_broken_is_named(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		uint32_t column;
	} cases[] = {
		{"", 1, 1},
		{"{,}", 1, 2},
		{"[,]", 1, 2},
		{"{\n  \"a\": 1,,\n}", 2, 10},
		{"{ // a\n \"a\" 1}", 2, 6},
		{"{ /* open }", 1, 3},
		{"{\"a\": \"open\n}", 1, 12},
		{"{\"a\": 1}}", 1, 9},
		{"{\"a\": 1 / 2}", 1, 9},
		{"{\"a\": \"\\", 1, 9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct json_fault fault;
		struct jsonc doc;

		assert_int_equal(jsonc_parse(&doc, slice_of(cases[i].text), &fault), -1);
		if (fault.line != cases[i].line || fault.column != cases[i].column)
			fail_msg("%s: %u:%u: %s", cases[i].text, fault.line, fault.column,
				 fault.what);
	}
}

static void test_another_kind_on_the_way(void **state)
{
	struct jsonc_edit edit = JSONC_EDIT_INIT;
	struct json_fault fault;
	struct jsonc doc;

	(void)state;
	assert_int_equal(jsonc_parse(&doc, slice_of("{\n \"mcpServers\": []}"), &fault), 0);
	assert_int_equal(jsonc_add(&edit, &doc, &server, slice_of(VALUE), &fault), -1);
	assert_int_equal(fault.line, 2);
	assert_string_equal(fault.what, "an object expected");
	jsonc_release(&doc);
	assert_int_equal(jsonc_parse(&doc, slice_of("{\"hooks\": {\"SessionStart\": {}}}"), &fault),
			 0);
	assert_int_equal(jsonc_add(&edit, &doc, &hook, slice_of(VALUE), &fault), -1);
	assert_string_equal(fault.what, "an array expected");
	jsonc_release(&doc);
	jsonc_edit_release(&edit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_file),
		cmocka_unit_test(test_beside_others_with_comments),
		cmocka_unit_test(test_a_comma_that_is_there),
		cmocka_unit_test(test_on_one_line),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_removing_from_what_changed),
		cmocka_unit_test(test_what_is_broken_is_named),
		cmocka_unit_test(test_another_kind_on_the_way),
	};

	return cmocka_run_group_tests_name("jsonc", tests, NULL, NULL);
}
