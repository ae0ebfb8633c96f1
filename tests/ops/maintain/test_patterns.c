#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/maintain/patterns.h"

#include <math.h>
#include <stdio.h>

#define ENTRIES_MAX 300
#define DAY MS_PER_DAY

struct sample {
	struct arena arena;
	struct pattern_note notes[ENTRIES_MAX];
	size_t count;
};

/* Told so many days after 2026-01-01, noon. */
static void tell(struct sample *sample, int day, const char *text)
{
	char ref[32];

	snprintf(ref, sizeof ref, "state:n%zu", sample->count);
	sample->notes[sample->count++] = (struct pattern_note){
		.ref = arena_copy(&sample->arena, slice_of(ref)),
		.key = slice_of("n"),
		.text = slice_of(text),
		.at_ms = INT64_C(1767268800000) + day * DAY,
		.report = true,
	};
}

/* Things that happened once. */
static void tell_others(struct sample *sample)
{
	tell(sample, 300, "Ordered four chairs for the kitchen");
	tell(sample, 301, "Went to the dentist");
	tell(sample, 302, "Painted the garden door");
	tell(sample, 303, "Sold the old bicycle");
	tell(sample, 304, "Cousin Ada visited for a weekend");
	tell(sample, 305, "Planted two pear trees");
}

static size_t find(struct sample *sample, struct pattern out[PATTERNS_MAX])
{
	return patterns_find(sample->notes, sample->count, &sample->arena, out);
}

static void what_happens_again_is_a_pattern(void **state)
{
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];
	struct slice *words;

	(void)state;
	tell(&sample, 0, "Boiler 3 went out after the storm, restarted the burner");
	tell(&sample, 31,
	     "The boiler was cold on 1 February, storm had blown in, restarted its burner");
	tell(&sample, 90, "Boiler out again after a storm at night, restarted burner 7");
	tell(&sample, 200, "No heating: boiler had stopped after the storm, restarted the burner");
	tell_others(&sample);
	assert_int_equal(find(&sample, found), 1);
	assert_string_equal(
		found[0].description.ptr,
		"boiler, burner; after storm; done: restarted; 4 times from 2026-01-01 to "
		"2026-07-20");
	assert_string_equal(found[0].key.ptr, "about boiler burner storm");
	assert_int_equal(found[0].count, 4);
	assert_true(slice_is(found[0].members[3], "state:n3"));
	assert_int_equal(pattern_words(&found[0], RECURRING_CAUSE, &sample.arena, &words), 1);
	assert_true(slice_is(words[0], "storm"));
	arena_release(&sample.arena);
}

/* Numbers, tickets and dates neither make nor break it. */
static void numbers_do_not_matter(void **state)
{
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	for (int i = 0; i < 8; i++)
		tell(&sample, i, i % 2 ? "Paid 120 euros on 4 May" : "Closed ABC-1204 on 4 May");
	tell(&sample, 20, "Measured 120 on 4 May at 09:30");
	tell_others(&sample);
	sample.notes[0].text = slice_of("Phoned Ilse on 4 May");
	sample.notes[2].text = slice_of("Baked on 4 May, ABC-1204");
	sample.notes[4].text = slice_of("Mended 120 socks on 4 May");
	sample.notes[1].text = slice_of("Swam 120 lengths on 4 May");
	sample.notes[3].text = slice_of("ABC-1204 is with Tom since 4 May");
	sample.notes[5].text = slice_of("Invoice 120 reached us on 4 May");
	sample.notes[6].text = slice_of("Letter from the bank, 4 May, 120 pages");
	sample.notes[7].text = slice_of("Rain on 4 May, 120 mm");
	assert_int_equal(find(&sample, found), 0);
	arena_release(&sample.arena);
}

