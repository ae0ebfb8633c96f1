#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/toolcall.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define T0 TOOLCALL_T0
#define T1 TOOLCALL_T1
#define T2 TOOLCALL_T2

#define FOUND ",'confidence':1,'created_at':'" T0 "','last_updated':'" T0 "','archived':false"
#define COUNTED(hits, accessed)                                                                    \
	"'hits':" hits ",'uses':0,'age_days':0,'review_priority':0,'created_at':'" T0              \
	"','last_active':'" accessed "','accessed_at':'" accessed "'}"

static void finds_an_entry_and_counts_the_hit(void **state)
{
	const char *look = "{'refs':['editor'],'track_access':false}";

	toolcall_replies(*state, "set", "{'key':'editor','value':{'a': [1, 2]}}", NULL);
	toolcall_later();
	toolcall_replies(*state, "get", "{'query':'Editor'}",
			 "{'key':'editor','category':'state','value':{'a':[1,2]}" FOUND "}");
	toolcall_reply_has(*state, "search", look, COUNTED("1", T1));
	toolcall_later();
	toolcall_replies(*state, "get", "{'query':'editor'}",
			 "{'key':'editor','category':'state','value':{'a':[1,2]}" FOUND "}");
	toolcall_reply_has(*state, "search", look, COUNTED("2", T2));
}

static void finds_nothing(void **state)
{
	toolcall_replies(*state, "get", "{'query':'nothing'}", "{'result':null}");
	toolcall_replies(*state, "get", "{'query':'!!!'}", "{'result':null}");
}

static void a_store_that_is_not_there_is_not_made(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "get", "{'query':'x'}", "{'result':null}");
	assert_int_equal(tmpdir_count(&t->dir), 0);
}

static void a_prefix_limits_the_search(void **state)
{
	toolcall_replies(*state, "set", "{'key':'x','value':1,'category':'state'}", NULL);
	toolcall_replies(*state, "set", "{'key':'x','value':2,'category':'preferences'}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'x'}", "'category':'preferences'");
	toolcall_reply_has(*state, "get", "{'query':'state:x'}", "'category':'state'");
	toolcall_reply_has(*state, "get", "{'query':'patterns:x'}", "{'result':null");
	toolcall_reply_has(*state, "get", "{'query':'State:X'}", "'category':'state'");
	toolcall_refused(*state, "get", "{'query':'state: '}", ERR_BLANK_ARGUMENT,
			 "query: no key follows the category; give category:key");
}

static void tells_of_others_that_fit_as_well(void **state)
{
	toolcall_replies(*state, "set", "{'key':'x','value':1,'category':'state'}", NULL);
	toolcall_replies(*state, "set", "{'key':'x','value':2,'category':'preferences'}", NULL);
	toolcall_reply_has(*state, "get", "{'query':'x'}",
			   "'archived':false,'also':[{'ref':'state:x'}]}");
}

static void a_look_alike_is_no_answer_but_named(void **state)
{
	toolcall_replies(*state, "set", "{'key':'payer_account','value':1,'category':'state'}",
			 NULL);
	toolcall_replies(*state, "get", "{'query':'payee_account'}",
			 "{'result':null,'also':[{'ref':'state:payer_account',"
			 "'differs':'payee \xe2\x89\xa0 payer'}]}");
	toolcall_reply_has(*state, "get", "{'query':'payer_acount'}", "'key':'payer_account'");
}

/* Where a word is nowhere, the ranked search still knows which entry is meant. */
static void a_question_is_answered_though_a_word_is_nowhere(void **state)
{
	const char *question = "{'query':'how shuld webhook retries be spaced for billing?'}";
	const char *elsewhere = "{'query':'patterns:how shuld webhook retries be spaced'}";

	toolcall_replies(*state, "set",
			 "{'key':'billing_hooks','value':'webhook retries are spaced by doubling',"
			 "'category':'state'}",
			 NULL);
	toolcall_replies(*state, "set",
			 "{'key':'office_plants','value':'watered on Mondays','category':'state'}",
			 NULL);
	toolcall_reply_has(*state, "get", question, "'key':'billing_hooks'");
	toolcall_reply_has(*state, "get", question, "'match':'words'");
	toolcall_reply_has(*state, "get", elsewhere, "{'result':null");
	toolcall_reply_has(*state, "get", "{'query':'how many parking spots are there?'}",
			   "{'result':null");
}

