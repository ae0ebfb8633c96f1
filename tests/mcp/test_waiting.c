#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "git/gitrepo.h"
#include "git/walk.h"
#include "git/write/pack.h"
#include "mcp/serve.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/open/store.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"
#include "tools/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Requests that stand behind each other when the first is read. */

#define NOW INT64_C(1795251600000)
#define CALL(id, tool, arguments)                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":" id                                                          \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool "\",\"arguments\":{" arguments   \
	"},\"_meta\":{"                                                                            \
	"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                              \
	"\"io.modelcontextprotocol/clientCapabilities\":{},"                                       \
	"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"client " id                            \
	"\",\"version\":\"1\"}}}}\n"
#define SET(id, category, key, value)                                                              \
	CALL(id, "memory_set",                                                                     \
	     "\"key\":\"" key "\",\"value\":\"" value "\",\"category\":\"" category "\"")
#define GET(id, query) CALL(id, "memory_get", "\"query\":\"" query "\"")

#define THREE                                                                                      \
	SET("1", "state", "a", "one")                                                              \
	SET("2", "preferences", "b", "two") SET("3", "state", "a", "three")

/* With as many more, of client 4, that all go into one pack. */
#define MORE 7
#define MANY                                                                                       \
	THREE SET("4", "state", "m1", "more") SET("4", "state", "m2", "more")                      \
		SET("4", "preferences", "m3", "more") SET("4", "state", "m4", "more")              \
			SET("4", "state", "m5", "more") SET("4", "preferences", "m6", "more")      \
				SET("4", "state", "m1", "other")

/* Input of a test, and how many changes it is. */
struct batch {
	const char *input;
	size_t count;
};

static const struct batch three = {THREE, 3};
static const struct batch many = {MANY, 3 + MORE};

struct queue {
	struct tmpdir dir; /* with the store in "store" */
	struct tmpdir store;
	struct mcp_session *session;
	environment env;
	const char *input; /* for a child */
};

static void open_session(struct queue *w)
{
	w->session = mcp_session_new(fake_sys(), w->env, w->store.path, tools_all(), "s-1");
}

/* Serves this input, which is all there at once; the answers, which are the caller's. */
static char *serve(struct queue *w, const char *input)
{
	struct err err;
	int in;
	int out;

	tmpdir_write(&w->dir, "in", input);
	tmpdir_write(&w->dir, "out", "");
	in = fake_sys()->openat(w->dir.fd, "in", O_RDONLY | O_CLOEXEC, 0);
	out = fake_sys()->openat(w->dir.fd, "out", O_WRONLY | O_CLOEXEC, 0);
	assert_int_equal(mcp_serve(w->session, in, out, &err), 0);
	fake_sys()->close(in);
	fake_sys()->close(out);
	return tmpdir_read(&w->dir, "out");
}

static void answer(struct queue *w, const char *input)
{
	free(serve(w, input));
}

static int set_up_in(void **state, environment env)
{
	struct queue *w = calloc(1, sizeof *w);

	fake_sys_reset(NOW);
	tmpdir_make(&w->dir);
	tmpdir_make(&w->store);
	gitrepo_isolate(&w->dir);
	w->env = env;
	open_session(w);
	answer(w, SET("1", "state", "seed", "x"));
	answer(w, SET("2", "preferences", "seed", "y"));
	fake_sys_set_now(NOW + 60000);
	fake_sys_clear_trace();
	*state = w;
	return 0;
}

static int set_up(void **state)
{
	return set_up_in(state, surroundings_with_history);
}

static int set_up_without_history(void **state)
{
	return set_up_in(state, surroundings_plain);
}

static int tear_down(void **state)
{
	struct queue *w = *state;

	mcp_session_free(w->session);
	tmpdir_remove(&w->store);
	tmpdir_remove(&w->dir);
	fake_sys_release();
	free(w);
	return 0;
}

static size_t times(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		count++;
	return count;
}