static void two_times_or_two_days_are_too_few(void **state)
{
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	tell_others(&sample);
	tell(&sample, 0, "Boiler went out after the storm, restarted the burner");
	tell(&sample, 40, "Boiler out after a storm, restarted burner");
	assert_int_equal(find(&sample, found), 0);
	tell(&sample, 40, "Again the boiler was out after the storm, burner restarted");
	assert_int_equal(find(&sample, found), 0);
	tell(&sample, 60, "Again the boiler was out after the storm, burner restarted");
	assert_int_equal(find(&sample, found), 1);
	arena_release(&sample.arena);
}

/* What holds and goes on holding does not happen again and again. */
static void facts_are_no_pattern(void **state)
{
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	tell_others(&sample);
	tell(&sample, 0, "The boiler stands in the cellar beside the burner");
	tell(&sample, 10, "Boiler and burner are in the cellar");
	tell(&sample, 20, "The burner of the boiler is from Hansen, cellar left");
	for (size_t i = 6; i < 9; i++)
		sample.notes[i].report = false;
	assert_int_equal(find(&sample, found), 0);
	arena_release(&sample.arena);
}

static void ten_at_most_are_found_the_surest_first(void **state)
{
	static char texts[12][4][96];
	static struct sample sample;
	struct pattern found[PATTERNS_MAX];

	(void)state;
	for (int i = 0; i < 12; i++) {
		for (int k = 0; k < 4; k++) {
			char c = (char)('a' + i);

			snprintf(texts[i][k], sizeof texts[i][k],
				 "theme%cx topic%cx other%cx only%cx%c", c, c, c, c,
				 'a' + (i % 2 ? k : 0));
			tell(&sample, k * 9, texts[i][k]);
		}
	}
	assert_int_equal(find(&sample, found), PATTERNS_MAX);
	for (size_t i = 1; i < PATTERNS_MAX; i++)
		assert_true(found[i - 1].confidence >= found[i].confidence);
	arena_release(&sample.arena);
}

struct drifting {
	struct arena arena;
	struct item items[ENTRIES_MAX];
	struct facts facts[ENTRIES_MAX];
	struct slice texts[ENTRIES_MAX];
	size_t count;
};

/* Made later than all before. */
static void add(struct drifting *d, size_t times, const char *text)
{
	for (size_t i = 0; i < times; i++) {
		d->items[d->count].created_ms = (int64_t)d->count;
		d->items[d->count].ref = slice_of("state:x");
		d->facts[d->count] = (struct facts){.item = &d->items[d->count]};
		d->texts[d->count++] = slice_of(text);
	}
}

static void drift_names_what_came_and_went(void **state)
{
	static struct drifting d;
	struct pattern_drift drift;

	(void)state;
	add(&d, 100, "deploys and builds");
	pattern_drift(d.facts, d.texts, d.count, &d.arena, &drift);
	assert_false(drift.known);
	assert_int_equal(drift.recent, 100);
	/* The same as before: nothing to say. */
	add(&d, 100, "builds, a deploy");
	pattern_drift(d.facts, d.texts, d.count, &d.arena, &drift);
	assert_false(drift.known);
	assert_string_equal(drift.level, "none");
	add(&d, 60, "gardens, flowers");
	add(&d, 40, "builds and a garden");
	pattern_drift(d.facts, d.texts, d.count, &d.arena, &drift);
	assert_true(drift.known);
	assert_int_equal(drift.older, 200);
	assert_int_equal(drift.came_count, 2);
	assert_true(slice_is(drift.came[0].word, "garden"));
	assert_int_equal(drift.came[0].recent, 100);
	assert_int_equal(drift.came[0].older, 0);
	assert_true(slice_is(drift.came[1].word, "flowers"));
	assert_int_equal(drift.went_count, 1);
	assert_true(slice_is(drift.went[0].word, "deploy"));
	assert_int_equal(drift.went[0].older, 200);
	arena_release(&d.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_happens_again_is_a_pattern),
		cmocka_unit_test(numbers_do_not_matter),
		cmocka_unit_test(two_times_or_two_days_are_too_few),
		cmocka_unit_test(facts_are_no_pattern),
		cmocka_unit_test(ten_at_most_are_found_the_surest_first),
		cmocka_unit_test(drift_names_what_came_and_went),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
