#include "support/pastcall.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <sys/stat.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define RECORDED(name)                                                                             \
	cmocka_unit_test_setup_teardown(name, toolcall_set_up_with_history, toolcall_tear_down)

static void set(struct teststore *t, const char *arguments)
{
	toolcall_replies(t, "set", arguments, NULL);
	toolcall_later();
}

/* What memory_promote answers of the entry that set() has made a minute ago. */
#define REPLY(dry, message)                                                                        \
	"{'success':true,'dry_run':" dry ",'candidates_found':1,'promoted_count':1,"               \
	"'promoted_ids':['preferences:editor'],'candidates':[{'id':'preferences:editor',"          \
	"'content_preview':'vim','reason':'Forced','score':1,'use_count':0,'age_days':0,"          \
	"'promoted_to':'notes/editor.md'}],'message':'" message "'}"

static void an_entry_becomes_a_note(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'editor','value':'vim','category':'preferences','tags':['tools']}");
	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	toolcall_replies(t, "promote", "{'ref':'Editor','force':true,'dry_run':false}",
			 REPLY("false", "Promoted 1 memory to notes"));
	toolcall_file_is(t, "notes/editor.md",
			 "---\ntitle: 'editor'\nref: 'preferences:editor'\ntags: ['tools']\n"
			 "created: " T0 "\nupdated: " T0 "\npromoted: " T1 "\nscore: 0.9998\n"
			 "uses: 0\n---\n\n# editor\n\nvim\n");
	toolcall_file_is(
		t, "preferences.json",
		"{\n  'editor': {\n    'value': 'vim',\n    'created_at': '" T0 "',\n"
		"    'last_updated': '" T0 "',\n    'tags': [\n      'tools'\n    ],\n"
		"    'status': 'promoted',\n    'promoted_to': 'notes/editor.md'\n  }\n}\n");
	/* It stays what it is in all that looks for it, and the note is found beside it. */
	toolcall_reply_has(t, "get", "{'query':'editor'}", "'value':'vim'");
	toolcall_reply_has(t, "search", "{'refs':['editor']}", "'promoted_to':'notes/editor.md'");
	toolcall_reply_has(t, "search", "{'query':'vim','scope':['notes']}", "notes/editor.md");
}

static void a_dry_run_writes_nothing(void **state)
{
	struct teststore *t = *state;
	char *before;

	set(t, "{'key':'editor','value':'vim','category':'preferences'}");
	before = tmpdir_read(&t->dir, "preferences.json");
	toolcall_replies(t, "promote", "{'ref':'editor','force':true,'target':'obsidian'}",
			 REPLY("true", "Would promote 1 memory to obsidian"));
	toolcall_file_is(t, "preferences.json", before);
	assert_false(tmpdir_has(&t->dir, "notes"));
	free(before);
}

static void nobody_is_promoted_without_merit(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'editor','value':'vim'}");
	toolcall_refused(
		t, "promote", "{'ref':'editor'}", ERR_BAD_VALUE,
		"ref: state:editor has a score of 1.00 and 0 uses; a score of 0.65 with uses on "
		"two days, or 5 uses within 14 days, promote it, or force");
	toolcall_refused(t, "promote", "{'ref':'editor','dry_run':false}", ERR_BAD_VALUE, NULL);
	toolcall_replies(t, "promote", "{'auto_detect':true,'dry_run':false}",
			 "{'success':true,'dry_run':false,'candidates_found':0,'promoted_count':0,"
			 "'promoted_ids':[],'candidates':[],'message':'Promoted 0 memories to "
			 "notes'}");
	assert_false(tmpdir_has(&t->dir, "notes"));
}

/* Used lately; used a lot when it was new; the same, and still young; never used. */
static void write_used(struct teststore *t)
{
	toolcall_write_file(t, "state.json",
			    "{'lately':{'value':1,'created_at':'2026-10-01T00:00:00Z',"
			    "'last_updated':'2026-10-01T00:00:00Z'},"
			    "'once':{'value':2,'created_at':'2026-10-01T00:00:00Z',"
			    "'last_updated':'2026-10-01T00:00:00Z'},"
			    "'young':{'value':3,'created_at':'2026-11-11T00:00:00Z',"
			    "'last_updated':'2026-11-11T00:00:00Z'},"
			    "'never':{'value':4,'created_at':'2026-10-01T00:00:00Z',"
			    "'last_updated':'2026-11-20T00:00:00Z'}}");
	toolcall_write_file(t, "usage.jsonl",
			    "{'since':'2026-09-01T00:00:00Z'}\n"
			    "{'ref':'state:lately','uses':3,'first':'2026-11-02T08:30:00Z',"
			    "'used':'2026-11-20T08:30:00Z'}\n"
			    "{'ref':'state:once','uses':5,'used':'2026-10-14T00:00:00Z'}\n"
			    "{'ref':'state:young','uses':6,'first':'2026-11-20T08:00:00Z',"
			    "'used':'2026-11-21T08:00:00Z'}\n");
}

