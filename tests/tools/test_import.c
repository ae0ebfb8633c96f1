/* Taking in what was exported, and what others have kept. */
#include "support/carry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up_marked, toolcall_tear_down)

/* ---- what is here */

#define HEAD "{'kota_export':1}\n"
#define ENTRY(key, value)                                                                          \
	"{'category':'state','key':'" key "','entry':{'value':" value ",'last_updated':"           \
	"'2026-11-01T00:00:00.000+01:00'}}\n"

static void a_dry_run_is_all_that_happens_unasked(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "x.jsonl", HEAD ENTRY("a", "1"));
	carry_import_has(t, t, "x.jsonl", "",
			 "'dry_run':true,'kind':'kota-export-lines',"
			 "'total':1,'migrated':1,");
	carry_import_has(t, t, "x.jsonl", ",'yes':true,'dry_run':true", "'dry_run':true");
	assert_false(tmpdir_has(&t->dir, "state.json"));
	carry_import_has(t, t, "x.jsonl", ",'yes':true", "'migrated':1,");
	assert_true(tmpdir_has(&t->dir, "state.json"));
}

static void without_a_history_undo_takes_entries_back(void **state)
{
	struct teststore *t = *state;

	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	toolcall_later();
	toolcall_try(t, "set", "{'key':'own','value':9,'category':'state'}");
	toolcall_later();
	toolcall_write_file(
		t, "x.jsonl",
		HEAD ENTRY("a", "1") ENTRY("b", "1") ENTRY(
			"c",
			"2") "{'category':'state','record':{'key':'r@1','entry':{'value':1}}}\n");
	carry_import_has(
		t, t, "x.jsonl", ",'replace':true,'yes':true",
		"'warnings':['there is no history, so that undo takes back entries alone,");
	toolcall_later();
	toolcall_replies(t, "undo", "{}",
			 "{'restored':['state:a'],'removed':['state:b','state:c']}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:own']}");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':9,");
	toolcall_later();
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a','state:b','state:c']");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b','state:c','state:own']}");
}

static void another_value_stays_unless_it_is_to_go(void **state)
{
	struct teststore *t = *state;
	STR_AUTO dry = STR_INIT;
	STR_AUTO real = STR_INIT;

	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	toolcall_try(t, "set", "{'key':'b','value':1,'category':'state'}");
	toolcall_later();
	toolcall_write_file(t, "x.jsonl", HEAD ENTRY("a", "1") ENTRY("b", "1.0") ENTRY("C", "2"));
	carry_import_has(
		t, t, "x.jsonl", ",'yes':true",
		"'left':[{'name':'state:a','reason':'another value is stored under this key',"
		"'fate':'conflict'},{'name':'state:b','reason':'is there already','fate':"
		"'there'}],'added':['state:C'],'replaced':[],'records':0,'links':0,'there':1,"
		"'conflicts':1,'refused':0");
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':9");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	dry = carry_import(t, t, "x.jsonl", ",'replace':true");
	real = carry_import(t, t, "x.jsonl", ",'replace':true,'yes':true");
	assert_non_null(strstr(real.ptr, "\"replaced\":[\"state:a\",\"state:b\"]"));
	/* It does what it said. */
	assert_string_equal(strstr(dry.ptr, "\"kind\""), strstr(real.ptr, "\"kind\""));
	toolcall_reply_has(t, "get", "{'query':'state:a'}", "'value':1,");
	toolcall_replies(t, "archived", "{}",
			 "{'refs':['state:a@" TOOLCALL_T1 "','state:b@" TOOLCALL_T1 "']}");
	carry_import_has(t, t, "x.jsonl", ",'replace':true,'yes':true", "'migrated':0,");
}