static void an_archived_entry_answers_and_counts_no_hit(void **state)
{
	struct teststore *t = *state;
	const char *reply = "{'key':'goal','category':'state','value':'ship','confidence':1,"
			    "'created_at':'" T0 "','last_updated':'" T0 "','archived':true,"
			    "'ref':'state:goal@" T1 "','archivedAt':'" T1
			    "','reason':'state_clear'}";

	toolcall_replies(t, "set", "{'key':'goal','value':'ship'}", NULL);
	toolcall_later();
	toolcall_replies(t, "clear-state", "{}", NULL);
	toolcall_replies(t, "get", "{'query':'goal'}", reply);
	toolcall_replies(t, "get", "{'query':'state:goal'}", reply);
}

static void a_deleted_entry_does_not_answer(void **state)
{
	toolcall_replies(*state, "set", "{'key':'goal','value':'ship'}", NULL);
	toolcall_replies(*state, "delete", "{'key':'goal'}", NULL);
	toolcall_replies(*state, "get", "{'query':'goal'}", "{'result':null}");
}

static void a_reply_is_one_line_whatever_the_file_looks_like(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{\n 'k': [\n  1.0,\n\t{ 'a' : null }\n ]\n}\n");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'value':[1.0,{'a':null}]");
}

static void times_of_the_original_handler_count(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(
		t, "state.json",
		"{'k':{'value':1,'created':'2026-11-01T00:00:00Z','updated':1793577600000,"
		"'accessed':'2026-11-03T00:00:00Z','hits':4}}");
	toolcall_reply_has(t, "get", "{'query':'k'}",
			   "'created_at':'2026-11-01T01:00:00.000+01:00','last_updated':"
			   "'2026-11-02T01:00:00.000+01:00'");
	toolcall_reply_has(t, "search", "{'refs':['k'],'track_access':false}", "'hits':5");
}

/* A person may have written any number. */
static void the_count_of_hits_stops_at_its_end(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'k':{'value':1,'hits':9223372036854775807}}");
	toolcall_reply_has(t, "search", "{'refs':['k']}", "'hits':9223372036854775807,");
	toolcall_reply_has(t, "search", "{'refs':['k']}", "'hits':9223372036854775807,");
}

