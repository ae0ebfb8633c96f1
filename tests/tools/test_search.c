#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <sys/stat.h>
#include <unistd.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0

#define PAGE(page, size, total, pages, more)                                                       \
	"'pagination':{'page':" page ",'page_size':" size ",'total_count':" total                  \
	",'total_pages':" pages ",'has_more':" more "}"
#define NONE "{'count':0,'results':[]}"

static void ranks_entries(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set",
			 "{'key':'editor','value':'I write in neovim','category':'preferences',"
			 "'tags':['tools']}",
			 NULL);
	toolcall_replies(t, "set", "{'key':'shell','value':{'name':'fish'}}", NULL);
	toolcall_replies(
		t, "search", "{'query':'which editor do I write in'}",
		"{'count':1,'results':[{'ref':'preferences:editor','value':'I write in neovim',"
		"'relevance':0.817,'last_updated':'2026-11-21','matched':['editor','write']}]}");
	toolcall_replies(
		t, "search", "{'query':'which editor do I write in','include_scores':true}",
		"{'count':1,'results':[{'ref':'preferences:editor','value':'I write in neovim',"
		"'relevance':0.817,'last_updated':'2026-11-21','matched':['editor','write'],"
		"'tags':['tools'],'decay':1,'hits':2,'uses':0,'age_days':0,"
		"'review_priority':0}],'method':'lexical'}");
	toolcall_replies(t, "search", "{'query':'volcano'}", NONE);
}

static void a_store_that_is_not_there_is_not_made(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "search", "{'query':'x'}", NONE);
	toolcall_reply_has(t, "search", "{}", "{'count':0,'results':[],'pagination'");
	toolcall_reply_has(t, "search", "{'refs':['state:a']}", "'not_found':['state:a']");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void counts_hits_of_what_is_shown(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'red':'a fox','blue':'a fox','green':'a hen'}");
	toolcall_reply_has(t, "search", "{'query':'fox','limit':1}", "'ref':'state:red'");
	toolcall_reply_has(t, "search",
			   "{'query':'fox','include_scores':true,'track_access':false}",
			   "'hits':1,");
	toolcall_reply_has(t, "search", "{'refs':['red']}", "'hits':2,");
	toolcall_reply_has(t, "search", "{'refs':['blue']}", "'hits':1,");
	toolcall_reply_has(t, "search", "{'refs':['state:blue'],'track_access':false}",
			   "'hits':1,");
	toolcall_reply_has(t, "search", "{'refs':['state:blue']}", "'hits':2,");
}

/* The rest of a list has a word in common with the question, no more. */
static void what_stands_beside_the_answer_is_no_hit(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'kiln_heat':'The kiln is fired at 1240 degrees',"
			    "'kiln_shelf':'A new shelf for the brushes came with the lorry'}");
	toolcall_reply_has(t, "search", "{'query':'to how many degrees is the kiln fired'}",
			   "{'count':2,'results':[{'ref':'state:kiln_heat'");
	toolcall_reply_has(t, "search", "{'refs':['kiln_heat'],'track_access':false}", "'hits':1,");
	toolcall_reply_has(t, "search", "{'refs':['kiln_shelf'],'track_access':false}",
			   "'hits':0,");
}

#define RECORD(key, reason, value)                                                                 \
	"{'key':'" key "@2026-11-01T09:00:00.000+00:00','originalKey':'" key                       \
	"','archivedAt':'2026-11-01T09:00:00.000+00:00','reason':'" reason                         \
	"','entry':{'value':'" value "'}}"

/* It comes before entries that only share a word with the question, and is marked. */
static void what_expired_answers_where_nothing_active_does(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'glaze_stock':'Two buckets of celadon are left'}");
	toolcall_write_file(
		t, "archive.json",
		"{'state':[" RECORD(
			"kiln_heat", "expiry",
			"Celadon is fired at 1240 degrees") "," RECORD("kiln_cold", "deleted",
								       "Celadon is fired at 900 "
								       "degrees") "]}");
	toolcall_reply_has(t, "search", "{'query':'to how many degrees is celadon fired'}",
			   "{'count':2,'results':[{'ref':'state:kiln_heat@2026-11-01T09:00:00.000+"
			   "00:00','value':'Celadon is fired at 1240 degrees'");
	toolcall_reply_has(t, "search",
			   "{'query':'to how many degrees is celadon fired','scope':['active']}",
			   "{'count':1,'results':[{'ref':'state:glaze_stock'");
	toolcall_reply_has(t, "search", "{'query':'how many buckets of celadon are left'}",
			   "{'count':1,'results':[{'ref':'state:glaze_stock'");
}

