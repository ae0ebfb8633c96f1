#include "support/toolcall.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)

/* What an export writes; the caller releases it. */
static struct str exported(struct teststore *t, const char *arguments)
{
	struct str out = STR_INIT;
	STR_AUTO reply = STR_INIT;
	STR_AUTO scratch = STR_INIT;
	struct json_fault fault;
	struct json doc;

	toolcall_reply(t, "export", arguments, &reply);
	assert_int_equal(json_parse(&doc, str_slice(&reply), &json_file_bounds, &fault), 0);
	str_add(&out, json_string(&doc, json_member(&doc, JSON_ROOT, "text"), &scratch));
	json_release(&doc);
	return out;
}

static void writes(struct teststore *t, const char *arguments, const char *expected)
{
	STR_AUTO out = exported(t, arguments);
	STR_AUTO text = STR_INIT;

	for (; *expected; expected++)
		str_addc(&text, *expected == '\'' ? '"' : *expected);
	assert_string_equal(out.ptr, text.ptr);
}

static void set_some(struct teststore *t)
{
	toolcall_write_file(t, "preferences.json",
			    "{'editor':'vim', 'n':{'value':[1.0,-0,1e400],'mine':'a\\u0000b'}}");
	toolcall_write_file(t, "state.json", "{\n\t'b' : {'value':{'x':9007199254740993}}\n}");
	toolcall_write_file(t, "relations.json",
			    "{'r1':{'from':'editor','to':'state:B','mine':7},'r2':"
			    "{'from':'editor','to':'state:gone'},'r3':"
			    "{'from':'preferences:n','to':'state:old'}}");
	toolcall_write_file(t, "archive.json",
			    "{'state':[{'key':'old@2025-01-01T00:00:00.000Z','originalKey':'old',"
			    "'archivedAt':'2025-01-01T00:00:00.000Z','reason':'faded','entry':"
			    "{'value':1}}]}");
	tmpdir_write(&t->dir, "usage.jsonl",
		     "{\"since\":\"2026-11-01T00:00:00.000+01:00\"}\n"
		     "{\"hit\":\"state:b\",\"at\":\"2026-11-02T00:00:00.000+01:00\"}\n");
}

static void a_document_has_a_line_for_each_thing(void **state)
{
	struct teststore *t = *state;

	set_some(t);
	writes(t, "{}",
	       "{\n  'kota_export': 1,\n  'archive': false,\n  'entries': [\n"
	       "    {'category':'preferences','key':'editor','entry':'vim'},\n"
	       "    {'category':'preferences','key':'n','entry':{'value':[1.0,-0,1e400],"
	       "'mine':'a\\u0000b'}},\n"
	       "    {'category':'state','key':'b','entry':{'value':{'x':9007199254740993}},"
	       "'usage':{'hits':1,'last':'2026-11-02T00:00:00.000+01:00'}}\n  ],\n"
	       "  'records': [],\n"
	       "  'links': [\n    {'id':'r1','link':{'from':'editor','to':'state:B','mine':7}}\n"
	       "  ]\n}\n");
	toolcall_reply_has(t, "export", "{}",
			   "'lost':['not in it: 2 links, of which an entry is not in it either']");
}

static void lines_have_the_same_things(void **state)
{
	struct teststore *t = *state;

	set_some(t);
	writes(t, "{'format':'jsonl','category':'state','with_archive':true}",
	       "{'kota_export':1,'category':'state','archive':true}\n"
	       "{'category':'state','key':'b','entry':{'value':{'x':9007199254740993}},"
	       "'usage':{'hits':1,'last':'2026-11-02T00:00:00.000+01:00'}}\n"
	       "{'category':'state','record':{'key':'old@2025-01-01T00:00:00.000Z','originalKey':"
	       "'old','archivedAt':'2025-01-01T00:00:00.000Z','reason':'faded','entry':"
	       "{'value':1}}}\n");
	toolcall_reply_has(t, "export", "{'format':'jsonl','with_archive':true}",
			   "'entries':3,'records':1,'links':2,");
}

static void where_a_record_is_kept_makes_no_difference(void **state)
{
	struct teststore *t = *state;
	STR_AUTO hot = STR_INIT;
	STR_AUTO cold = STR_INIT;

	set_some(t);
	hot = exported(t, "{'with_archive':true}");
	toolcall_write_file(t, "archive.json", "{}");
	mkdirat(t->dir.fd, "archive.cold", 0700);
	toolcall_write_file(t, "archive.cold/2025-01.jsonl",
			    "{'category':'state','key':'old@2025-01-01T00:00:00.000Z','originalKey'"
			    ":'old','archivedAt':'2025-01-01T00:00:00.000Z','reason':'faded',"
			    "'entry':{'value':1}}\n");
	cold = exported(t, "{'with_archive':true}");
	assert_string_equal(hot.ptr, cold.ptr);
}

