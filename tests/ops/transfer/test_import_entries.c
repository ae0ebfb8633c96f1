#include "support/toolcall.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define TEST_UNMARKED(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up, toolcall_tear_down)
#define TEST(f) cmocka_unit_test_setup_teardown(f, toolcall_set_up_marked, toolcall_tear_down)

#define ENTITY(name, type, text)                                                                   \
	"{'type':'entity','name':'" name "','entityType':'" type "','observations':['" text "']}"  \
	"\n"
#define RELATION(from, to, type)                                                                   \
	"{'type':'relation','from':'" from "','to':'" to "','relationType':'" type "'}\n"
#define GRAPH                                                                                      \
	RELATION("Ada", "Engine", "wrote about")                                                   \
	ENTITY("Ada", "person", "likes tea") ENTITY("Engine", "project", "has cogs")

/* Makes a folder with one file beside the store, and says where it is. */
static struct str source(struct teststore *t, const char *name, const char *text)
{
	struct str path = STR_INIT;
	STR_AUTO file = STR_INIT;

	str_printf(&path, "%s/from", t->dir.path);
	str_printf(&file, "from/%s", name);
	mkdirat(t->dir.fd, "from", 0700);
	toolcall_write_file(t, file.ptr, text);
	return path;
}

/* The reply to a migration of the path with more arguments. */
static struct str migrate(struct teststore *t, const struct str *path, const char *more)
{
	struct str reply = STR_INIT;
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'source':'%s'%s}", path->ptr, more);
	toolcall_reply(t, "migrate", arguments.ptr, &reply);
	return reply;
}

static void assert_part(struct str reply, const char *part)
{
	STR_AUTO text = STR_INIT;

	for (; *part; part++)
		str_addc(&text, *part == '\'' ? '"' : *part);
	if (!strstr(reply.ptr, text.ptr))
		fail_msg("%s is not in %s", text.ptr, reply.ptr);
	str_release(&reply);
}

static void an_old_folder_keeps_its_times_and_fields(void **state)
{
	static const char entry[] =
		"{'value':1.0,'created':'2020-01-01T00:00:00.000Z','updated':1577836800000,"
		"'accessed_at':'2020-01-03T00:00:00.000Z','hits':7,'mine':[1e400]}";
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;
	STR_AUTO path = STR_INIT;

	str_printf(&text, "{'a':%s, 'bare':'vim'}", entry);
	path = source(t, "patterns.json", text.ptr);
	assert_part(migrate(t, &path, ""), "'kind':'kota','total':2,'migrated':2,'skipped':0");
	toolcall_reply_has(t, "get", "{'query':'patterns:a'}",
			   "'value':1.0,'confidence':1,'created_at':"
			   "'2020-01-01T01:00:00.000+01:00'");
	toolcall_reply_has(t, "search", "{'refs':['patterns:a']}", "'hits':9");
	toolcall_reply_has(t, "get", "{'query':'bare'}", "'value':'vim'");
	/* Nothing of it expires for its age. */
	toolcall_later();
	toolcall_replies(t, "list", "{}", "{'refs':['patterns:a','patterns:bare']}");
}

static void the_archive_comes_along(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "archive.json",
			       "{'state':[{'key':'x@2025-01-01T00:00:00.000Z','originalKey':'x',"
			       "'archivedAt':'2025-01-01T00:00:00.000Z','reason':'expiry',"
			       "'entry':{'value':2}}, 7]}");

	assert_part(migrate(t, &path, ""), "'total':2,'migrated':1,'skipped':1");
	toolcall_replies(t, "archived", "{}", "{'refs':['state:x@2025-01-01T00:00:00.000Z']}");
	assert_part(migrate(t, &path, ""), "'migrated':0");
}

static void it_can_be_run_again(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "memory.jsonl", GRAPH);
	char *before;
	char *after;

	assert_part(migrate(t, &path, ""), "'kind':'server-memory','total':3,'migrated':3");
	before = tmpdir_read(&t->dir, "connections.json");
	toolcall_later();
	assert_part(migrate(t, &path, ""), "'total':3,'migrated':0,'skipped':3");
	assert_part(migrate(t, &path, ""),
		    "{'name':'connections:Ada','reason':'is there already','fate':'there'}");
	after = tmpdir_read(&t->dir, "connections.json");
	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void a_dry_run_says_the_same_and_makes_nothing(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "memory.jsonl", GRAPH);

	assert_part(migrate(t, &path, ",'dry_run':true"), "'total':3,'migrated':3");
	assert_false(tmpdir_has(&t->dir, ".kota"));
	assert_false(tmpdir_has(&t->dir, "connections.json"));
}

