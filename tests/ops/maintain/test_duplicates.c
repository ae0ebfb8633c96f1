#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/maintain/duplicates.h"
#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define OLD "'created_at':'2026-09-01T10:00:00Z','last_updated':'2026-09-01T10:00:00Z'"
#define ENTRIES_MAX 8

struct found {
	struct arena arena;
	struct facts facts[ENTRIES_MAX];
	size_t count;
	struct duplicates duplicates;
};

static void find(struct teststore *t, const char *state, double threshold, struct found *out)
{
	const struct item *items;

	*out = (struct found){0};
	tmpdir_write(&t->dir, "state.json", "{}");
	toolcall_write_file(t, "state.json", state);
	teststore_reopen(t);
	teststore_refresh(t);
	items = store_items(t->store, &out->count);
	for (size_t i = 0; i < out->count; i++)
		facts_read(&out->facts[i], &items[i], TESTSTORE_NOW);
	duplicates_find(&out->duplicates, out->facts, out->count, threshold, NULL, &out->arena);
}

/* Two values of one category, long settled. */
static void find_pair(struct teststore *t, const char *a, const char *b, struct found *out)
{
	STR_AUTO text = STR_INIT;

	str_printf(&text, "{'a b':{'value':%s," OLD "},'b a':{'value':%s," OLD "}}", a, b);
	find(t, text.ptr, 0.5, out);
}

static const struct {
	const char *a;
	const char *b;
	size_t groups;
	size_t candidates;
} pairs[] = {
	{"'User prefers dark mode'", "'user prefers  dark mode.'", 1, 0},
	{"'User prefers dark mode'", "'The user prefers dark mode'", 1, 0},
	{"'It doesn\\u2019t rain in May'", "'It doesnt rain in May'", 1, 0},
	{"{'port':1,'host':'one two'}", "{ 'port' : 1, 'host' : 'one two' }", 1, 0},
	/* what punctuation says */
	{"'Keep the latency < 5 ms'", "'Keep the latency > 5 ms'", 0, 1},
	{"'Set the outdoor alarm to 5 degrees'", "'Set the outdoor alarm to -5 degrees'", 0, 1},
	{"'Nightly deploy of staging \\u2705'", "'Nightly deploy of staging \\u274c'", 0, 1},
	{"'Is the api server down?'", "'Is the api server down.'", 0, 1},
	/* numbers, negation */
	{"'Logs are kept for 30 days'", "'Logs are kept for 90 days'", 0, 1},
	{"'Cache does live in memory'", "'Cache does not live in memory'", 0, 1},
	/* alike, not the same; too short; of other types */
	{"'Python code beats Rust code'", "'Rust code beats Python code'", 0, 1},
	{"'yes'", "'yes'", 0, 1},
	{"7", "7", 0, 1},
	{"{'port':1,'host':'one two'}", "{'port':1.0,'host':'one two'}", 0, 1},
	{"'User prefers dark mode'", "'Backups run nightly'", 0, 0},
};

static void what_may_be_one_is_told_from_what_may_not(void **state)
{
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct found found;

		find_pair(*state, pairs[i].a, pairs[i].b, &found);
		if (found.duplicates.group_count != pairs[i].groups ||
		    found.duplicates.candidate_count != pairs[i].candidates)
			fail_msg("%s and %s: %zu groups, %zu candidates", pairs[i].a, pairs[i].b,
				 found.duplicates.group_count, found.duplicates.candidate_count);
		arena_release(&found.arena);
	}
}

static void a_contradiction_says_in_what(void **state)
{
	struct found found;

	find_pair(*state, "'Logs are kept for 30 days'", "'Logs are kept for 90 days'", &found);
	assert_true(found.duplicates.candidates[0].conflict);
	assert_non_null(found.duplicates.candidates[0].reason.ptr);
	arena_release(&found.arena);
}

/* Each shorter value joins what it stands in, so that no two groups could be one. */
static void a_chain_is_one_group(void **state)
{
	struct found found;

	find(*state,
	     "{'a b c':{'value':'The user prefers dark mode'," OLD "},"
	     "'a c b':{'value':'User prefers dark mode'," OLD "},"
	     "'b a c':{'value':'user prefers dark mode!'," OLD "},"
	     "'b c a':{'value':'The user prefers dark mode'," OLD "}}",
	     0.5, &found);
	assert_int_equal(found.duplicates.group_count, 1);
	assert_int_equal(found.duplicates.groups[0].count, 4);
	assert_int_equal(found.duplicates.candidate_count, 0);
	arena_release(&found.arena);
}

static void what_is_protected_or_elsewhere_is_a_candidate(void **state)
{
	struct teststore *t = *state;
	struct found found;

	toolcall_write_file(t, "patterns.json", "{'a':{'value':'User prefers dark mode'," OLD "}}");
	find(t,
	     "{'a':{'value':'User prefers dark mode'," OLD "},"
	     "'b':{'value':'User prefers dark mode'," OLD ",'pinned':true}}",
	     0.5, &found);
	assert_int_equal(found.duplicates.group_count, 0);
	assert_int_equal(found.duplicates.candidate_count, 2);
	assert_true(slice_is(found.duplicates.candidates[0].reason,
			     "they are of different categories"));
	assert_true(
		slice_is(found.duplicates.candidates[1].reason, "state:b is protected: pinned"));
	arena_release(&found.arena);
}

static void nothing_is_like_nothing(void **state)
{
	struct found found;

	find(*state, "{}", 0.5, &found);
	assert_int_equal(found.duplicates.group_count + found.duplicates.candidate_count, 0);
	arena_release(&found.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_may_be_one_is_told_from_what_may_not),
		TEST(a_contradiction_says_in_what),
		TEST(a_chain_is_one_group),
		TEST(what_is_protected_or_elsewhere_is_a_candidate),
		TEST(nothing_is_like_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