#define COLD_AS(key, reason, value)                                                                \
	"{'category':'state','key':'" key "@2026-11-01T09:00:00.000+00:00','originalKey':'" key    \
	"','archivedAt':'2026-11-01T09:00:00.000+00:00','reason':'" reason                         \
	"','entry':{'value':'" value "'}}\n"
#define COLD(key, value) COLD_AS(key, "deleted", value)

/* Who lists what is archived means all of it; what never answers is listed elsewhere. */
static void lists_cold_records_too(void **state)
{
	struct teststore *t = *state;

	teststore_mark(&t->dir);
	toolcall_write_file(t, "archive.json", "{'state':[" RECORD("kept", "expiry", "one") "]}");
	assert_int_equal(mkdirat(t->dir.fd, "archive.cold", 0700), 0);
	toolcall_write_file(t, "archive.cold/2026-11.jsonl",
			    COLD_AS("first", "faded", "1") COLD("second", "2")
				    COLD_AS("third", "evicted", "3"));
	toolcall_reply_has(t, "search", "{'scope':['archived']}",
			   PAGE("1", "10", "3", "1", "false"));
	toolcall_reply_has(t, "search", "{'scope':['archived']}", "'ref':'state:third@");
	toolcall_reply_has(t, "search", "{'scope':['all'],'page_size':1,'page':3}",
			   "'ref':'state:third@");
	toolcall_reply_has(t, "search", "{'scope':['archived'],'category':'patterns'}",
			   "{'count':0,");
	toolcall_reply_has(t, "search", "{}", "{'count':0,");
}

static void opens_several_cold_records(void **state)
{
	struct teststore *t = *state;

	teststore_mark(&t->dir);
	assert_int_equal(mkdirat(t->dir.fd, "archive.cold", 0700), 0);
	toolcall_write_file(t, "archive.cold/2026-11.jsonl",
			    COLD("one", "first") COLD("two", "second"));
	toolcall_reply_has(t, "search",
			   "{'refs':['state:one@2026-11-01T09:00:00.000+00:00',"
			   "'state:two@2026-11-01T09:00:00.000+00:00']}",
			   "'value':'first'");
}

static void opens_refs(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':{'value':1,'entities':['X'],'strength':1.5,'meta':{'by':[1.0]}},'"
			    "b':2,'c':3}");
	toolcall_replies(
		t, "search", "{'refs':['state:b','A','state:nope','b']}",
		"{'count':2,'results':[{'ref':'state:b','value':2,'last_updated':'" T0
		"','decay':1,'hits':1,'uses':0,'age_days':0,'review_priority':0,'created_at':'" T0
		"','last_active':'" T0 "','accessed_at':'" T0
		"'},{'ref':'state:a','value':1,'last_updated':'" T0
		"','decay':1.5,'hits':1,'uses':0,'age_days':0,'review_priority':0,"
		"'entities':['X'],'strength':1.5,'meta':{'by':[1.0]},'created_at':'" T0
		"','last_active':'" T0 "','accessed_at':'" T0
		"'}],'not_found':['state:nope']," PAGE("1", "100", "2", "1",
						       "false") ",'method':'refs'}");
	toolcall_reply_has(t, "search", "{'refs':[]}", "{'count':0,'results':[],");
}

static void opens_archived_records(void **state)
{
	struct teststore *t = *state;
	const char *ref = "{'refs':['state:goal@2026-11-21T09:31:00.000+01:00']}";

	toolcall_replies(t, "set", "{'key':'goal','value':'ship it'}", NULL);
	toolcall_later();
	toolcall_replies(t, "delete", "{'key':'goal'}", NULL);
	toolcall_reply_has(t, "search", ref, "'value':'ship it'");
	toolcall_reply_has(t, "search", ref, "'status':'archived'");
	toolcall_reply_has(t, "search", "{'query':'ship','scope':['all']}", "{'count':0,");
}