static void refuses_bad_queries(void **state)
{
	STR_AUTO call = STR_INIT;

	toolcall_refused(*state, "get", "{}", ERR_MISSING_ARGUMENT,
			 "query: missing; give a key, words of a key or value, or category:words");
	toolcall_refused(*state, "get", "{'query':''}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(*state, "get", "{'query':'  '}", ERR_BLANK_ARGUMENT, NULL);
	toolcall_refused(*state, "get", "{'query':5}", ERR_WRONG_TYPE,
			 "query: expected a string, got a number");
	toolcall_refused(*state, "get", "{'query':'x','category':'state'}", ERR_UNKNOWN_ARGUMENT,
			 "category: no such argument; memory_get takes query");
	/* a key may be a picture, so only punctuation is a question like others */
	toolcall_replies(*state, "get", "{'query':'!?'}", "{'result':null}");
	toolcall_replies(*state, "get", "{'query':'bogus:editor'}", "{'result':null}");
	str_printf(&call, "{'query':'%0*d'}", 1024, 0);
	toolcall_replies(*state, "get", call.ptr, "{'result':null}");
	str_clear(&call);
	str_printf(&call, "{'query':'%0*d'}", 1025, 0);
	toolcall_refused(*state, "get", call.ptr, ERR_TOO_LARGE,
			 "query: 1025 bytes; at most 1024 are allowed");
}

#define COLD_IN(category, key, at, reason, value)                                                  \
	"{'category':'" category "','key':'" key "@" at "','originalKey':'" key                    \
	"','archivedAt':'" at "','reason':'" reason "','entry':{'value':'" value "'}}\n"
#define COLD(key, reason, value)                                                                   \
	COLD_IN("state", key, "2026-10-01T09:00:00.000+02:00", reason, value)

static void write_cold(struct teststore *t, const char *lines)
{
	teststore_mark(&t->dir);
	if (mkdirat(t->dir.fd, "archive.cold", 0700) != 0)
		assert_int_equal(errno, EEXIST);
	toolcall_write_file(t, "archive.cold/2026-10.jsonl", lines);
}

/* Where nothing else answers; with what memory_restore takes. */
static void the_cold_archive_answers_when_nothing_else_does(void **state)
{
	struct teststore *t = *state;

	write_cold(t, COLD("harbour_pass", "evicted", "gate 7") COLD("goal", "faded", "old"));
	toolcall_replies(*state, "set", "{'key':'goal','value':'new'}", NULL);
	toolcall_replies(t, "get", "{'query':'harbuor pass'}",
			 "{'key':'harbour_pass','category':'state','value':'gate 7',"
			 "'confidence':0.917,'match':'fuzzy','archived':true,"
			 "'ref':'state:harbour_pass@2026-10-01T09:00:00.000+02:00',"
			 "'archivedAt':'2026-10-01T09:00:00.000+02:00','reason':'evicted'}");
	toolcall_reply_has(t, "get", "{'query':'goal'}", "'value':'new'");
	toolcall_reply_has(t, "get", "{'query':'gate 7'}", "'archived':true");
	toolcall_reply_has(t, "get", "{'query':'state:harbour pass'}", "'archived':true");
	toolcall_reply_has(t, "get", "{'query':'patterns:harbour pass'}", "{'result':null");
	toolcall_reply_has(t, "search", "{'query':'gate'}", "'status':'archived'");
	toolcall_reply_has(t, "search", "{'query':'gate','scope':['active']}", "{'count':0,");
	toolcall_reply_has(t, "search", "{'query':'gate','scope':['archived']}",
			   "{'count':1,'results':[{'ref':'state:harbour_pass@2026-10-01T09");
	toolcall_reply_has(t, "search", "{'query':'gate','scope':['all']}", "{'count':1,");
	toolcall_replies(t, "restore", "{'key':'state:harbour_pass@2026-10-01T09:00:00.000+02:00'}",
			 NULL);
	toolcall_reply_has(t, "get", "{'query':'harbour pass'}", "'archived':false");
}

static void only_what_left_by_itself_answers_from_the_cold_archive(void **state)
{
	static const struct {
		const char *reason;
		bool answers;
	} rows[] = {
		{"expiry", true},  {"state_clear", true}, {"evicted", true},    {"faded", true},
		{"pruned", true},  {"stale", true},       {"superseded", true}, {"deleted", false},
		{"merged", false}, {"replaced", false},   {"conflict", false},
	};
	struct teststore *t = *state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		STR_AUTO line = STR_INIT;

		str_printf(&line, COLD("tide_table", "%s", "by the door"), rows[i].reason);
		write_cold(t, line.ptr);
		toolcall_reply_has(t, "get", "{'query':'table tide'}",
				   rows[i].answers ? "'archived':true" : "{'result':null");
		toolcall_reply_has(t, "search", "{'query':'tide','scope':['archived']}",
				   rows[i].answers ? "{'count':1," : "{'count':0,");
	}
}

/* What is no longer there is not worth a guess; but it is named. */
static void an_archived_key_that_is_a_part_of_the_question_is_named(void **state)
{
	struct teststore *t = *state;

	write_cold(t, COLD("cluster", "expiry", "runs at Ilex"));
	toolcall_replies(t, "get", "{'query':'Kubernetes cluster version'}",
			 "{'result':null,'also':[{'ref':'state:cluster@2026-10-01T09:00:00.000+02:"
			 "00'}]}");
	toolcall_reply_has(t, "get", "{'query':'what is the cluster?'}", "'archived':true");
	toolcall_reply_has(t, "get", "{'query':'the cluster at Ilex'}", "'archived':true");
}