static void what_was_used_is_found(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'decay':{'half_life_days':3}}");
	write_used(t);
	toolcall_reply_has(t, "promote", "{'auto_detect':true}",
			   "'candidates_found':3,'promoted_count':2,"
			   "'promoted_ids':['state:lately','state:once']");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}",
			   "'reason':'High score (1.73 >= 0.65)','score':1.732,'use_count':3,"
			   "'age_days':51.4,'promoted_to':'notes/lately.md'");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}",
			   "'reason':'5 uses within 14 days (>= 5)'");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}",
			   "'protected':'younger than 30 days'}");
	toolcall_reply_has(t, "promote", "{'auto_detect':true,'dry_run':false}",
			   "'message':'Promoted 2 memories to notes; 1 more is protected: promote "
			   "those by ref'");
	assert_true(tmpdir_has(&t->dir, "notes/once.md"));
	assert_false(tmpdir_has(&t->dir, "notes/young.md"));
	/* Who names it may promote it; what is a note already is not found again. */
	toolcall_reply_has(t, "promote", "{'ref':'young','dry_run':false}",
			   "'reason':'High score (3.19 >= 0.65); 6 uses within 14 days (>= 5)'");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}", "'candidates_found':0");
}

/* A day on which much was asked shows no lasting worth; nor does what is done. */
static void a_day_of_use_or_work_that_is_done_is_no_merit(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(
		t, "state.json",
		"{'day':{'value':1,'created_at':'2026-10-01T00:00:00Z',"
		"'last_updated':'2026-10-01T00:00:00Z'},"
		"'over':{'value':'[x] the importer','created_at':'2026-10-01T00:00:00Z',"
		"'last_updated':'2026-10-01T00:00:00Z'}}");
	toolcall_write_file(t, "usage.jsonl",
			    "{'since':'2026-09-01T00:00:00Z'}\n"
			    "{'use':'state:day','at':'2026-11-20T07:30:00Z'}\n"
			    "{'use':'state:day','at':'2026-11-20T08:30:00Z'}\n"
			    "{'ref':'state:over','uses':9,'first':'2026-10-02T08:30:00Z',"
			    "'used':'2026-11-20T08:30:00Z'}\n");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}", "'candidates_found':0");
	toolcall_reply_has(t, "reinforce", "{'refs':['day','over']}", "");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}",
			   "'candidates_found':1,'promoted_count':1,'promoted_ids':['state:day']");
	/* The first day outlasts compaction. */
	toolcall_reply_has(t, "compact", "{}", "");
	toolcall_reply_has(t, "promote", "{'auto_detect':true}", "'promoted_ids':['state:day']");
}

static void once_is_enough(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_replies(t, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
	toolcall_refused(t, "promote", "{'ref':'a'}", ERR_EXISTS,
			 "ref: state:a is promoted already; force makes another note of it");
	toolcall_reply_has(t, "promote", "{'ref':'a','force':true,'dry_run':false}",
			   "'promoted_to':'notes/a-2.md'");
	toolcall_reply_has(t, "promote", "{'ref':'a','force':true}",
			   "'warnings':['an earlier note of it is kept as it is: "
			   "notes/a-2.md; delete it if one is enough']");
	toolcall_reply_has(t, "get", "{'query':'a'}", "'value':1");
}

/* Whoever it belongs to, a file of that name stays. */
static void a_name_that_is_taken_gets_a_number(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a/b','value':1}");
	set(t, "{'key':'a: b','value':{'x':[1]},'category':'patterns'}");
	assert_int_equal(mkdirat(t->dir.fd, "notes", 0700), 0);
	tmpdir_write(&t->dir, "notes/a-b.md", "mine\n");
	toolcall_reply_has(t, "promote", "{'ref':'a/b','force':true,'dry_run':false}",
			   "'promoted_to':'notes/a-b-2.md'");
	toolcall_reply_has(t, "promote", "{'ref':'a: b','force':true,'dry_run':false}",
			   "'promoted_to':'notes/a-b-3.md'");
	toolcall_file_is(t, "notes/a-b.md", "mine\n");
}

static void no_key_leads_out_of_the_folder(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'../../x':1,'..':'two'}");
	toolcall_reply_has(t, "promote", "{'ref':'state:../../x','force':true,'dry_run':false}",
			   "'promoted_to':'notes/x.md'");
	toolcall_reply_has(t, "promote", "{'ref':'state:..','force':true,'dry_run':false}",
			   "'promoted_to':'notes/note.md'");
	toolcall_file_is(t, "state.json",
			 "{'../../x':{'value':1,'status':'promoted','promoted_to':'notes/x.md'},"
			 "'..':{'value':'two','status':'promoted','promoted_to':'notes/note.md'}}");
}