static void one_undo_takes_all_of_it_back(void **state)
{
	struct teststore *t = *state;
	char *before;
	char *after;

	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	toolcall_try(t, "set", "{'key':'b','value':8,'category':'state'}");
	toolcall_try(t, "relate", "{'from':'a','to':'b','type':'causes'}");
	before = carry_export(t, "json", "x.json");
	toolcall_write_file(
		t, "x.jsonl",
		HEAD ENTRY("a", "1") ENTRY(
			"c",
			"2") "{'category':'state','record':{'key':'r@1','entry':{'value':1}}}\n"
			     "{'id':'mine','link':{'from':'b','to':'c'}}\n");
	toolcall_later();
	carry_import_has(t, t, "x.jsonl", ",'replace':true,'yes':true", "'migrated':4,");
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':['state:c']");
	after = carry_export(t, "json", "x.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void links_hold_only_between_what_is_as_it_was(void **state)
{
	struct teststore *t = *state;

	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	toolcall_write_file(
		t, "x.jsonl",
		HEAD ENTRY("a", "1") ENTRY("b", "2") ENTRY(
			"c", "3") "{'id':'l1','link':{'from':'a','to':'b'}}\n"
				  "{'id':'l2','link':{'from':'B','to':'state:c','strength':0.5}}\n"
				  "{'id':'l3','link':{'from':'b','to':'zz'}}\n"
				  "{'id':'l4','link':{'to':'b'}}\n"
				  "{'id':'l5','link':{'from':'c','to':'C'}}\n");
	carry_import_has(t, t, "x.jsonl", ",'yes':true", "'links':1,");
	toolcall_file_is(t, "relations.json",
			 "{\n  'l2': {\n    'from': 'B',\n    'to': 'state:c',\n    "
			 "'strength': 0.5\n  }\n}\n");
	carry_import_has(t, t, "x.jsonl", "",
			 "{'name':'a -> b','reason':'another value is stored under a','fate':"
			 "'refused'}");
	carry_import_has(t, t, "x.jsonl", "",
			 "{'name':'l4','reason':'is no link: it needs from, to and one of the six "
			 "types','fate':'refused'}");
	carry_import_has(t, t, "x.jsonl", "", "'leads from an entry to itself'");
	toolcall_write_file(t, "y.jsonl",
			    HEAD "{'id':'l2','link':{'from':'c','to':'b','type':'causes'}}\n");
	carry_import_has(t, t, "y.jsonl", "",
			 "'another link has the same name','fate':"
			 "'conflict'");
}

/* In two parts, so that nobody takes a test for a leak. */
#define TOKEN                                                                                      \
	"ghp"                                                                                      \
	"_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"

/* ---- what others have written */

static void what_cannot_be_taken_is_named(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':150}}");
	toolcall_write_file(
		t, "x.jsonl",
		HEAD "nonsense\n" ENTRY("a", "'" TOKEN "'") "{'category':'state','key':'"
							    "deep','entry':"
							    "[[[[[[[[[[[[[[[[[[[[[[[[[1]]"
							    "]]]]]]]]]]]]]]]]]]]]]]]}"
							    "\n" ENTRY("large",
								       "'0123456789012345678"
								       "90123456789012345678"
								       "90123456789012345678"
								       "90123"
								       "45678901234567890123"
								       "45678901234567890123"
								       "45678901234567890123"
								       "'") "{'category':'"
									    "state','entry':"
									    "1}\n7\n{'mine':"
									    "1}\n"
									    "{'category':'"
									    "other','record'"
									    ":{'key':'a@b','"
									    "entry':1}}\n"
									    "{'category':'"
									    "state','record'"
									    ":{'key':'u@b','"
									    "undo':true,'"
									    "entry':1}}\n"
									    "{'category':'"
									    "state','record'"
									    ":{'key':'s@b','"
									    "entry':"
									    "'ghp_"
									    "0a1B2c3D4e5F6g7"
									    "H8i9J0k1L2m3N4o"
									    "5P6q7R'}}"
									    "\n" ENTRY("ok", "1"));
	carry_import_has(t, t, "x.jsonl", ",'yes':true", "'total':11,'migrated':1,");
	carry_import_has(t, t, "x.jsonl", "", "{'name':'line:2','reason':'column 1: ");
	carry_import_has(t, t, "x.jsonl", "", "{'name':'state:a','reason':'holds a secret (");
	carry_import_has(t, t, "x.jsonl", "", "24");
	carry_import_has(t, t, "x.jsonl", "", "limits.entry_bytes");
	carry_import_has(t, t, "x.jsonl", "", "{'name':'entry','reason':'has no key',");
	toolcall_replies(t, "list", "{}", "{'refs':['state:ok']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void refused(struct teststore *t, const char *name, const char *more, enum err_code code,
		    const char *part)
{
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'source':'%s/%s','yes':true%s}", t->dir.path, name, more);
	toolcall_refused_with(t, "import", arguments.ptr, code, part);
	assert_false(tmpdir_has(&t->dir, "state.json"));
}

#define LINK(id, from, to, type)                                                                   \
	"{'id':'" id "','link':{'from':'" from "','to':'" to "','type':" type "}}\n"

/* In a key, beside a password that is only warned of, in the text of a link or its name. */
static void no_secret_comes_in_unasked(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;
	char *text;

	toolcall_write_file(
		t, "x.jsonl",
		HEAD ENTRY("a", "1") ENTRY("b", "2") ENTRY(TOKEN, "3")
			ENTRY("http://joe:s3cretpw9@db.corp/x", "'" TOKEN "'") LINK(
				"l", "state:a", "state:b", "'related','metadata':{'t':'" TOKEN "'}")
				LINK(TOKEN, "state:b", "state:a", "'related'")
					LINK("m", "state:a", "state:b", "'causes'"));
	reply = carry_import(t, t, "x.jsonl", ",'yes':true");
	assert_null(strstr(reply.ptr, "ghp_"));
	assert_non_null(strstr(reply.ptr, "\"added\":[\"state:a\",\"state:b\"]"));
	assert_non_null(strstr(reply.ptr, "\"links\":1,\"there\":0,\"conflicts\":0,\"refused\":4"));
	assert_non_null(strstr(reply.ptr, "{\"name\":\"state:a -> state:b\",\"reason\":\"holds a "
					  "secret (GitHub token)\",\"fate\":\"refused\"}"));
	text = tmpdir_read(&t->dir, "relations.json");
	assert_null(strstr(text, "ghp_"));
	free(text);
	carry_import_has(t, t, "x.jsonl", ",'yes':true,'allow_secret':true",
			 "'links':2,'there':3,");
}

static void no_link_is_followed_out_of_a_folder(void **state)
{
	struct teststore *t = *state;

	mkdirat(t->dir.fd, "kota", 0700);
	mkdirat(t->dir.fd, "claude", 0700);
	toolcall_write_file(t, "secret.json", "{'a':1}");
	toolcall_write_file(t, "kota/patterns.json", "{'b':1}");
	assert_int_equal(symlinkat("../secret.json", t->dir.fd, "kota/state.json"), 0);
	refused(t, "kota", "", ERR_BAD_DATA, "kota/state.json is a link");
	unlinkat(t->dir.fd, "kota/state.json", 0);
	assert_int_equal(mkfifoat(t->dir.fd, "kota/state.json", 0600), 0);
	refused(t, "kota", "", ERR_BAD_DATA, "state.json");
	toolcall_write_file(t, "claude/MEMORY.md", "- [x](../../secret.json.md) no pointer\n");
	assert_int_equal(symlinkat("../secret.json", t->dir.fd, "claude/a.md"), 0);
	refused(t, "claude", "", ERR_BAD_DATA, "a.md is a link");
	unlinkat(t->dir.fd, "claude/a.md", 0);
	assert_int_equal(mkfifoat(t->dir.fd, "claude/a.md", 0600), 0);
	refused(t, "claude", "", ERR_BAD_DATA, "a.md");
	refused(t, "claude/a.md", "", ERR_BAD_DATA, "a.md");
}

/* What of a folder cannot be looked at is not left out as if it were not there. */
static void a_look_that_fails_is_no_absence(void **state)
{
	struct teststore *t = *state;
	bool taken = false;

	mkdirat(t->dir.fd, "kota", 0700);
	toolcall_write_file(t, "kota/patterns.json", "{'b':1}");
	toolcall_write_file(t, "kota/config.json", "{}");
	toolcall_replies(t, "set", "{'key':'here','value':1}", NULL);
	for (unsigned n = 1; !taken && n < 500; n++) {
		STR_AUTO arguments = STR_INIT;
		STR_AUTO reply = STR_INIT;
		size_t before = fake_sys_count(FAKE_FSTATAT);

		str_printf(&arguments, "{\"source\":\"%s/kota\"}", t->dir.path);
		fake_sys_fail(FAKE_FSTATAT, n, EACCES, FAKE_ONCE);
		if (toolcall_works(t, "import", arguments.ptr, &reply)) {
			assert_non_null(strstr(reply.ptr, "\"added\":[\"patterns:b\"]"));
			assert_non_null(strstr(reply.ptr, "\"unread\":[\"config.json\"]"));
			taken = fake_sys_count(FAKE_FSTATAT) - before < n;
		}
		fake_sys_reset(TESTSTORE_NOW);
	}
	assert_true(taken);
}

static void what_is_no_export_is_refused(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "x", "{'kota_export':2,'entries':[]}");
	refused(t, "x", "", ERR_BAD_FORMAT, "newer program");
	toolcall_write_file(t, "x", "{'kota_export':1,\n'entries':[{");
	refused(t, "x", "", ERR_BAD_DATA, "x:2:13: ");
	toolcall_write_file(t, "x", "{'entries':[]}");
	refused(t, "x", "", ERR_BAD_DATA, "is not a KOTA folder");
	refused(t, "x", ",'format':'json'", ERR_BAD_DATA, "kota_export");
	toolcall_write_file(t, "x", "");
	refused(t, "x", ",'format':'jsonl'", ERR_BAD_DATA, "no line of JSON");
	refused(t, "y", "", ERR_NOT_FOUND, "cannot find");
}

static void nothing_of_ours_is_pushed_out(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	toolcall_write_file(t, "x.jsonl", HEAD ENTRY("b", "1") ENTRY("c", "2"));
	carry_import_has(t, t, "x.jsonl", ",'yes':true",
			 "{'name':'state:c','reason':'state is full: 2 entries "
			 "(limits.entries_per_category)','fate':'refused'}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
}

/* ---- Claude Code's memory, and documents */

static void a_folder_of_memories_is_read_by_its_front_matter(void **state)
{
	struct teststore *t = *state;

	mkdirat(t->dir.fd, "memory", 0700);
	tmpdir_write(&t->dir, "memory/MEMORY.md",
		     "# Memory\n\n- [Tabs](tabs.md) \xe2\x80\x94 how to indent\n\n## Build limit\n"
		     "make -j2\n");
	tmpdir_write(
		&t->dir, "memory/tabs.md",
		"---\nname: use-tabs\ndescription: how to indent: always\ntype: feedback\n---\n"
		"\nTabs of eight.\n**Why:** the house does. See [[the-house]].\n");
	tmpdir_write(
		&t->dir, "memory/house.md",
		"---\nname: \"the-house\"\ndescription: >-\n  two\n  lines\nmetadata:\n  type: "
		"project\n---\nA house of C.\n");
	tmpdir_write(&t->dir, "memory/plain.md", "no front matter\n");
	tmpdir_write(&t->dir, "memory/empty.md", "---\nname: e\ntype: user\n---\n\n");
	tmpdir_write_slice(&t->dir, "memory/latin.md", slice_make("caf\xe9", 4));
	carry_import_has(t, t, "memory", ",'yes':true",
			 "'kind':'claude-memory','total':7,'migrated':5,'skipped':2,");
	toolcall_replies(t, "list", "{}",
			 "{'refs':['patterns:Build limit','preferences:use-tabs',"
			 "'state:plain','state:the-house']}");
	toolcall_reply_has(t, "search", "{'refs':['use-tabs']}", "'tags':['feedback']");
	toolcall_reply_has(t, "get", "{'query':'preferences:use-tabs'}",
			   "'value':'Tabs of eight.\\n**Why:** the house does. See "
			   "[[the-house]].'");
	toolcall_reply_has(t, "search", "{'refs':['use-tabs'],'relations':true}",
			   "state:the-house");
}

static void memories_mean_each_other_by_name_or_by_file(void **state)
{
	struct teststore *t = *state;

	mkdirat(t->dir.fd, "memory", 0700);
	tmpdir_write(&t->dir, "memory/MEMORY.md", "# Memory\n");
	tmpdir_write(&t->dir, "memory/feedback_mocks.md",
		     "---\nname: No mocks\ntype: feedback\n---\nA real database.\n");
	tmpdir_write(&t->dir, "memory/ci.md",
		     "---\nname: CI\ntype: project\n---\nSee [[no-mocks]].\n");
	tmpdir_write(&t->dir, "memory/nightly.md",
		     "---\nname: Nightly\ntype: project\n---\nSee [[feedback_mocks]].\n");
	/* A name goes before a file that is called like it. */
	tmpdir_write(&t->dir, "memory/no-mocks.md",
		     "---\nname: Other\ntype: project\n---\nSee [[nobody]].\n");
	carry_import_has(t, t, "memory", ",'yes':true", "'total':7,'migrated':6,'skipped':1,");
	toolcall_reply_has(t, "search", "{'refs':['CI'],'relations':true}",
			   "'to':'preferences:No mocks'");
	toolcall_reply_has(t, "search", "{'refs':['Nightly'],'relations':true}",
			   "'to':'preferences:No mocks'");
}

static void a_byte_order_mark_is_no_part_of_a_memory(void **state)
{
	struct teststore *t = *state;

	mkdirat(t->dir.fd, "memory", 0700);
	tmpdir_write(&t->dir, "memory/MEMORY.md", "\xef\xbb\xbf# Memory\n");
	tmpdir_write(&t->dir, "memory/a.md",
		     "\xef\xbb\xbf---\r\nname: tabs\r\ntype: user\r\n---\r\nof eight\r\n");
	tmpdir_write(&t->dir, "memory/b.md", "\xef\xbb\xbfplain\n");
	carry_import_has(t, t, "memory", ",'yes':true", "'total':2,'migrated':2,");
	toolcall_replies(t, "list", "{}", "{'refs':['preferences:tabs','state:b']}");
	toolcall_reply_has(t, "get", "{'query':'tabs'}", "'value':'of eight'");
	toolcall_reply_has(t, "get", "{'query':'b'}", "'value':'plain'");
	tmpdir_write(&t->dir, "c.md", "\xef\xbb\xbf---\nname: one\n---\nof its own\n");
	carry_import_has(t, t, "c.md", ",'yes':true", "'added':['state:one']");
}

static void a_document_is_read_by_its_headings(void **state)
{
	struct teststore *t = *state;

	tmpdir_write(&t->dir, "notes.md",
		     "before\n# Deploys\r\nby hand\n```sh\n# no heading\n```\n## Empty\n## state\n"
		     "### port\n```json\n8080\n```\n");
	carry_import_has(t, t, "notes.md", ",'yes':true", "'kind':'markdown','total':3,");
	toolcall_replies(t, "list", "{}", "{'refs':['state:Deploys','state:notes','state:port']}");
	toolcall_reply_has(t, "get", "{'query':'state:port'}", "'value':8080,");
	toolcall_reply_has(t, "get", "{'query':'Deploys'}",
			   "'value':'by hand\\n```sh\\n# no heading\\n```'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_dry_run_is_all_that_happens_unasked),
		TEST(without_a_history_undo_takes_entries_back),
		TEST(another_value_stays_unless_it_is_to_go),
		cmocka_unit_test_setup_teardown(one_undo_takes_all_of_it_back,
						toolcall_set_up_with_history, toolcall_tear_down),
		TEST(links_hold_only_between_what_is_as_it_was),
		TEST(what_cannot_be_taken_is_named),
		TEST(no_secret_comes_in_unasked),
		TEST(no_link_is_followed_out_of_a_folder),
		TEST(a_look_that_fails_is_no_absence),
		TEST(what_is_no_export_is_refused),
		TEST(nothing_of_ours_is_pushed_out),
		TEST(a_folder_of_memories_is_read_by_its_front_matter),
		TEST(memories_mean_each_other_by_name_or_by_file),
		TEST(a_byte_order_mark_is_no_part_of_a_memory),
		TEST(a_document_is_read_by_its_headings),
	};

	tmpdir_in_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