static void entities_and_their_relations_come_over(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "memory.jsonl", GRAPH "nonsense\n" RELATION("Ada", "Bob", "x"));
	char *text;

	assert_part(migrate(t, &path, ""), "'total':5,'migrated':3,'skipped':2,'left':[{'name':"
					   "'line:4','reason':'column 1:");
	assert_part(migrate(t, &path, ""),
		    "{'name':'Ada -> Bob','reason':'one of the two is not here','fate':'refused'}");
	toolcall_reply_has(t, "get", "{'query':'connections:ada'}",
			   "'value':{'type':'person','observations':['likes tea']}");
	toolcall_replies(t, "list", "{}", "{'refs':['connections:Ada','state:Engine']}");
	text = tmpdir_read(&t->dir, "relations.json");
	assert_non_null(strstr(text, "\"from\": \"connections:Ada\""));
	assert_non_null(strstr(text, "\"to\": \"state:Engine\""));
	assert_non_null(strstr(text, "\"relationType\": \"wrote about\""));
	free(text);
}

/* One link of a type joins two entries: which of several names was not taken is said. */
static void of_relations_with_other_names_one_is_taken(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "memory.jsonl",
			       GRAPH RELATION("Ada", "Engine", "oils")
				       RELATION("Ada", "Engine", "wrote about")
					       RELATION("Ada", "Engine", "causes"));
	const char *refused =
		"{'name':'Ada -> Engine','reason':'a related link that says something "
		"else joins the two already','fate':'refused'}";

	assert_part(migrate(t, &path, ",'dry_run':true"), "'total':6,'migrated':4,'skipped':2");
	assert_part(migrate(t, &path, ",'dry_run':true"), "'links':2,'there':1,'conflicts':0");
	assert_part(migrate(t, &path, ""), refused);
	assert_part(migrate(t, &path, ""), "'total':6,'migrated':0,'skipped':6");
	assert_part(migrate(t, &path, ""), refused);
	assert_part(migrate(t, &path, ""), "'links':0,'there':5,'conflicts':0,'refused':1");
}

#define MEMORY(id, content, more)                                                                  \
	"{'id':'" id "','content':'" content "','created_at':1577836800,'last_used':1577923200,"   \
	"'use_count':3,'strength':1.5" more "}\n"

static void memories_of_the_graph_get_keys_of_their_words(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(
		t, "memories.jsonl",
		MEMORY("11111111-1", "old text",
		       "") MEMORY("22222222-2", "The API limit is 100 requests a minute",
				  ",'tags':['Rate "
				  "Limit'],'entities':['API'],'status':'active'")
			MEMORY("33333333-3", "The API limit is 100 requests now", "") MEMORY(
				"11111111-1", "new text", ",'meta':{'tags':['t'],'source':'s'}")
				MEMORY("44444444-4", "gone", ",'_deleted':true")
					MEMORY("55555555-5", "put away", ",'status':'archived'"));

	toolcall_write_file(t, "from/relations.jsonl",
			    "{'id':'r','from_memory_id':'22222222-2','to_memory_id':'11111111-1',"
			    "'relation_type':'supports','strength':0.5,'created_at':1577836800}\n");
	assert_part(migrate(t, &path, ""), "'kind':'cortexgraph','total':6,'migrated':5");
	toolcall_replies(t, "list", "{}",
			 "{'refs':['patterns:the_api_limit_is_100_requests',"
			 "'patterns:the_api_limit_is_100_requests_33333333','state:new_text']}");
	toolcall_reply_has(t, "get", "{'query':'new_text'}",
			   "'created_at':'2020-01-01T01:00:00.000+01:00'");
	toolcall_replies(t, "archived", "{}",
			 "{'refs':['state:put_away@2020-01-02T01:00:00.000+01:00']}");
	assert_part(migrate(t, &path, ""), "'total':6,'migrated':0,'skipped':6");
}

static void what_is_here_stays(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "state.json", "{'A b':1,'c':2,'a-b':3}");

	toolcall_try(t, "set", "{'key':'c','value':9,'category':'state'}");
	assert_part(migrate(t, &path, ""), "'total':3,'migrated':1,'skipped':2,'left':[");
	assert_part(migrate(t, &path, ""), "{'name':'state:c','reason':'another value is stored "
					   "under this key','fate':'conflict'}");
	toolcall_reply_has(t, "get", "{'query':'state:c'}", "'value':9");
	toolcall_reply_has(t, "get", "{'query':'state:A b'}", "'value':1");
}