/* An entry that has more to it answers, and what was asked for is named. */
static void an_archived_key_is_named_beside_a_longer_one(void **state)
{
	struct teststore *t = *state;

	write_cold(t, COLD("keyboard", "evicted", "a split one"));
	toolcall_replies(t, "set", "{'key':'keyboard_broken','value':'left half'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'keyboard'}", "'key':'keyboard_broken'");
	toolcall_reply_has(t, "get", "{'query':'keyboard'}",
			   "'also':[{'ref':'state:keyboard@2026-10-01T09:00:00.000+02:00'}]");
	toolcall_replies(t, "set", "{'key':'desk','value':'Amadou has one like it'}", NULL);
	write_cold(t, COLD("Amadou", "evicted", "from Dakar"));
	toolcall_reply_has(t, "get", "{'query':'Amadou'}", "'value':'from Dakar'");
}

static void a_broken_cold_line_is_named_once(void **state)
{
	struct teststore *t = *state;
	STR_AUTO reply = STR_INIT;

	write_cold(t, COLD("one", "evicted", "first") "{,}\n" COLD("two", "evicted", "second"));
	toolcall_reply_has(t, "get", "{'query':'two'}",
			   "'warnings':['archive.cold/2026-10.jsonl:2: cannot be read; 1 lines of "
			   "the cold archive are left out']");
	toolcall_reply_has(t, "get", "{'query':'one'}", "'reason':'evicted'}");
	toolcall_reply(t, "search", "{'query':'second','queries':['first'],'scope':'archived'}",
		       &reply);
	assert_non_null(strstr(reply.ptr, "\"count\":2,"));
	assert_null(strstr(reply.ptr, "warnings"));
}

/* What was appended, changed or removed since is known by the next question. */
static void the_cold_archive_may_change_between_questions(void **state)
{
	struct teststore *t = *state;

	write_cold(t, COLD("one", "evicted", "first"));
	toolcall_reply_has(t, "get", "{'query':'one'}", "'value':'first'");
	toolcall_reply_has(t, "get", "{'query':'second'}", "{'result':null");
	write_cold(t, COLD("one", "evicted", "first") COLD("two", "evicted", "second"));
	toolcall_reply_has(t, "get", "{'query':'second'}", "'key':'two'");
	/* The last line is still being written. */
	write_cold(t, COLD("two", "evicted", "second") "{'category':'state','key':'thr");
	toolcall_reply_has(t, "get", "{'query':'second'}", "'key':'two'");
	assert_int_equal(unlinkat(t->dir.fd, "archive.cold/2026-10.jsonl", 0), 0);
	toolcall_reply_has(t, "get", "{'query':'second'}", "{'result':null");
}

#define OCTOBER "archive.cold/2026-10.jsonl"

static void make_large(struct teststore *t, off_t bytes)
{
	int fd = openat(t->dir.fd, OCTOBER, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	close(fd);
}

/* What is active answers without a look into the cold archive, however large that is. */
static void a_large_cold_archive_is_not_read_for_what_is_active(void **state)
{
	static const char *const queries[] = {"main_editor", "editor", "mian editor", "neovim",
					      "which main editor do I use?"};
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'main_editor','value':'neovim'}", NULL);
	write_cold(t, "");
	make_large(t, (off_t)1 << 30);
	teststore_reopen(t);
	fake_sys_reset(fake_sys_now());
	fake_sys_root(t->dir.path);
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		STR_AUTO arguments = STR_INIT;

		str_printf(&arguments, "{'query':'%s'}", queries[i]);
		toolcall_reply_has(t, "get", arguments.ptr, "'archived':false");
	}
	toolcall_reply_has(t, "search", "{'query':'neovim'}", "'count':1,");
	assert_int_equal(fake_sys_at(FAKE_OPENAT, OCTOBER, 0), SIZE_MAX);
	write_cold(t, COLD("one", "evicted", "first"));
	toolcall_reply_has(t, "get", "{'query':'first'}", "'archived':true");
	assert_int_not_equal(fake_sys_at(FAKE_OPENAT, OCTOBER, 0), SIZE_MAX);
}

struct late {
	struct teststore *t;
	bool came;
};

static void come_late(void *context)
{
	struct late *late = context;

	write_cold(late->t,
		   COLD("one", "evicted", "first") COLD("late", "evicted", "the last one"));
	late->came = true;
}