static bool file_has(struct queue *w, const char *name, const char *part)
{
	char *text = tmpdir_read(&w->store, name);
	bool has = strstr(text, part) != NULL;

	free(text);
	return has;
}

/* The last count commits, the newest first: author, subject, client, a line each. */
static void check_log(struct queue *w, int count, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct walk *walk;
	struct repo *repo;
	struct commit commit;
	struct err err;

	assert_int_equal(history_repo(w->session->store, &repo, &err), 0);
	assert_int_equal(walk_open(&walk, repo, NULL, &err), 0);
	for (int i = 0; i < count; i++) {
		const char *message;
		struct slice client;

		assert_int_equal(walk_next(walk, &commit, &err), 1);
		message = commit.message;
		client = message_trailer(&message, "Kota-Client");
		str_printf(&text, "%s: ", commit.author);
		str_add(&text, message_subject(commit.message));
		str_addc(&text, ',');
		str_addc(&text, ' ');
		str_add(&text, client);
		str_addc(&text, '\n');
	}
	walk_close(walk);
	assert_string_equal(text.ptr, expected);
}

/* Flushes until the last reply: a server that ends then also flushes what git sees. */
static size_t flushes_for_replies(void)
{
	size_t count;
	size_t flushes = 0;
	size_t answered = 0;
	const struct fake_event *events = fake_sys_trace(&count);

	for (size_t i = 0; i < count; i++) {
		flushes += events[i].call == FAKE_FSYNC;
		if (events[i].call == FAKE_WRITE && strstr(events[i].path, "out"))
			answered = flushes;
	}
	return answered;
}

static void each_is_a_commit_of_its_own_in_their_order(void **state)
{
	struct queue *w = *state;
	char *answers = serve(w, THREE);
	char *at = answers;

	/* Two new texts, the folder, the log of objects. */
	assert_int_equal(flushes_for_replies(), 4);
	for (char id = '1'; id <= '3'; id++) {
		char wanted[] = "\"id\":?,";

		wanted[5] = id;
		at = strstr(at, wanted);
		assert_non_null(at);
	}
	assert_int_equal(times(answers, "\"isError\":false"), 3);
	free(answers);
	assert_true(file_has(w, "state.json", "three"));
	assert_true(file_has(w, "preferences.json", "two"));
	check_log(w, 4,
		  "kota-memory: set state:a, client 3 1\n"
		  "kota-memory: set preferences:b, client 2 1\n"
		  "kota-memory: set state:a, client 1 1\n"
		  "kota-memory: set preferences:seed, client 2 1\n");
}

static void nothing_is_answered_before_it_is_durable(void **state)
{
	struct queue *w = *state;
	size_t count;
	const struct fake_event *events;
	bool answered = false;

	answer(w, THREE);
	events = fake_sys_trace(&count);
	for (size_t i = 0; i < count; i++) {
		answered = answered ||
			   (events[i].call == FAKE_WRITE && strstr(events[i].path, "out"));
		/* A server that ends flushes what git sees, and begins the log anew. */
		if (answered && events[i].call == FAKE_FSYNC && !strstr(events[i].path, "/.git"))
			fail_msg("flushed after the reply: %s", events[i].path);
	}
	assert_true(answered);
	assert_int_equal(flushes_for_replies(), 4);
}

static void one_that_is_invalid_fails_alone(void **state)
{
	struct queue *w = *state;
	char *answers = serve(
		w, SET("1", "state", "a", "one")
			   SET("2", "state", " ",
			       "blank") "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"nothing\"}\n{"
					"no\n" SET("4", "state", "b", "two"));

	assert_int_equal(times(answers, "\"isError\":true"), 1);
	assert_int_equal(times(answers, "\"isError\":false"), 2);
	assert_int_equal(times(answers, "\"error\":"), 2);
	assert_true(strstr(answers, "\"id\":1,") < strstr(answers, "\"id\":2,"));
	assert_true(strstr(answers, "\"id\":2,") < strstr(answers, "\"id\":3,"));
	assert_true(strstr(answers, "\"id\":3,") < strstr(answers, "\"id\":4,"));
	free(answers);
	assert_true(file_has(w, "state.json", "one"));
	assert_true(file_has(w, "state.json", "two"));
}

