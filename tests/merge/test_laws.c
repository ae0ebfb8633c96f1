/*
 * The laws of the merge, on stores that are drawn. Each is tried again with a merge that is wrong
 * in one way, and has to be broken then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/map.h"
#include "json/write.h"
#include "merge/canon.h"
#include "merge/merge_value.h"
#include "merge/stores.h"
#include "merge/worlds.h"

#include <stdio.h>
#include <stdlib.h>

/* KOTA_MERGE_WORLDS says how many. */
#define WORLDS 2000

/* Ways in which a merge can be wrong. */
enum fault { FAULT_NONE, FAULT_OURS, FAULT_STAMPS, FAULT_NO_BASE, FAULT_LOSER_DROPPED };

static void write_without_losers(struct json_writer *w, struct part archive)
{
	json_write_object(w);
	for (struct part c = part_first(archive); c.doc; c = part_next(c)) {
		json_write_name(w, part_name(c));
		json_write_array(w);
		for (struct part r = part_first(c); r.doc; r = part_next(r)) {
			struct part reason = part_member(r, slice_of("reason"));

			if (!slice_is(part_text(reason), "\"conflict\""))
				part_write(r, w);
		}
		json_write_end(w);
	}
	json_write_end(w);
}

/* Writes the store again with what a wrong merge does to it. */
static void spoil(enum fault fault, struct str *store)
{
	STR_AUTO out = STR_INIT;
	CANON_AUTO doc = {0};

	canon_known(&doc, str_slice(store));
	struct json_writer w = json_writer_to(&out, &json_compact);
	json_write_object(&w);
	for (struct part m = part_first(part_root(&doc)); m.doc; m = part_next(m)) {
		json_write_name(&w, part_name(m));
		if (fault == FAULT_LOSER_DROPPED && slice_is(part_name(m), "archive"))
			write_without_losers(&w, m);
		else if (fault == FAULT_STAMPS && slice_is(part_name(m), "relations"))
			json_write_raw(&w, slice_of("{\"merged_at\":\"2026-01-01T00:00:00Z\"}"));
		else
			part_write(m, &w);
	}
	json_write_end(&w);
	str_clear(store);
	str_add(store, str_slice(&out));
}

static void merge(enum fault fault, struct slice base, struct slice a, struct slice b,
		  struct str *out)
{
	str_clear(out);
	if (fault == FAULT_OURS) {
		str_add(out, a);
		return;
	}
	stores_merge(fault == FAULT_NO_BASE ? slice_of(NULL) : base, a, b, out);
	if (fault != FAULT_NONE)
		spoil(fault, out);
}

static bool same(struct slice a, struct slice b)
{
	STR_AUTO left = STR_INIT;
	STR_AUTO right = STR_INIT;

	stores_canonical(a, &left);
	stores_canonical(b, &right);
	return slice_equal(str_slice(&left), str_slice(&right));
}

/* A law: does it hold for these stores? */
typedef bool (*law)(enum fault fault, const struct worlds *w);

static bool merging_twice_the_same_changes_nothing(enum fault fault, const struct worlds *w)
{
	STR_AUTO out = STR_INIT;
	bool holds;

	merge(fault, str_slice(&w->base), str_slice(&w->a), str_slice(&w->a), &out);
	holds = same(str_slice(&out), str_slice(&w->a));
	merge(fault, slice_of(NULL), str_slice(&w->a), str_slice(&w->a), &out);
	return holds && same(str_slice(&out), str_slice(&w->a));
}

static bool what_only_one_side_changed_is_taken(enum fault fault, const struct worlds *w)
{
	STR_AUTO out = STR_INIT;
	bool holds;

	merge(fault, str_slice(&w->base), str_slice(&w->base), str_slice(&w->b), &out);
	holds = same(str_slice(&out), str_slice(&w->b));
	merge(fault, str_slice(&w->base), str_slice(&w->a), str_slice(&w->base), &out);
	return holds && same(str_slice(&out), str_slice(&w->a));
}

static bool it_does_not_matter_who_is_called_ours(enum fault fault, const struct worlds *w)
{
	const struct slice bases[] = {str_slice(&w->base), slice_of(NULL)};

	for (size_t i = 0; i < 2; i++) {
		STR_AUTO out = STR_INIT;
		STR_AUTO turned = STR_INIT;

		merge(fault, bases[i], str_slice(&w->a), str_slice(&w->b), &out);
		merge(fault, bases[i], str_slice(&w->b), str_slice(&w->a), &turned);
		if (!same(str_slice(&out), str_slice(&turned)))
			return false;
	}
	return true;
}