/* Whenever a line comes while the file is read, the next question knows of it. */
static void the_cold_archive_may_grow_while_it_is_read(void **state)
{
	struct teststore *t = *state;
	struct late late = {t, true};

	for (unsigned n = 1; late.came; n++) {
		STR_AUTO reply = STR_INIT;

		write_cold(t, COLD("one", "evicted", "first"));
		teststore_reopen(t);
		fake_sys_reset(fake_sys_now());
		late.came = false;
		fake_sys_before(FAKE_PREAD, n, come_late, &late);
		toolcall_reply_has(t, "get", "{'query':'first'}", "'key':'one'");
		fake_sys_reset(fake_sys_now());
		toolcall_reply_has(t, "get", "{'query':'late'}",
				   late.came ? "'value':'the last one'" : "{'result':null");
		toolcall_reply(t, "get", "{'query':'first'}", &reply);
		assert_null(strstr(reply.ptr, "warnings"));
	}
}

/* The newest are found as entries are, the others by their keys; what is active needs none of it.
 */
static void so_many_cold_records_are_found(void **state)
{
	struct teststore *t = *state;
	STR_AUTO lines = STR_INIT;

	for (int i = 0; i < 200000; i++)
		str_printf(&lines, COLD("berth %d", "evicted", "pier"), i, i);
	write_cold(t, lines.ptr);
	toolcall_replies(t, "set", "{'key':'editor','value':'vim'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'editor'}", "'archived':false");
	toolcall_reply_has(t, "get", "{'query':'Berth-199999'}", "'key':'berth 199999'");
	toolcall_reply_has(t, "get", "{'query':'state:berth 0'}", "'key':'berth 0'");
	toolcall_reply_has(t, "get", "{'query':'berth 200001'}", "{'result':null");
	toolcall_reply_has(t, "search", "{'query':'berth 7','scope':['archived'],'limit':1}",
			   "more records than are searched: 150000 older ones are left out");
}

static void expect_status(struct teststore *t, const char *query, const char *status)
{
	STR_AUTO arguments = STR_INIT;

	str_printf(&arguments, "{'query':'%s','limit':1}", query);
	toolcall_reply_has(t, "search", arguments.ptr, status);
}

/* To be asked for by its name brings back what has expired, and nothing else. */
static void what_expired_comes_back_when_it_is_asked_for(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'tide_table','value':'by the door','tags':['quay']}",
			 NULL);
	fake_sys_set_now(fake_sys_now() + 91 * MS_PER_DAY);
	/* What comes near stays where it is. */
	toolcall_reply_has(t, "get", "{'query':'by the door'}", "'reason':'expiry'}");
	toolcall_reply_has(t, "get", "{'query':'tide tabel'}", "'reason':'expiry'}");
	expect_status(t, "tide table", "'status':'archived'");
	toolcall_reply_has(t, "get", "{'query':'Tide table'}", "'restored':true");
	toolcall_reply_has(t, "get", "{'query':'Tide table'}", "'archived':false}");
	expect_status(t, "tide table", "'ref':'state:tide_table','value'");
	toolcall_replies(t, "archived", "{}", "{'refs':[]}");
	fake_sys_set_now(fake_sys_now() + 90 * MS_PER_DAY);
	toolcall_reply_has(t, "get", "{'query':'state:tide_table'}", "'archived':false");
}

static void what_comes_back_says_so(void **state)
{
	struct teststore *t = *state;

	toolcall_replies(t, "set", "{'key':'tide_table','value':'by the door'}", NULL);
	fake_sys_set_now(fake_sys_now() + 91 * MS_PER_DAY);
	toolcall_reply_has(t, "get", "{'query':'tide table'}", "'archived':false,'archivedAt':");
	toolcall_reply_has(t, "undo", "{}", "state:tide_table");
	toolcall_reply_has(t, "get", "{'query':'tide table'}",
			   "'reason':'expiry','restored':true}");
	toolcall_reply_has(t, "undo", "{}", "state:tide_table");
	expect_status(t, "tide table", "'status':'archived'");
}

