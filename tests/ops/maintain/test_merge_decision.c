#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/maintain/merge_decision.h"
#include "support/toolcall.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, toolcall_set_up, toolcall_tear_down)
#define TIMES(day) "'created_at':'" day "T10:00:00Z','last_updated':'" day "T10:00:00Z'"
#define PARTS_MAX 4

struct parts {
	struct arena arena;
	struct facts facts[PARTS_MAX];
	const struct facts *list[PARTS_MAX];
	struct merging merging;
};

static void make(struct teststore *t, const char *text, struct parts *out)
{
	const struct item *items;
	size_t count;

	*out = (struct parts){0};
	toolcall_write_file(t, "state.json", text);
	teststore_refresh(t);
	items = store_items(t->store, &count);
	for (size_t i = 0; i < count; i++) {
		facts_read(&out->facts[i], &items[i], TESTSTORE_NOW);
		out->list[i] = &out->facts[i];
	}
	merging_init(&out->merging, out->list, count);
}

#define THREE                                                                                      \
	"{'a':{'value':'one two three'," TIMES(                                                    \
		"2026-09-03") ",'hits':1,'confidence':0.9},"                                       \
			      "'b':{'value':'one two four'," TIMES(                                \
				      "2026-09-02") ",'hits':4,'confidence':0.5},"                 \
						    "'c':{'value':'ONE two three!'," TIMES(        \
							    "2026-09-01") ",'hits':4,'confidence'" \
									  ":0.95}}"

static const struct {
	enum merging_keep keep;
	size_t kept;
	const char *value;
} keeps[] = {
	{KEEP_COMBINE, 2, "\"ONE two three!\\n\\none two three\\n\\none two four\""},
	{KEEP_CONFIDENCE, 2, "\"ONE two three!\""},
	{KEEP_ACCESS, 1, "\"one two four\""},
	{KEEP_FIRST, 0, "\"one two three\""},
	{KEEP_SECOND, 1, "\"one two four\""},
	{KEEP_LONGEST, 2, "\"ONE two three!\""},
};

static void what_remains_is_as_asked(void **state)
{
	struct parts parts;

	make(*state, THREE, &parts);
	for (size_t i = 0; i < sizeof keeps / sizeof keeps[0]; i++) {
		merging_decide(&parts.merging, keeps[i].keep, &parts.arena);
		assert_int_equal(parts.merging.kept, keeps[i].kept);
		assert_null(parts.merging.obstacle.ptr);
		assert_true(slice_is(parts.merging.value, keeps[i].value));
	}
	assert_int_equal(merging_hits(&parts.merging), 9);
	arena_release(&parts.arena);
}

static void cohesion_is_the_mean_of_all_pairs(void **state)
{
	struct parts parts;

	make(*state, THREE, &parts);
	/* 1 for a and c, 0.5 for the two with b. */
	assert_in_range(parts.merging.cohesion * 1000, 666, 667);
	arena_release(&parts.arena);
}

static void an_obstacle_leaves_no_text(void **state)
{
	struct parts parts;

	make(*state, "{'a':[1],'b':[2]}", &parts);
	merging_decide(&parts.merging, KEEP_COMBINE, &parts.arena);
	assert_true(slice_is(parts.merging.obstacle, "the lists differ"));
	assert_null(parts.merging.text.ptr);
	merging_decide(&parts.merging, KEEP_SECOND, &parts.arena);
	assert_null(parts.merging.obstacle.ptr);
	assert_true(slice_is(parts.merging.value, "[2]"));
	arena_release(&parts.arena);
}

/* What remains was changed just now, is as old as the oldest, and as wanted as all. */
static void it_matters_as_it_will_be(void **state)
{
	struct parts parts;
	struct salience_facts facts = {.importance = 0.2, .hits = 3, .age_days = 30};

	make(*state,
	     "{'a':{'value':'x'," TIMES(
		     "2026-11-01") ",'hits':1},"
				   "'b':{'value':'x'," TIMES(
					   "2026-10-22") ",'hits':2,'importance':0.2}}",
	     &parts);
	merging_decide(&parts.merging, KEEP_LONGEST, &parts.arena);
	facts.bytes = (int64_t)entry_size(parts.merging.text);
	facts.age_days = parts.facts[1].age_days;
	assert_in_range((merging_salience(&parts.merging) - salience_score(&facts)) * 1e9 + 10, 9,
			11);
	arena_release(&parts.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_remains_is_as_asked),
		TEST(cohesion_is_the_mean_of_all_pairs),
		TEST(an_obstacle_leaves_no_text),
		TEST(it_matters_as_it_will_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