static void a_graph_has_observations(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "preferences.json", "{'editor':'vim','list':['a','12',3]}");
	toolcall_write_file(t, "connections.json",
			    "{'Ada':{'value':{'type':'person','observations':['likes tea']}}}");
	toolcall_write_file(t, "state.json", "{'editor':{'value':{'a':1.0}},'one':['x']}");
	toolcall_write_file(
		t, "relations.json",
		"{'r':{'from':'Ada','to':'state:editor','metadata':"
		"{'relationType':'uses'}},'s':{'from':'Ada','to':'one','type':'causes'}}");
	writes(t, "{'format':'mcp'}",
	       "{'type':'entity','name':'preferences:editor','entityType':'preferences',"
	       "'observations':['vim']}\n"
	       "{'type':'entity','name':'list','entityType':'preferences','observations':"
	       "['a','\\'12\\'','3']}\n"
	       "{'type':'entity','name':'Ada','entityType':'person','observations':"
	       "['likes tea']}\n"
	       "{'type':'entity','name':'state:editor','entityType':'state','observations':"
	       "['{\\'a\\':1.0}']}\n"
	       "{'type':'entity','name':'one','entityType':'state','observations':"
	       "['[\\'x\\']']}\n"
	       "{'type':'relation','from':'Ada','to':'state:editor','relationType':'uses'}\n"
	       "{'type':'relation','from':'Ada','to':'one','relationType':'causes'}\n");
	toolcall_reply_has(t, "export", "{'format':'mcp'}",
			   "'lost':['not in it, because memory.jsonl has no place for them: times, "
			   "tags and other facts, of 2 entries'");
}

static void markdown_is_for_reading(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "preferences.json",
			    "{'editor':'vim','a\\u0007':1,'# x':'two\\nlines','h':'# no heading'}");
	writes(t, "{'format':'markdown'}",
	       "# Memory\n\n## preferences\n\n### editor\n\nvim\n\n### 'a\\u0007'\n\n```json\n1\n"
	       "```\n\n### '# x'\n\ntwo\nlines\n\n### h\n\n```json\n'# no heading'\n```\n");
}

static void a_store_is_not_touched(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;
	size_t names;

	toolcall_write_file(t, "config.json", "{'limits':{'expiry_days':1}}");
	toolcall_write_file(t, "state.json",
			    "{'a':{'value':1,'last_updated':'2020-01-01T00:00:00.000Z'}}");
	tmpdir_write(&t->dir, "usage.jsonl", "{\"since\":\"2020-01-01T00:00:00.000+01:00\"}\n");
	before = tmpdir_read(&t->dir, "usage.jsonl");
	names = tmpdir_count(&t->dir);
	/* It is due, and still it is there, as it is in the file. */
	toolcall_reply_has(t, "export", "{'format':'jsonl'}", "'entries':1,");
	assert_int_equal(tmpdir_count(&t->dir), names);
	after = tmpdir_read(&t->dir, "usage.jsonl");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void none_is_an_empty_one(void **state)
{
	struct teststore *t = *state;

	writes(t, "{}",
	       "{\n  'kota_export': 1,\n  'archive': false,\n  'entries': [],\n  'records': [],\n"
	       "  'links': []\n}\n");
	assert_false(tmpdir_has(&t->dir, ".kota"));
}

static void half_a_store_is_no_whole_one(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{\n'a':1,}");
	toolcall_write_file(t, "patterns.json", "{'b':2}");
	toolcall_refused_with(t, "export", "{}", ERR_BAD_DATA, "state.json:2:6: ");
	toolcall_refused_with(t, "export", "{}", ERR_BAD_DATA, "--partial");
	/* What is not asked for is in nobody's way. */
	writes(t, "{'format':'jsonl','category':'patterns'}",
	       "{'kota_export':1,'category':'patterns','archive':false}\n"
	       "{'category':'patterns','key':'b','entry':2}\n");
	toolcall_reply_has(t, "export", "{'partial':true}", "'entries':1,");
	toolcall_reply_has(t, "export", "{'partial':true}", "; it is left out'],");
	toolcall_write_file(t, "state.json", "{}");
	toolcall_write_file(t, "relations.json", "{");
	toolcall_reply_has(t, "export", "{}", "answers use its last readable text");
	toolcall_write_file(t, "relations.json", "{}");
	mkdirat(t->dir.fd, "archive.cold", 0700);
	toolcall_write_file(t, "archive.cold/2025-01.jsonl", "nonsense\n");
	toolcall_reply_has(t, "export", "{}", "'entries':1,");
	toolcall_refused_with(t, "export", "{'with_archive':true}", ERR_BAD_DATA,
			      "2025-01.jsonl:1");
	toolcall_reply_has(t, "export", "{'with_archive':true,'partial':true}", "'entries':1,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_document_has_a_line_for_each_thing),
		TEST(lines_have_the_same_things),
		TEST(where_a_record_is_kept_makes_no_difference),
		TEST(a_graph_has_observations),
		TEST(markdown_is_for_reading),
		TEST(a_store_is_not_touched),
		TEST(none_is_an_empty_one),
		TEST(half_a_store_is_no_whole_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