static void goes_through_all_page_by_page(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':1,'b':2,'c':3}");
	toolcall_write_file(t, "patterns.json", "{'p':1}");
	toolcall_reply_has(t, "search", "{'limit':3}", "{'count':3,'results':[{'ref':'patterns:p'");
	toolcall_reply_has(t, "search", "{'limit':3}", PAGE("1", "3", "4", "2", "true"));
	toolcall_reply_has(t, "search", "{'limit':3,'page':2}",
			   "{'count':1,'results':[{'ref':'state:c'");
	toolcall_reply_has(t, "search", "{'limit':3,'page':2,'query':''}",
			   PAGE("2", "3", "4", "2", "false") ",'method':'list'");
	toolcall_reply_has(t, "search", "{'limit':3,'page_size':2,'page':2}",
			   PAGE("2", "2", "4", "2", "false"));
	toolcall_refused(t, "search", "{'limit':3,'page':3}", ERR_BAD_VALUE,
			 "page: 3 is past the end; there are 2");
}

static void pages_of_a_size_go_through_all_there_is(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':1,'b':2,'c':3,'d':4,'e':5,'f':6,'g':7,'h':8,'i':9,'j':10,'k':11,"
			    "'l':12}");
	toolcall_reply_has(t, "search", "{}", PAGE("1", "10", "12", "2", "true"));
	toolcall_reply_has(t, "search", "{'page_size':5,'page':3}",
			   PAGE("3", "5", "12", "3", "false"));
	toolcall_reply_has(t, "search", "{'page_size':5,'limit':7}",
			   PAGE("1", "5", "12", "3", "true"));
	toolcall_reply_has(t, "search", "{'page_size':7,'limit':5,'page':3}",
			   PAGE("3", "5", "12", "3", "false"));
	toolcall_reply_has(t, "search", "{'page_size':11}", PAGE("1", "11", "12", "2", "true"));
}

static void filters(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':{'value':'x','tags':['One']},'b':{'value':'x','tags':['two'],"
			    "'confidence':0.4,'strength':2},'c':'x'}");
	toolcall_write_file(t, "patterns.json", "{'p':'x'}");
	toolcall_reply_has(t, "search", "{'category':'patterns'}", "{'count':1,");
	toolcall_reply_has(t, "search", "{'query':'state:x'}", "{'count':3,");
	toolcall_reply_has(t, "search", "{'tags':['ONE','zero']}",
			   "{'count':1,'results':[{'ref':'state:a'");
	toolcall_reply_has(t, "search", "{'tags':['zero'],'query':'x'}", "{'count':0,");
	toolcall_reply_has(t, "search", "{'min_confidence':0.5}", "{'count':3,");
	toolcall_reply_has(t, "search", "{'min_score':1.5}",
			   "{'count':1,'results':[{'ref':'state:b'");
	fake_sys_set_now(fake_sys_now() + 10 * MS_PER_DAY);
	toolcall_reply_has(t, "search", "{'window_days':9}", "{'count':0,");
	toolcall_reply_has(t, "search", "{'window_days':11}", "{'count':4,");
	/* a list is no use of what is in it, a query is */
	toolcall_reply_has(t, "search", "{'window_days':1}", "{'count':0,");
	toolcall_reply_has(t, "search", "{'query':'x'}", "{'count':4,");
	toolcall_reply_has(t, "search", "{'window_days':1}", "{'count':4,");
}

static void shows_the_archived_only_when_asked(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "patterns.json",
			    "{'p':{'value':'ship','status':'promoted','promoted_to':'p.md'}}");
	toolcall_replies(t, "set", "{'key':'goal','value':'ship'}", NULL);
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_reply_has(t, "search", "{'query':'ship'}",
			   "{'count':1,'results':[{'ref':'patterns:p'");
	toolcall_reply_has(t, "search", "{'query':'ship','scope':['active']}", "{'count':0,");
	toolcall_reply_has(t, "search", "{'query':'ship','scope':['archived']}",
			   "{'count':1,'results':[{'ref':'state:goal@");
	toolcall_reply_has(t, "search", "{'query':'ship','scope':['promoted']}",
			   "{'count':1,'results':[{'ref':'patterns:p'");
	toolcall_reply_has(t, "search", "{'query':'ship','scope':['all']}", "{'count':2,");
}