static void a_read_among_them_finds_what_was_set_before(void **state)
{
	struct queue *w = *state;
	char *answers = serve(w,
			      SET("1", "state", "editor", "vim") SET("2", "state", "editor", "ed")
				      GET("3", "editor") SET("4", "state", "editor", "nano"));

	assert_non_null(strstr(answers, "\"id\":3,"));
	assert_non_null(strstr(strstr(answers, "\"id\":3,"), "\"ed\""));
	assert_int_equal(times(answers, "\"isError\":false"), 4);
	free(answers);
	assert_true(file_has(w, "state.json", "nano"));
}

static void a_change_of_several_files_stands_in_its_place(void **state)
{
	struct queue *w = *state;

	answer(w, SET("1", "state", "a", "one") CALL("2", "memory_delete",
						     "\"key\":\"a\"") SET("3", "state", "a", "two")
			  CALL("4", "memory_set",
			       "\"key\":\"c\",\"value\":1,\"category\":\"state\","
			       "\"supersedes\":[\"state:a\"]") SET("5", "state", "d", "three"));
	assert_true(file_has(w, "archive.json", "one"));
	assert_true(file_has(w, "archive.json", "two"));
	assert_true(file_has(w, "state.json", "three"));
	check_log(w, 5,
		  "kota-memory: set state:d, client 5 1\n"
		  "kota-memory: set state:c and 1 more, client 4 1\n"
		  "kota-memory: set state:a, client 3 1\n"
		  "kota-memory: delete state:a, client 2 1\n"
		  "kota-memory: set state:a, client 1 1\n");
}

/* Whatever flush fails: what is acknowledged is there, and the next change works. */
static void check_failing_flushes(struct queue *w, const struct batch *batch)
{
	for (unsigned n = 1;; n++) {
		char *answers;
		size_t acknowledged;
		bool hit;

		answer(w, SET("8", "state", "a", "before") SET("9", "preferences", "b", "before"));
		fake_sys_reset(NOW + 120000 + (int64_t)n);
		fake_sys_fail(FAKE_FSYNC, n, EIO, FAKE_ONCE);
		answers = serve(w, batch->input);
		hit = fake_sys_hits() > 0;
		fake_sys_reset(NOW + 180000 + (int64_t)n);
		acknowledged = times(answers, "\"isError\":false");
		if (acknowledged != 0 && acknowledged != batch->count)
			fail_msg("flush %u: %s", n, answers);
		if (acknowledged == 0)
			assert_int_equal(times(answers, "\"isError\":true"), batch->count);
		else
			assert_true(file_has(w, "state.json", "three") &&
				    file_has(w, "preferences.json", "two"));
		if (n == 1)
			assert_true(acknowledged == 0 && file_has(w, "state.json", "before") &&
				    file_has(w, "preferences.json", "before"));
		free(answers);
		if (!hit) {
			assert_int_equal(acknowledged, batch->count);
			break;
		}
		answers = serve(w, SET("7", "state", "after", "it works"));
		assert_int_equal(times(answers, "\"isError\":false"), 1);
		free(answers);
	}
}

static void a_flush_that_fails_fails_all(void **state)
{
	check_failing_flushes(*state, &three);
}

static void a_flush_that_fails_fails_many(void **state)
{
	check_failing_flushes(*state, &many);
}