static bool a_side_that_is_merged_has_nothing_to_add(enum fault fault, const struct worlds *w)
{
	STR_AUTO merged = STR_INIT;
	STR_AUTO again = STR_INIT;
	bool holds;

	merge(FAULT_NONE, str_slice(&w->base), str_slice(&w->a), str_slice(&w->b), &merged);
	merge(fault, str_slice(&w->a), str_slice(&merged), str_slice(&w->a), &again);
	holds = same(str_slice(&again), str_slice(&merged));
	merge(fault, str_slice(&w->b), str_slice(&w->b), str_slice(&merged), &again);
	return holds && same(str_slice(&again), str_slice(&merged));
}

static void tokens_of(struct slice text, struct map *out)
{
	struct slice token;
	size_t at = 0;

	while ((token = worlds_token(text, &at)).ptr)
		map_put(out, token, 0);
}

/* Is each text of a side that the base has not, and so the other side has not seen, in there? */
static bool keeps_all_of(struct slice side, const struct map *before, const struct map *after)
{
	struct slice token;
	size_t at = 0;

	while ((token = worlds_token(side, &at)).ptr) {
		if (!map_get(before, token, NULL) && !map_get(after, token, NULL))
			return false;
	}
	return true;
}

static bool no_text_that_the_other_side_has_not_seen_is_lost(enum fault fault,
							     const struct worlds *w)
{
	MAP_AUTO before = MAP_INIT;
	MAP_AUTO after = MAP_INIT;
	STR_AUTO out = STR_INIT;

	merge(fault, str_slice(&w->base), str_slice(&w->a), str_slice(&w->b), &out);
	tokens_of(str_slice(&w->base), &before);
	tokens_of(str_slice(&out), &after);
	return keeps_all_of(str_slice(&w->a), &before, &after) &&
	       keeps_all_of(str_slice(&w->b), &before, &after);
}

static size_t worlds_count(void)
{
	const char *wanted = getenv("KOTA_MERGE_WORLDS");

	return wanted ? strtoul(wanted, NULL, 10) : WORLDS;
}

/* How many of the worlds break the law; where stop, the first is enough. */
static size_t broken(law holds, enum fault fault, size_t worlds, bool stop)
{
	size_t count = 0;

	for (size_t seed = 1; seed <= worlds && !(stop && count); seed++) {
		struct worlds w;

		worlds_make(&w, seed);
		if (!holds(fault, &w)) {
			if (!stop)
				print_error("seed %zu\n", seed);
			count++;
		}
		worlds_release(&w);
	}
	return count;
}

static void check(law holds, enum fault planted)
{
	assert_int_equal(broken(holds, FAULT_NONE, worlds_count() / 5, false), 0);
	assert_true(broken(holds, planted, worlds_count() / 5, true) > 0);
}

#define LAW(name, planted)                                                                         \
	static void name##_(void **state)                                                          \
	{                                                                                          \
		(void)state;                                                                       \
		check(name, planted);                                                              \
	}

LAW(merging_twice_the_same_changes_nothing, FAULT_STAMPS)
LAW(what_only_one_side_changed_is_taken, FAULT_OURS)
LAW(it_does_not_matter_who_is_called_ours, FAULT_OURS)
LAW(a_side_that_is_merged_has_nothing_to_add, FAULT_NO_BASE)
LAW(no_text_that_the_other_side_has_not_seen_is_lost, FAULT_LOSER_DROPPED)

/* Results that were checked by hand and by another program: see sample.jsonl. */
static void the_sample_is_merged_as_it_was(void **state)
{
	const char *srcdir = getenv("srcdir");
	STR_AUTO path = STR_INIT;
	size_t count = 0;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	FILE *file;

	(void)state;
	str_printf(&path, "%s/tests/merge/sample.jsonl", srcdir ? srcdir : ".");
	file = fopen(path.ptr, "r");
	assert_non_null(file);
	while ((len = getline(&line, &cap, file)) > 0) {
		CANON_AUTO doc = {0};
		struct part parts[4];
		STR_AUTO out = STR_INIT;

		canon_known(&doc, slice_make(line, (size_t)len));
		parts[0] = part_first(part_root(&doc));
		for (size_t i = 1; i < 4; i++)
			parts[i] = part_next(parts[i - 1]);
		stores_merge(part_is(parts[0], JSON_NULL) ? slice_of(NULL) : part_text(parts[0]),
			     part_text(parts[1]), part_text(parts[2]), &out);
		count++;
		if (!same(str_slice(&out), part_text(parts[3])))
			fail_msg("line %zu: %s", count, out.ptr);
	}
	assert_true(count >= 50);
	free(line);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merging_twice_the_same_changes_nothing_),
		cmocka_unit_test(what_only_one_side_changed_is_taken_),
		cmocka_unit_test(it_does_not_matter_who_is_called_ours_),
		cmocka_unit_test(a_side_that_is_merged_has_nothing_to_add_),
		cmocka_unit_test(no_text_that_the_other_side_has_not_seen_is_lost_),
		cmocka_unit_test(the_sample_is_merged_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