static void cuts_values(void **state)
{
	struct teststore *t = *state;
	STR_AUTO call = STR_INIT;

	toolcall_write_file(t, "state.json", "{'a':'x\xc3\xa9yz','b':{'long':[1,2,3]}}");
	toolcall_reply_has(t, "search", "{'preview':2,'query':'a'}",
			   "'value':'x\xc3\xa9\xe2\x80\xa6','truncated':true,");
	toolcall_reply_has(t, "search", "{'preview':6,'query':'b'}",
			   "'value':'{\\'long\xe2\x80\xa6','truncated':true,");
	toolcall_reply_has(t, "search", "{'preview':0,'query':'b'}", "'value':{'long':[1,2,3]},");
	toolcall_reply_has(t, "search", "{'preview':4,'query':'a'}", "'value':'x\xc3\xa9yz','r");
	str_printf(&call, "{'key':'c','value':'%0*d'}", 400, 0);
	toolcall_replies(t, "set", call.ptr, NULL);
	toolcall_reply_has(t, "search", "{'query':'c'}", "'truncated':true");
	toolcall_reply_has(t, "search", "{'refs':['state:c']}", "0','last_updated'");
}

static void make_notes(struct teststore *t)
{
	assert_int_equal(mkdirat(t->dir.fd, "notes", 0700), 0);
}

static void looks_through_notes(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'release','value':'ships on Friday'}", NULL);
	make_notes(t);
	toolcall_write_file(t, "notes/plan.md",
			    "---\ntitle: The plan\ntags: [ops, 'b c']\n---\n# Ships\nOn Friday.\n");
	toolcall_write_file(t, "notes/.hidden.md", "Friday");
	toolcall_write_file(t, "notes/other.txt", "Friday");
	toolcall_reply_has(t, "search", "{'query':'ships friday'}", "{'count':1,");
	toolcall_reply_has(t, "search", "{'query':'ships friday','scope':['all']}",
			   "{'count':2,'results':[{'ref':'state:release'");
	toolcall_reply_has(t, "search", "{'query':'ships friday','scope':['all'],'ltm_weight':2}",
			   "{'count':2,'results':[{'ref':'notes/plan.md'");
	toolcall_reply_has(t, "search", "{'query':'plan','scope':['notes'],'tags':['OPS']}",
			   "'matched':['plan'],'status':'notes'}");
	toolcall_reply_has(t, "search", "{'refs':['notes/plan.md']}", "'tags':['ops','b c']");
	toolcall_reply_has(t, "search", "{'refs':['notes/plan.md']}",
			   "'value':'# Ships\\nOn Friday.'");
	toolcall_write_file(t, "notes/plan.md", "Sundays");
	toolcall_reply_has(t, "search", "{'query':'sunday','scope':['notes']}", "{'count':1,");
	toolcall_reply_has(t, "search", "{'query':'sunday','scope':['all'],'stm_weight':0}",
			   "{'count':1,");
}