/* The files have them, the history has not: the replies were composed before that was known. */
static void check_failing_history(struct queue *w, const struct batch *batch)
{
	char *answers;

	answer(w, SET("8", "state", "a", "before") SET("9", "preferences", "b", "before"));
	fake_sys_reset(NOW + 120000);
	fake_sys_fail(FAKE_FSYNC, 4, EIO, FAKE_ALWAYS);
	answers = serve(w, batch->input);
	fake_sys_reset(NOW + 180000);
	assert_int_equal(times(answers, "not in the history yet"), batch->count);
	free(answers);
	assert_true(file_has(w, "state.json", "three"));
	answers = serve(w, SET("7", "state", "after", "it works"));
	assert_int_equal(times(answers, "\"isError\":false"), 1);
	free(answers);
}

static void a_history_that_fails_is_told_of_each(void **state)
{
	struct queue *w = *state;

	check_failing_history(w, &three);
	check_log(w, 4,
		  "kota-memory: set state:after, client 7 1\n"
		  "kota-memory: set state:a, client 3 1\n"
		  "kota-memory: set preferences:b, client 2 1\n"
		  "kota-memory: set state:a, client 1 1\n");
}

static void a_history_that_fails_is_told_of_many(void **state)
{
	struct queue *w = *state;

	check_failing_history(w, &many);
	check_log(w, 6,
		  "kota-memory: set state:after, client 7 1\n"
		  "kota-memory: set state:m1, client 4 1\n"
		  "kota-memory: set preferences:m6, client 4 1\n"
		  "kota-memory: set state:m5, client 4 1\n"
		  "kota-memory: set state:m4, client 4 1\n"
		  "kota-memory: set preferences:m3, client 4 1\n");
}