/* A store that somebody brought along does not say where is written. */
static void a_folder_elsewhere_is_the_persons_choice(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':1}");
	toolcall_write_file(t, "config.json", "{'notes_dir':'../elsewhere'}");
	toolcall_refused_with(t, "promote", "{'ref':'a','force':true,'dry_run':false}",
			      ERR_BAD_DATA, "inside the store");
	toolcall_write_file(t, "config.json", "{'notes_dir':'lasting/notes'}");
	toolcall_reply_has(t, "promote", "{'ref':'a','force':true,'dry_run':false}",
			   "'promoted_to':'lasting/notes/a.md'");
	assert_true(tmpdir_has(&t->dir, "lasting/notes/a.md"));
}

static char vault[PATH_MAX];

static const char *with_a_vault(const char *name)
{
	if (strcmp(name, "KOTA_MEMORY_NOTES_DIR") == 0)
		return vault;
	return surroundings_plain(name);
}

static const char *with_a_vault_and_history(const char *name)
{
	return strcmp(name, "KOTA_MEMORY_GIT") == 0 ? "own" : with_a_vault(name);
}

static void a_person_may_have_a_vault(void **state)
{
	struct teststore own;
	struct tmpdir outside;

	(void)state;
	tmpdir_make(&outside);
	memcpy(vault, outside.path, sizeof vault);
	teststore_open_in(&own, with_a_vault);
	set(&own, "{'key':'a','value':1}");
	toolcall_replies(&own, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
	assert_true(tmpdir_has(&outside, "a.md"));
	assert_false(tmpdir_has(&own.dir, "notes"));
	toolcall_reply_has(&own, "search", "{'refs':['notes/a.md']}", "'count':1");
	/* A path that was mistyped is no new vault. */
	memcpy(vault + strlen(vault), "/gone", sizeof "/gone");
	teststore_reopen(&own);
	set(&own, "{'key':'b','value':1}");
	toolcall_refused_with(&own, "promote", "{'ref':'b','force':true,'dry_run':false}",
			      ERR_CANNOT_WRITE, "make it, or choose another one (notes_dir)");
	teststore_close(&own);
	tmpdir_remove(&outside);
}

/* The history knows of no other folder than its own. */
static void a_note_in_a_vault_outlives_the_undo(void **state)
{
	static const environment environments[] = {with_a_vault, with_a_vault_and_history};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct teststore own;
		struct tmpdir outside;

		tmpdir_make(&outside);
		memcpy(vault, outside.path, sizeof vault);
		teststore_open_in(&own, environments[i]);
		set(&own, "{'key':'a','value':1}");
		toolcall_later();
		toolcall_replies(&own, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
		toolcall_later();
		toolcall_reply_has(&own, "undo", "{}", "/a.md']");
		assert_true(tmpdir_has(&outside, "a.md"));
		teststore_close(&own);
		tmpdir_remove(&outside);
	}
}

static void bad_arguments_change_nothing(void **state)
{
	struct teststore *t = *state;

	toolcall_refused(t, "promote", "{}", ERR_BAD_VALUE,
			 "ref: missing; give an entry, or auto_detect");
	toolcall_refused_with(t, "promote", "{'ref':'a','auto_detect':true}", ERR_BAD_VALUE,
			      "not both");
	toolcall_refused(t, "promote", "{'auto_detect':true,'force':true}", ERR_BAD_VALUE,
			 "force: needs ref");
	toolcall_refused(t, "promote", "{'ref':'nobody'}", ERR_NOT_FOUND,
			 "ref: \"nobody\" is not in the store");
	toolcall_refused(t, "promote", "{'ref':' '}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(t, "promote", "{'ref':'a','target':'cloud'}", ERR_BAD_VALUE, NULL);
	toolcall_refused(t, "promote", "{'ref':'a','dry_run':7}", ERR_WRONG_TYPE, NULL);
	toolcall_refused(t, "promote", "{'memory_id':'a'}", ERR_UNKNOWN_ARGUMENT, NULL);
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void undo_takes_the_note_away(void **state)
{
	struct teststore *t = *state;
	char *before;

	set(t, "{'key':'a','value':'text'}");
	before = tmpdir_read(&t->dir, "state.json");
	toolcall_replies(t, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
	pastcall_check_tree(t);
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':[]}");
	toolcall_file_is(t, "state.json", before);
	assert_false(tmpdir_has(&t->dir, "notes/a.md"));
	pastcall_check_tree(t);
	/* And again. */
	toolcall_reply_has(t, "undo", "{}", "'restored':['state:a'],'removed':[]}");
	assert_true(tmpdir_has(&t->dir, "notes/a.md"));
	toolcall_reply_has(t, "search", "{'refs':['a']}", "notes/a.md");
	pastcall_check_tree(t);
	free(before);
}

static void a_note_that_a_person_changed_stays(void **state)
{
	struct teststore *t = *state;

	set(t, "{'key':'a','value':'text'}");
	toolcall_replies(t, "promote", "{'ref':'a','force':true,'dry_run':false}", NULL);
	tmpdir_write(&t->dir, "notes/a.md", "my own words\n");
	pastcall_replies(t, "undo", "{'change':'%s'}", 0, "'left':['notes/a.md']}");
	toolcall_file_is(t, "notes/a.md", "my own words\n");
}

/* One change promoted both: only what was asked for is put back. */
static void make_note(struct teststore *t)
{
	set(t, "{'key':'state:build','value':'make -j4','tags':['ci']}");
	toolcall_reply_has(t, "promote", "{'ref':'state:build','force':true,'dry_run':false}",
			   "'promoted_to':'notes/build.md'");
	toolcall_later();
}

static void check_note(struct teststore *t, const char *part, bool there)
{
	char *note = tmpdir_read(&t->dir, "notes/build.md");

	if (!strstr(note, part) == there)
		fail_msg("%s: %s", part, note);
	free(note);
}

static void a_note_follows_its_entry(void **state)
{
	struct teststore *t = *state;

	make_note(t);
	set(t, "{'key':'state:build','value':'ninja','tags':['ci','fast']}");
	check_note(t, "\n\n# build\n\nninja\n", true);
	check_note(t, "make -j4", false);
	check_note(t, "\ntags: [\"ci\", \"fast\"]\n", true);
	check_note(t, "\nuses: 0\n", true);
	toolcall_later();
	toolcall_replies(t, "update", "{'key':'state:build','addition':'with ccache'}", NULL);
	check_note(t, "\n\n# build\n\nninja with ccache\n", true);
	toolcall_replies(t, "undo", "{}", NULL);
	check_note(t, "\n\n# build\n\nninja\n", true);
	/* The undo is the last change now. */
	toolcall_replies(t, "undo", "{}", NULL);
	check_note(t, "\n\n# build\n\nninja with ccache\n", true);
}

static void undo_gives_the_note_its_name_back(void **state)
{
	struct teststore *t = *state;

	make_note(t);
	toolcall_replies(t, "mv", "{'key':'state:build','new':'patterns:compile'}", NULL);
	check_note(t, "\nref: \"patterns:compile\"\n", true);
	toolcall_replies(t, "undo", "{}", NULL);
	check_note(t, "\nref: \"state:build\"\n", true);
	pastcall_check_tree(t);
}

/* Under another name, merged, restored and put back by its key it still is its entry's. */
static void a_note_follows_whatever_changes_its_entry(void **state)
{
	struct teststore *t = *state;

	make_note(t);
	set(t, "{'key':'state:build','value':'ninja'}");
	toolcall_later();
	toolcall_replies(t, "mv", "{'key':'state:build','new':'patterns:compile'}", NULL);
	check_note(t, "\nref: \"patterns:compile\"\n", true);
	check_note(t, "\n\n# compile\n\nninja\n", true);
	toolcall_reply_has(t, "search", "{'query':'ninja'}", "{'count':1,");
	toolcall_replies(t, "mv", "{'key':'patterns:compile','new':'state:build'}", NULL);
	check_note(t, "\nref: \"state:build\"\n", true);
	check_note(t, "\n\n# build\n\nninja\n", true);
	set(t, "{'key':'state:builder','value':'with ccache on the runner'}");
	toolcall_later();
	toolcall_replies(t, "merge",
			 "{'refs':['state:build','state:builder'],'mode':'apply','keep':'first',"
			 "'value':'ninja with ccache'}",
			 NULL);
	check_note(t, "\n\n# build\n\nninja with ccache\n", true);
	toolcall_later();
	toolcall_replies(t, "restore", "{'key':'state:build','replace':true}", NULL);
	check_note(t, "\n\n# build\n\nninja\n", true);
	toolcall_later();
	set(t, "{'key':'state:build','value':'bazel'}");
	check_note(t, "\n\n# build\n\nbazel\n", true);
	toolcall_replies(t, "revert", "{'key':'state:build'}", NULL);
	check_note(t, "\n\n# build\n\nninja\n", true);
}

/* What a person added to the front matter stays; a text of theirs is left, and that is said. */
static void a_note_that_a_person_wrote_in_is_left(void **state)
{
	struct teststore *t = *state;
	STR_AUTO text = STR_INIT;
	char *note;

	make_note(t);
	note = tmpdir_read(&t->dir, "notes/build.md");
	str_adds(&text, "---\naliases: [b]\n");
	str_adds(&text, note + 4);
	free(note);
	tmpdir_write(&t->dir, "notes/build.md", text.ptr);
	set(t, "{'key':'state:build','value':'ninja'}");
	check_note(t, "---\naliases: [b]\ntitle: ", true);
	check_note(t, "\n\n# build\n\nninja\n", true);
	toolcall_later();
	note = tmpdir_read(&t->dir, "notes/build.md");
	str_clear(&text);
	str_adds(&text, note);
	str_adds(&text, "\nAsk Ada first.\n");
	free(note);
	tmpdir_write(&t->dir, "notes/build.md", text.ptr);
	toolcall_reply_has(
		t, "set", "{'key':'state:build','value':'bazel'}",
		"'warnings':['the note notes/build.md was changed by hand and stays as it "
		"is: it does not say what the entry says now']");
	note = tmpdir_read(&t->dir, "notes/build.md");
	assert_string_equal(note, text.ptr);
	free(note);
}

/* A merge writes in nobody's words either, and says what it left. */
static void a_merge_tells_of_a_note_that_it_left(void **state)
{
	struct teststore *t = *state;

	make_note(t);
	tmpdir_write(&t->dir, "notes/build.md", "Ask Ada first.\n");
	set(t, "{'key':'state:builder','value':'with ccache on the runner'}");
	toolcall_later();
	toolcall_reply_has(
		t, "merge",
		"{'refs':['state:build','state:builder'],'mode':'apply','keep':'first',"
		"'value':'ninja with ccache'}",
		"'warnings':['the note notes/build.md was changed by hand and stays as it "
		"is: it does not say what the entry says now']");
	toolcall_file_is(t, "notes/build.md", "Ask Ada first.\n");
}

static void revert_takes_one_note_away(void **state)
{
	struct teststore *t = *state;

	write_used(t);
	toolcall_reply_has(t, "promote", "{'auto_detect':true,'dry_run':false}",
			   "'promoted_count':2");
	toolcall_reply_has(t, "revert", "{'key':'state:once'}", "'restored':['state:once']");
	assert_false(tmpdir_has(&t->dir, "notes/once.md"));
	assert_true(tmpdir_has(&t->dir, "notes/lately.md"));
	pastcall_check_tree(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_entry_becomes_a_note),
		TEST(a_dry_run_writes_nothing),
		TEST(nobody_is_promoted_without_merit),
		TEST(what_was_used_is_found),
		TEST(a_day_of_use_or_work_that_is_done_is_no_merit),
		TEST(once_is_enough),
		TEST(a_name_that_is_taken_gets_a_number),
		TEST(no_key_leads_out_of_the_folder),
		TEST(a_folder_elsewhere_is_the_persons_choice),
		TEST(a_person_may_have_a_vault),
		TEST(a_note_in_a_vault_outlives_the_undo),
		TEST(bad_arguments_change_nothing),
		RECORDED(undo_takes_the_note_away),
		RECORDED(a_note_that_a_person_changed_stays),
		RECORDED(a_note_follows_its_entry),
		TEST(a_note_follows_whatever_changes_its_entry),
		RECORDED(a_note_follows_whatever_changes_its_entry),
		RECORDED(undo_gives_the_note_its_name_back),
		TEST(a_note_that_a_person_wrote_in_is_left),
		TEST(a_merge_tells_of_a_note_that_it_left),
		RECORDED(revert_takes_one_note_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