/* What is found may be the words of the entry, or those that the person added to the note. */
static void a_promoted_entry_and_its_note_are_one_result(void **state)
{
	struct teststore *t = *state;
	static const char *const scopes[] = {"", ",'scope':'all'", ",'scope':['promoted','notes']"};

	toolcall_replies(t, "set", "{'key':'orchid','value':'ships on Friday'}", NULL);
	toolcall_replies(t, "promote", "{'ref':'orchid','force':true,'dry_run':false}", NULL);
	toolcall_write_file(t, "notes/orchid.md",
			    "---\ntitle: orchid\nref: state:orchid\n---\nFriday, by the ferry.\n");
	toolcall_write_file(t, "notes/own.md", "---\nref: state:orchid\n---\nMy own of Friday.\n");
	for (size_t i = 0; i < 3; i++) {
		STR_AUTO call = STR_INIT;

		str_printf(&call, "{'query':'ferry'%s}", scopes[i]);
		toolcall_reply_has(t, "search", call.ptr,
				   "{'count':1,'results':[{'ref':'state:orchid','value':'ships on "
				   "Friday','relevance':");
		toolcall_reply_has(t, "search", call.ptr,
				   "'matched':['ferry'],'status':'promoted','promoted_to':"
				   "'notes/orchid.md'}]");
	}
	toolcall_reply_has(t, "search", "{'query':'friday'}", "{'count':1,");
	toolcall_reply_has(t, "search", "{'query':'friday','scope':'all'}", "{'count':2,");
	toolcall_reply_has(t, "search", "{'query':'ferry','scope':'notes'}",
			   "{'count':1,'results':[{'ref':'notes/orchid.md'");
	toolcall_reply_has(t, "search", "{'query':'own'}", "{'count':0,");
	toolcall_reply_has(t, "search", "{}", PAGE("1", "10", "1", "1", "false"));
	toolcall_reply_has(t, "search", "{'scope':'all'}", PAGE("1", "10", "2", "1", "false"));
	toolcall_reply_has(t, "search", "{'scope':'notes'}", PAGE("1", "10", "2", "1", "false"));
	toolcall_reply_has(t, "get", "{'query':'orchid'}",
			   "{'key':'orchid','category':'state','value':'ships on Friday'");
	toolcall_replies(t, "delete", "{'key':'orchid'}", NULL);
	toolcall_reply_has(t, "search", "{'query':'ferry'}", "{'count':0,");
	toolcall_reply_has(t, "search", "{'query':'ferry','scope':'all'}",
			   "{'count':1,'results':[{'ref':'notes/orchid.md'");
}

/* A store that came with a repository must not show what lies elsewhere. */
static void follows_no_link_to_notes(void **state)
{
	struct teststore *t = *state;
	struct tmpdir other;
	STR_AUTO link = STR_INIT;
	STR_AUTO target = STR_INIT;

	toolcall_replies(t, "set", "{'key':'a','value':'b'}", NULL);
	tmpdir_make(&other);
	tmpdir_write(&other, "secret.md", "private words");
	str_printf(&link, "%s/notes", t->dir.path);
	assert_int_equal(symlink(other.path, link.ptr), 0);
	toolcall_reply_has(t, "search", "{'query':'private','scope':['all']}", "{'count':0,");
	assert_int_equal(unlink(link.ptr), 0);
	make_notes(t);
	str_adds(&link, "/a.md");
	str_printf(&target, "%s/secret.md", other.path);
	assert_int_equal(symlink(target.ptr, link.ptr), 0);
	toolcall_reply_has(t, "search", "{'query':'private','scope':['all']}", "{'count':0,");
	tmpdir_remove(&other);
}

static void shows_relations(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'a':'x','b':'x','c':'x'}");
	toolcall_reply_has(
		t, "search", "{'relations':true}",
		"'relations':[],'stats':{'total_memories':3,'total_relations':0,"
		"'avg_score':1,'avg_hits':0,'avg_use_count':0,'status_filter':'active,promoted'}");
	toolcall_write_file(t, "relations.json",
			    "{'x':{'from':'state:a','to':'B'},"
			    "'y':{'from':'state:b','to':'state:gone','type':'related'},'z':5,"
			    "'rel-1':{'from':'state:c','to':'state:b','type':'causes',"
			    "'strength':0.5,'metadata':{'why': 1.0}}}");
	toolcall_reply_has(
		t, "search", "{'refs':['state:a'],'relations':true}",
		"'relations':[{'id':'x','from':'state:a','to':'state:b','type':'related',"
		"'strength':1}],");
	toolcall_reply_has(
		t, "search", "{'refs':['state:c'],'relations':true}",
		"'relations':[{'id':'rel-1','from':'state:c','to':'state:b','type':'causes',"
		"'strength':0.5,'metadata':{'why':1.0}}],");
	toolcall_reply_has(t, "search", "{'relations':true}", "'total_relations':2");
	tmpdir_write(&t->dir, "relations.json", "{,}");
	toolcall_reply_has(t, "search", "{'relations':true}", "/relations.json:1:2: ");
}