/* How many commits of this client there are above the last but one of client 7. */
static int made_since(struct queue *w, const char *wanted)
{
	struct walk *walk;
	struct repo *repo;
	struct commit commit;
	struct err err;
	int sevens = 0;
	int count = 0;

	assert_int_equal(history_repo(w->session->store, &repo, &err), 0);
	assert_int_equal(walk_open(&walk, repo, NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		const char *message = commit.message;
		struct slice client = message_trailer(&message, "Kota-Client");

		if (slice_is(client, "client 7 1") && ++sevens == 2)
			break;
		count += slice_is(client, wanted);
	}
	walk_close(walk);
	return count;
}

static int serve_in_child(void *arg)
{
	struct queue *w = arg;

	open_session(w);
	answer(w, SET("8", "state", "e", "zero"));
	answer(w, w->input);
	return 0;
}

/* Killed at any call: none or all that a reader may know of, never a reply without them. */
static void check_kills(struct queue *w, const struct batch *batch)
{
	int status = 1;

	w->input = batch->input;
	answer(w, SET("7", "preferences", "b", "back"));
	for (unsigned n = 1; status != 0; n += 7) {
		char *answers;
		bool threes;
		bool twos;

		mcp_session_free(w->session);
		fake_sys_reset(NOW + 120000 + (int64_t)n);
		fake_sys_die(FAKE_ANY, n, 9);
		status = fake_sys_in_child(serve_in_child, w);
		fake_sys_reset(NOW + 180000 + (int64_t)n);
		answers = tmpdir_read(&w->dir, "out");
		open_session(w);
		threes = file_has(w, "state.json", "three");
		twos = file_has(w, "preferences.json", "two");
		if (times(answers, "\"isError\":false") == batch->count)
			assert_true(threes && twos);
		else
			assert_true(times(answers, "\"isError\":false") <= 1);
		free(answers);
		answers = serve(w, SET("6", "state", "a", "back")
					   SET("7", "preferences", "b", "back"));
		assert_int_equal(times(answers, "\"isError\":false"), 2);
		free(answers);
		check_log(w, 2,
			  "kota-memory: set preferences:b, client 7 1\n"
			  "kota-memory: set state:a, client 6 1\n");
		/* What is in the files is in the history, and nothing else. */
		assert_int_equal(made_since(w, "client 1 1"), threes);
		assert_int_equal(made_since(w, "client 2 1"), twos);
		assert_int_equal(made_since(w, "client 3 1"), threes);
		if (batch == &many)
			assert_int_equal(made_since(w, "client 4 1"), 5 * threes + 2 * twos);
	}
}

static void a_kill_leaves_what_was_answered(void **state)
{
	check_kills(*state, &three);
}

static void a_kill_leaves_what_was_answered_of_many(void **state)
{
	check_kills(*state, &many);
}

static void edit_by_hand(void *arg)
{
	struct queue *w = arg;

	tmpdir_write(&w->store, "state.json",
		     "{\n  \"mine\": \"by hand\",\n  \"seed\": \"x\"\n}\n");
}

/* An edit between the look and the exchange: the texts are made anew from it. */
static void an_edit_that_races_is_kept(void **state)
{
	struct queue *w = *state;

	fake_sys_before(FAKE_FSYNC, 1, edit_by_hand, w);
	answer(w, THREE);
	assert_true(file_has(w, "state.json", "by hand"));
	assert_true(file_has(w, "state.json", "three"));
	assert_true(file_has(w, "preferences.json", "two"));
	check_log(w, 3,
		  "kota-memory: set state:a, client 3 1\n"
		  "kota-memory: set preferences:b, client 2 1\n"
		  "kota-memory: set state:a, client 1 1\n");
}

/* What is replaced is in the cold archive by then. */
static void without_a_history_none_waits(void **state)
{
	struct queue *w = *state;
	char *answers = serve(w, THREE);

	assert_int_equal(times(answers, "\"isError\":false"), 3);
	free(answers);
	assert_true(file_has(w, "archive.cold/2026-11.jsonl", "\\\"one\\\"") ||
		    file_has(w, "archive.cold/2026-11.jsonl", "\"one\""));
}

/* Files that were made below .git/objects: loose objects and packs, with an index each. */
static size_t objects_made(void)
{
	size_t count;
	size_t made = 0;
	const struct fake_event *events = fake_sys_trace(&count);

	for (size_t i = 0; i < count; i++)
		made += events[i].call == FAKE_OPENAT && strstr(events[i].path, "objects/") &&
			strstr(events[i].path, "tmp_");
	return made;
}

static void more_than_fit_in_one_group(void **state)
{
	struct queue *w = *state;
	STR_AUTO input = STR_INIT;
	struct repo *repo;
	struct err err;
	size_t loose;
	char *answers;

	assert_int_equal(history_repo(w->session->store, &repo, &err), 0);
	loose = pack_loose_count(repo);
	for (int i = 0; i < 90; i++)
		str_printf(&input, SET("1", "state", "k%d", "v%d"), i, i);
	answers = serve(w, input.ptr);
	assert_int_equal(times(answers, "\"isError\":false"), 90);
	free(answers);
	/* Two groups: the new text, the folder, the pack in four steps, the log of objects. */
	assert_int_equal(flushes_for_replies(), 14);
	assert_int_equal(objects_made(), 4);
	assert_int_equal(history_repo(w->session->store, &repo, &err), 0);
	assert_true(pack_loose_count(repo) <= loose);
	assert_true(file_has(w, "state.json", "\"v89\""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_is_a_commit_of_its_own_in_their_order),
		TEST(nothing_is_answered_before_it_is_durable),
		TEST(one_that_is_invalid_fails_alone),
		TEST(a_read_among_them_finds_what_was_set_before),
		TEST(a_change_of_several_files_stands_in_its_place),
		TEST(a_flush_that_fails_fails_all),
		TEST(a_flush_that_fails_fails_many),
		TEST(a_history_that_fails_is_told_of_each),
		TEST(a_history_that_fails_is_told_of_many),
		TEST(a_kill_leaves_what_was_answered),
		TEST(a_kill_leaves_what_was_answered_of_many),
		TEST(an_edit_that_races_is_kept),
		TEST(more_than_fit_in_one_group),
		cmocka_unit_test_setup_teardown(without_a_history_none_waits,
						set_up_without_history, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
