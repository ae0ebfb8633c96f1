#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/maintain/patterns.h"

#include <math.h>
#include <stdio.h>

#define ENTRIES_MAX 300

struct sample {
	struct arena arena;
	struct item items[ENTRIES_MAX];
	struct facts facts[ENTRIES_MAX];
	struct slice words[ENTRIES_MAX];
	size_t count;
};

/* Made later than all before. */
static void add(struct sample *sample, const char *words)
{
	struct item *item = &sample->items[sample->count];

	item->created_ms = (int64_t)sample->count;
	item->ref = slice_of("state:x");
	sample->facts[sample->count] = (struct facts){.item = item};
	sample->words[sample->count++] = slice_of(words);
}

static size_t patterns(struct sample *sample, struct pattern out[PATTERNS_MAX])
{
	return patterns_find(sample->facts, sample->words, sample->count, &sample->arena, out);
}

static void what_three_are_about_is_a_pattern(void **state)
{
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	add(&sample, "deploys to staging happen every friday");
	add(&sample, "coffee is better than tea");
	add(&sample, "deploys to staging need a green build");
	add(&sample, "deploys to staging are done by priya");
	assert_int_equal(patterns(&sample, found), 1);
	assert_true(slice_is(found[0].key, "about deploys staging"));
	assert_true(slice_is(found[0].description, "3 memories are about deploys, staging"));
	assert_int_equal(found[0].count, 3);
	assert_ptr_equal(found[0].members[1], &sample.facts[2]);
	arena_release(&sample.arena);
}

static void two_are_no_pattern_nor_are_patterns(void **state)
{
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	add(&sample, "deploys to staging happen every friday");
	add(&sample, "deploys to staging need a green build");
	assert_int_equal(patterns(&sample, found), 0);
	add(&sample, "deploys to staging are done by priya");
	sample.items[2].entry.source = slice_of(PATTERN_SOURCE);
	assert_int_equal(patterns(&sample, found), 0);
	arena_release(&sample.arena);
}

static void ten_at_most_are_found_the_surest_first(void **state)
{
	static char words[12][3][64];
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	for (int i = 0; i < 12; i++) {
		for (int k = 0; k < 3; k++) {
			snprintf(words[i][k], sizeof words[i][k], "theme%d topic%d other%d%c", i, i,
				 i, 'a' + (i % 2 ? k : 0));
			add(&sample, words[i][k]);
		}
	}
	assert_int_equal(patterns(&sample, found), PATTERNS_MAX);
	for (size_t i = 1; i < PATTERNS_MAX; i++)
		assert_true(found[i - 1].confidence >= found[i].confidence);
	arena_release(&sample.arena);
}

static void drift_compares_the_last_hundred_with_the_rest(void **state)
{
	static struct sample sample;
	struct pattern_drift drift;

	(void)state;
	for (int i = 0; i < 100; i++)
		add(&sample, "deploys and builds");
	pattern_drift(sample.facts, sample.words, sample.count, &drift);
	assert_false(drift.known);
	assert_int_equal(drift.recent, 100);
	for (int i = 0; i < 100; i++)
		add(&sample, "deploys and builds");
	pattern_drift(sample.facts, sample.words, sample.count, &drift);
	assert_true(drift.known);
	assert_string_equal(drift.level, "none");
	for (int i = 0; i < 100; i++)
		add(&sample, "gardens, flowers");
	pattern_drift(sample.facts, sample.words, sample.count, &drift);
	assert_int_equal(drift.older, 200);
	assert_string_equal(drift.level, "critical");
	assert_true(fabs(drift.similarity) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_three_are_about_is_a_pattern),
		cmocka_unit_test(two_are_no_pattern_nor_are_patterns),
		cmocka_unit_test(ten_at_most_are_found_the_surest_first),
		cmocka_unit_test(drift_compares_the_last_hundred_with_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