/* An entry and its copy in a note, or in another category, are one result. */
static void what_says_the_same_appears_once(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':'the deploy of orchid takes an hour on fridays',"
			    "'b':'The deploy of Orchid takes an hour on Fridays!','c':'orchid'}");
	toolcall_reply_has(t, "search", "{'query':'orchid'}", "{'count':2,");
}

/* What is wrong and what would be right, for every number and name that can be out of bounds. */
static void says_what_would_be_right(void **state)
{
	static const struct {
		const char *arguments;
		const char *sentence;
	} rows[] = {
		{"{'limit':0}", "limit: 0 is not between 1 and 100"},
		{"{'limit':101}", "limit: 101 is not between 1 and 100"},
		{"{'limit':-1}", "limit: -1 is not between 1 and 100"},
		{"{'limit':1e999}", "limit: 1e999 is not between 1 and 100"},
		{"{'limit':1.5}", "limit: 1.5 is not a whole number, or too large"},
		{"{'page':0}", "page: 0 is not between 1 and 1000000000"},
		{"{'page':-1}", "page: -1 is not between 1 and 1000000000"},
		{"{'page':2}", "page: 2 is past the end; there are 0"},
		{"{'query':'x','page':2}", "page: 2 is past the end; there are 0"},
		{"{'page_size':0}", "page_size: 0 is not between 1 and 100"},
		{"{'preview':-1}", "preview: -1 is not between 0 and 1000000000"},
		{"{'window_days':-1}", "window_days: -1 is not between 0 and 36500"},
		{"{'window_days':1e999}", "window_days: 1e999 is not between 0 and 36500"},
		{"{'min_score':-1e999}", "min_score: -1e999 is not between 0 and 100"},
		{"{'min_confidence':2}", "min_confidence: 2 is not between 0 and 1"},
		{"{'stm_weight':-0.5}", "stm_weight: -0.5 is not between 0 and 10"},
		{"{'ltm_weight':1e400}", "ltm_weight: 1e400 is not between 0 and 10"},
		{"{'category':'bogus'}", "category: \"bogus\" is none of preferences, connections, "
					 "patterns, shortcuts, state"},
		{"{'query':'\xE2\x80\xA6 \xF0\x9F\x9A\x80'}",
		 "query: \"\xE2\x80\xA6 \xF0\x9F\x9A\x80\" has no letters or numbers to search "
		 "for; a key "
		 "like that is found by memory_get"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		toolcall_refused(*state, "search", rows[i].arguments, ERR_BAD_VALUE,
				 rows[i].sentence);
	toolcall_refused(*state, "search", "{'query':'state: '}", ERR_BLANK_ARGUMENT,
			 "query: no key follows the category; give category:key");
}

static void refuses_what_makes_no_sense(void **state)
{
	struct teststore *t = *state;
	STR_AUTO call = STR_INIT;

	toolcall_refused(t, "search", "{'query':'x','use_embeddings':true}", ERR_BAD_VALUE,
			 "use_embeddings: not available, search is by words; leave it out");
	toolcall_refused(t, "search", "{'query':'x','refs':['a']}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "search", "{'query':'!?'}", ERR_BAD_VALUE,
			 "query: \"!?\" has no letters or numbers to search for; a key like that "
			 "is found by memory_get");
	toolcall_reply_has(t, "search", "{'scope':'all','page_size':'5'}", "'page_size':5,");
	toolcall_refused(t, "search", "{'scope':'bogus'}", ERR_BAD_VALUE,
			 "scope: \"bogus\" is none of active, promoted, archived, notes, all");
	toolcall_refused(t, "search", "{'scope':['bogus']}", ERR_BAD_VALUE,
			 "scope: \"bogus\" is none of active, promoted, archived, notes, all");
	toolcall_refused(t, "search", "{'query':'patterns:x','category':'state'}", ERR_BAD_VALUE,
			 NULL);
	str_printf(&call, "{'query':'%0*d'}", 1025, 0);
	toolcall_refused(t, "search", call.ptr, ERR_TOO_LARGE,
			 "query: 1025 bytes; at most 1024 are allowed");
	str_clear(&call);
	str_adds(&call, "{'refs':['a'");
	for (int i = 0; i < 100; i++)
		str_adds(&call, ",'a'");
	str_adds(&call, "]}");
	toolcall_refused(t, "search", call.ptr, ERR_BAD_VALUE,
			 "refs: 101; at most 100 are allowed at a time");
}

static void further_wordings_are_fused(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'car':'the garage keeps the winter tyres','bike':'a blue bicycle',"
			    "'boat':'the boat lies in the garage of the harbour'}");
	toolcall_replies(t, "search", "{'query':'sedan wheels','track_access':false}", NONE);
	toolcall_reply_has(
		t, "search",
		"{'query':'sedan wheels','queries':['car tyres','winter tyres for the car']}",
		"{'count':1,'results':[{'ref':'state:car','value'");
	/* what two wordings find goes before what one does */
	toolcall_reply_has(t, "search", "{'queries':['garage boat','harbour','blue bicycle']}",
			   "'results':[{'ref':'state:boat'");
	toolcall_reply_has(t, "search", "{'queries':['garage boat','harbour']}",
			   "'matched':['garage','boat','harbour']");
	/* the rest of the words of one wording does not push out what another is about */
	toolcall_reply_has(t, "search", "{'query':'bicycle','queries':['tyres']}", "'count':2,");
}

/* A search finds them; they are no evidence that memory_get answers by. */
static void other_words_for_the_same_are_found_and_answer_nothing(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'car':'in the garage','boat':'in the harbour'}");
	toolcall_reply_has(t, "search", "{'query':'automobile'}",
			   "{'count':1,'results':[{'ref':'state:car'");
	toolcall_reply_has(t, "get", "{'query':'automobile'}", "{'result':null");
}