static void nobody_makes_room_for_what_expired(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "config.json", "{'limits':{'entries_per_category':2}}");
	toolcall_replies(t, "set", "{'key':'tide_table','value':'by the door'}", NULL);
	fake_sys_set_now(fake_sys_now() + 91 * MS_PER_DAY);
	toolcall_replies(t, "set", "{'key':'lamp','value':'over the stairs'}", NULL);
	toolcall_replies(t, "set", "{'key':'rope','value':'under the bench'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'tide table'}", "'reason':'expiry'}");
	toolcall_reply_has(t, "list", "{}", "{'refs':['state:lamp','state:rope']}");
	toolcall_replies(t, "delete", "{'key':'lamp'}", NULL);
	toolcall_reply_has(t, "get", "{'query':'tide table'}", "'restored':true");
	toolcall_reply_has(t, "list", "{}", "{'refs':['state:rope','state:tide_table']}");
}

/* From the cold archive, too, where the record stays as a line that is revoked. */
static void what_expired_comes_back_from_the_cold_archive(void **state)
{
	struct teststore *t = *state;

	write_cold(t, COLD("one", "expiry", "first") COLD("two", "faded", "second"));
	toolcall_reply_has(t, "get", "{'query':'two'}", "'reason':'faded'}");
	toolcall_reply_has(t, "get", "{'query':'one'}", "'restored':true");
	toolcall_reply_has(t, "get", "{'query':'one'}", "'archived':false");
	toolcall_reply_has(t, "archived", "{}",
			   "{'refs':['state:two@2026-10-01T09:00:00.000+02:00']}");
}

/* By hand a key may be anything; what is listed can be opened. */
static void opens_blank_keys_by_their_ref(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "state.json", "{'':1,' a':2,'a':3}");
	toolcall_reply_has(t, "get", "{'query':'state:'}",
			   "{'key':'','category':'state','value':1,'confidence':1,'created_at'");
	toolcall_reply_has(t, "get", "{'query':'state: a'}", "'value':2");
	toolcall_reply_has(t, "search", "{'refs':['state:']}", "'hits':2");
	toolcall_refused(t, "get", "{'query':'patterns:'}", ERR_BLANK_ARGUMENT,
			 "query: no key follows the category; give category:key");
}

static void warns_of_a_broken_file_and_answers_from_the_others(void **state)
{
	struct teststore *t = *state;

	toolcall_write_file(t, "patterns.json", "{'k':1}");
	tmpdir_write(&t->dir, "state.json", "{,}");
	toolcall_reply_has(t, "get", "{'query':'k'}", "/state.json:1:2: ");
	toolcall_reply_has(t, "get", "{'query':'k'}", "'value':1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(finds_an_entry_and_counts_the_hit),
		TEST(finds_nothing),
		TEST(a_store_that_is_not_there_is_not_made),
		TEST(a_prefix_limits_the_search),
		TEST(tells_of_others_that_fit_as_well),
		TEST(a_look_alike_is_no_answer_but_named),
		TEST(a_question_is_answered_though_a_word_is_nowhere),
		TEST(an_archived_entry_answers_and_counts_no_hit),
		TEST(a_deleted_entry_does_not_answer),
		TEST(the_cold_archive_answers_when_nothing_else_does),
		TEST(only_what_left_by_itself_answers_from_the_cold_archive),
		TEST(an_archived_key_that_is_a_part_of_the_question_is_named),
		TEST(an_archived_key_is_named_beside_a_longer_one),
		TEST(a_broken_cold_line_is_named_once),
		TEST(the_cold_archive_may_change_between_questions),
		TEST(a_large_cold_archive_is_not_read_for_what_is_active),
		TEST(the_cold_archive_may_grow_while_it_is_read),
		TEST(so_many_cold_records_are_found),
		TEST(what_expired_comes_back_when_it_is_asked_for),
		cmocka_unit_test_setup_teardown(what_comes_back_says_so,
						toolcall_set_up_with_history, toolcall_tear_down),
		TEST(nobody_makes_room_for_what_expired),
		TEST(what_expired_comes_back_from_the_cold_archive),
		TEST(a_reply_is_one_line_whatever_the_file_looks_like),
		TEST(times_of_the_original_handler_count),
		TEST(the_count_of_hits_stops_at_its_end),
		TEST(refuses_bad_queries),
		TEST(opens_blank_keys_by_their_ref),
		TEST(warns_of_a_broken_file_and_answers_from_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