static void nothing_is_pushed_out(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "state.json", "{'b':1,'c':2,'d':3}");

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	assert_part(migrate(t, &path, ""),
		    "'migrated':1,'skipped':2,'left':[{'name':'state:c','reason':'state is full: 2 "
		    "entries (limits.entries_per_category)','fate':'refused'}");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b']}");
}

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"

static void the_bytes_are_kept_to(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "state.json",
			       "{'b':'" LONG "','c':'" LONG "','d':'" LONG "','e':'" LONG "'}");

	toolcall_write_file(t, "config.json", "{'limits':{'total_bytes':400}}");
	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	assert_part(migrate(t, &path, ",'dry_run':true"), "'total':4,'migrated':3,'skipped':1");
	assert_part(migrate(t, &path, ""),
		    "'left':[{'name':'state:e','reason':'the store is full: 400 bytes "
		    "(limits.total_bytes)','fate':'refused'}]");
	toolcall_replies(t, "list", "{}", "{'refs':['state:a','state:b','state:c','state:d']}");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
}

static void what_does_not_fit_is_named(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "state.json", "{'a':'0123456789012345678901','b':1,'':2}");

	toolcall_write_file(t, "config.json", "{'limits':{'entry_bytes':30}}");
	assert_part(migrate(t, &path, ""), "'total':3,'migrated':1,'skipped':2");
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
}

static void a_secret_stays_out(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "state.json",
			       "{'a':'ghp_"
			       "0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
			       "','b':1}");
	STR_AUTO reply = migrate(t, &path, "");

	assert_null(strstr(reply.ptr, "ghp_"));
	assert_non_null(strstr(reply.ptr, "holds a secret ("));
	toolcall_replies(t, "list", "{}", "{'refs':['state:b']}");
	assert_part(migrate(t, &path, ",'allow_secret':true"), "'migrated':1");
}

static void refused(struct teststore *t, const char *path, enum err_code code, const char *part)
{
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'source':'%s'}", path);
	toolcall_refused_with(t, "migrate", arguments.ptr, code, part);
	assert_false(tmpdir_has(&t->dir, ".kota"));
}

static void what_is_no_source_is_refused(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "other.txt", "hello\n");
	STR_AUTO file = STR_INIT;

	refused(t, "/nowhere/at/all", ERR_NOT_FOUND, "source: cannot find /nowhere/at/all");
	refused(t, path.ptr, ERR_NOT_FOUND, "has none of preferences.json");
	str_printf(&file, "%s/other.txt", path.ptr);
	refused(t, file.ptr, ERR_BAD_DATA, "is not a KOTA folder");
	toolcall_write_file(t, "from/state.json", "{\n'a':1,}");
	refused(t, path.ptr, ERR_BAD_DATA, "state.json:2:");
	toolcall_write_file(t, "from/state.json", "[]");
	refused(t, path.ptr, ERR_BAD_DATA, "state.json:1:1");
	toolcall_refused(t, "migrate", "{}", ERR_MISSING_ARGUMENT, NULL);
}

static void one_undo_takes_it_back(void **state)
{
	struct teststore *t = *state;
	STR_AUTO path = source(t, "memory.jsonl", ENTITY("Ada", "person", "likes tea"));
	STR_AUTO reply = STR_INIT;

	toolcall_try(t, "set", "{'key':'a','value':9,'category':'state'}");
	assert_part(migrate(t, &path, ""), "'migrated':1");
	toolcall_reply(t, "undo", "{}", &reply);
	toolcall_replies(t, "list", "{}", "{'refs':['state:a']}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_old_folder_keeps_its_times_and_fields),
		TEST(the_archive_comes_along),
		TEST(it_can_be_run_again),
		TEST_UNMARKED(a_dry_run_says_the_same_and_makes_nothing),
		TEST(entities_and_their_relations_come_over),
		TEST(of_relations_with_other_names_one_is_taken),
		TEST(memories_of_the_graph_get_keys_of_their_words),
		TEST(what_is_here_stays),
		TEST(nothing_is_pushed_out),
		TEST(the_bytes_are_kept_to),
		TEST(what_does_not_fit_is_named),
		TEST(a_secret_stays_out),
		TEST_UNMARKED(what_is_no_source_is_refused),
		cmocka_unit_test_setup_teardown(one_undo_takes_it_back,
						toolcall_set_up_with_history, toolcall_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