/* Keywords are all asked for; a sentence has words that its answer need not have. */
static void what_shares_a_word_is_none_beside_what_has_all(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'billing_service':'moving to gRPC','rate':'250 a minute'}");
	toolcall_write_file(t, "connections.json", "{'billing_team':'four people in Porto'}");
	toolcall_reply_has(t, "search", "{'query':'billing service'}", "'count':1,");
	toolcall_reply_has(t, "search", "{'query':'billing'}", "'count':2,");
	toolcall_reply_has(t, "search", "{'query':'billing rate'}", "'count':3,");
	toolcall_reply_has(t, "search", "{'query':'what is the billing service?'}", "'count':2,");
	toolcall_reply_has(t, "search", "{'query':'billing service','category':'connections'}",
			   "'ref':'connections:billing_team'");
	toolcall_reply_has(t, "search", "{'query':'billing service','queries':['invoices']}",
			   "'count':2,");
}

static void wordings_that_are_blank_or_repeated_do_not_count(void **state)
{
	struct teststore *t = *state;
	STR_AUTO call = STR_INIT;

	toolcall_write_file(t, "state.json", "{'bike':'a blue bicycle'}");
	toolcall_reply_has(t, "search",
			   "{'query':'bicycle','queries':['','  ','Bicycle','BICYCLE','one','two',"
			   "'three','four','five','five']}",
			   "'ref':'state:bike'");
	toolcall_refused(t, "search",
			 "{'query':'bicycle','queries':['one','two','three','four','five','six']}",
			 ERR_BAD_VALUE,
			 "queries: at most 6 different wordings are allowed, with query");
	toolcall_reply_has(t, "search", "{'query':' ','queries':['']}", "'pagination'");
	toolcall_refused(t, "search", "{'queries':['!?']}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "search", "{'refs':['state:bike'],'queries':['x']}", ERR_BAD_VALUE,
			 NULL);
	toolcall_refused(t, "search", "{'queries':['state:x','patterns:y']}", ERR_BAD_VALUE, NULL);
	str_printf(&call, "{'query':'bicycle','queries':['%0*d']}", 10000, 0);
	toolcall_refused(t, "search", call.ptr, ERR_TOO_LARGE,
			 "queries: 10000 bytes; at most 1024 are allowed");
}

/* What the person says means the same is found by both tools; a broken file is reported. */
static void synonyms_are_found_at_a_discount(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'editor':'neovim','boss':'Petra'}");
	toolcall_reply_has(t, "search", "{'query':'ide'}", "{'count':0,");
	toolcall_reply_has(t, "get", "{'query':'ide'}", "{'result':null");
	toolcall_write_file(t, "synonyms.json", "{'editor':['ide','text editor'],'x':7}");
	toolcall_reply_has(t, "search", "{'query':'ide'}",
			   "{'count':1,'results':[{'ref':'state:editor'");
	toolcall_reply_has(t, "search", "{'query':'ide'}",
			   "/synonyms.json: 1 members are not words and are left out");
	toolcall_reply_has(t, "get", "{'query':'my ide'}", "'confidence':0.76,'match':'words'");
	toolcall_reply_has(t, "get", "{'query':'editor'}", "'confidence':1,'created_at'");
	tmpdir_write(&t->dir, "synonyms.json", "{,}");
	toolcall_reply_has(t, "get", "{'query':'ide'}", "/synonyms.json:1:2: ");
	toolcall_reply_has(t, "search", "{'query':'ide'}", "/synonyms.json:1:2: ");
}

/* What differs is told in the words of the question that was asked. */
static void synonyms_that_find_nothing_leave_no_trace(void **state)
{
	static const char reply[] = "{'result':null,'also':[{'ref':'state:hours_editor',"
				    "'differs':'office \xe2\x89\xa0 editor'}]}";
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'hours_editor':'x'}");
	toolcall_reply_has(t, "get", "{'query':'hours office'}", reply);
	toolcall_write_file(t, "synonyms.json",
			    "{'office':['mobile','place of work where many people are']}");
	toolcall_reply_has(t, "get", "{'query':'hours office'}", reply);
}

static void warns_of_a_broken_file(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "patterns.json", "{'k':'word'}");
	tmpdir_write(&t->dir, "state.json", "{,}");
	toolcall_reply_has(t, "search", "{'query':'word'}", "/state.json:1:2: ");
}

/* As everywhere else: where no use was ever recorded the days begin with the first look. */
static void fading_begins_with_the_first_look(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json",
			    "{'a':{'value':'tea','last_updated':'2026-09-01T00:00:00.000Z'}}");
	toolcall_reply_has(t, "search", "{'query':'tea','include_scores':true}",
			   "'decay':1,'hits':1,");
	toolcall_reply_has(t, "gc", "{}", "'archived_count':0");
}

/* Only what is nothing is shown as nothing. */
static void a_tiny_score_is_not_shown_as_none(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json",
			    "{'decay':{'model':'exponential','half_life_days':3}}");
	toolcall_write_file(t, "state.json", "{'a':'tea'}");
	toolcall_reply_has(t, "search", "{}", "'decay':1,");
	fake_sys_set_now(fake_sys_now() + 80 * MS_PER_DAY);
	toolcall_reply_has(t, "search", "{}", "'decay':0.001,");
	toolcall_reply_has(t, "search", "{'min_score':0.0005}", "{'count':0,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ranks_entries),
		TEST(a_store_that_is_not_there_is_not_made),
		TEST(counts_hits_of_what_is_shown),
		TEST(what_stands_beside_the_answer_is_no_hit),
		TEST(what_expired_answers_where_nothing_active_does),
		TEST(opens_refs),
		TEST(lists_cold_records_too),
		TEST(opens_several_cold_records),
		TEST(opens_archived_records),
		TEST(goes_through_all_page_by_page),
		TEST(pages_of_a_size_go_through_all_there_is),
		TEST(filters),
		TEST(shows_the_archived_only_when_asked),
		TEST(cuts_values),
		TEST(looks_through_notes),
		TEST(a_promoted_entry_and_its_note_are_one_result),
		TEST(follows_no_link_to_notes),
		TEST(shows_relations),
		TEST(what_says_the_same_appears_once),
		TEST(says_what_would_be_right),
		TEST(refuses_what_makes_no_sense),
		TEST(further_wordings_are_fused),
		TEST(other_words_for_the_same_are_found_and_answer_nothing),
		TEST(what_shares_a_word_is_none_beside_what_has_all),
		TEST(wordings_that_are_blank_or_repeated_do_not_count),
		TEST(synonyms_are_found_at_a_discount),
		TEST(synonyms_that_find_nothing_leave_no_trace),
		TEST(warns_of_a_broken_file),
		TEST(fading_begins_with_the_first_look),
		TEST(a_tiny_score_is_not_shown_as_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
