/*
 * Texts that no person writes cost no more than texts of the same size that people do. What is
 * compared is the processor's time of the one and the other within this run, the least of several,
 * and how many items were looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "lookup/lookup.h"
#include "lookup/lookup_index.h"
#include "search/search.h"

#include <stdio.h>
#include <time.h>

#define TURNS 3
#define KEYS 10000

/* So many times the work of plain text is still the same order of it. */
#define SAME_ORDER 12.0

static const char *const units[] = {
	"the quick brown fox jumps over a lazy dog and runs away ", /* plain, and first */
	"a",
	"a ",
	"ab",
	"aB",
	"\xCC\x81",
	"a\xCC\x81",
	"\xEF\xB7\xBA", /* one character that becomes eighteen */
	"\xE4\xB8\xAD",
	"1",
	"1 ",
	"\xF0\x9F\x9A\x80",
};

#define UNITS (sizeof units / sizeof *units)

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void repeat(struct str *out, const char *unit, size_t bytes)
{
	while (out->len + strlen(unit) <= bytes)
		str_adds(out, unit);
}

/* One big value, in both indexes. */
struct big {
	struct lookup *lookup;
	struct search *search;
};

static void open_big(struct big *big, const char *unit, size_t bytes)
{
	STR_AUTO value = STR_INIT;

	str_addc(&value, '"');
	repeat(&value, unit, bytes);
	str_addc(&value, '"');
	big->lookup = lookup_new(&(struct lookup_item){.key = slice_of("big"),
						       .value = str_slice(&value),
						       .ref = slice_of("state:big")},
				 1);
	big->search = search_new(
		&(struct search_item){.key = slice_of("big"), .value = str_slice(&value)}, 1);
}

static void close_big(struct big *big)
{
	lookup_free(big->lookup);
	search_free(big->search);
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double time_lookup(struct lookup *index, const char *query)
{
	struct lookup_answer answer;
	double best = 1e12;

	for (int turn = 0; turn < TURNS; turn++) {
		double begin = now_us();

		lookup_find(index, slice_of(query), LOOKUP_ANY_SCOPE, &answer);
		best = least(best, now_us() - begin);
	}
	return best;
}

static double time_search(struct search *index, const char *query)
{
	const struct search_hit *hits;
	double best = 1e12;

	for (int turn = 0; turn < TURNS; turn++) {
		double begin = now_us();

		search_find(index, slice_of(query), NULL, &hits);
		best = least(best, now_us() - begin);
	}
	return best;
}

/* The slowest of all queries made of the units: as long as a word, a sentence, a query may be. */
static double time_worst(struct big *big)
{
	static const size_t lengths[] = {12, 130, LOOKUP_QUERY_MAX};
	double worst = 0;

	for (size_t i = 0; i < UNITS * 3; i++) {
		STR_AUTO query = STR_INIT;
		double us;

		repeat(&query, units[i / 3], lengths[i % 3]);
		us = time_lookup(big->lookup, query.ptr) + time_search(big->search, query.ptr);
		worst = us > worst ? us : worst;
	}
	return worst;
}

static void odd_values_cost_what_plain_ones_do(void **state)
{
	double plain = 0;

	(void)state;
	for (size_t i = 0; i < UNITS; i++) {
		struct big big;
		double worst;

		open_big(&big, units[i], i < 2 ? 1 << 20 : 1 << 18);
		worst = time_worst(&big);
		close_big(&big);
		if (i == 0)
			plain = worst;
		if (worst > SAME_ORDER * plain)
			fail_msg("a value of \"%s\": %.0f us, plain text %.0f us", units[i], worst,
				 plain);
	}
}

enum kind { ALL_DIFFERENT, ALL_EQUAL, NEARLY_EQUAL, NEARLY_EQUAL_WORDS };

static struct lookup *many_keys(enum kind kind)
{
	static const char *const before[] = {"", "the other key", "nearlytheotherkey",
					     "nearly other key "};
	static const char *const behind[] = {" other key", "", "", ""};
	struct lookup *index = lookup_new(NULL, 0);

	for (int i = 0; i < KEYS; i++) {
		STR_AUTO key = STR_INIT;

		str_adds(&key, before[kind]);
		if (kind != ALL_EQUAL)
			str_printf(&key, "%c%c%c", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
		str_adds(&key, behind[kind]);
		lookup_add(index, &(struct lookup_item){.key = str_slice(&key),
							.value = slice_of("\"the same value\""),
							.ref = slice_of("state:key")});
	}
	return index;
}

/* Looking at ten thousand keys that hold a word is what a lookup may have to do at most. */
static void keys_that_are_alike_cost_what_different_ones_do(void **state)
{
	static const char *const queries[] = {
		"other key", "teh other key", "neraly other key abz", "nearlytheothrekeyabc",
		"other kye", "smae value",    "the same value",       "key other"};
	struct lookup *index = many_keys(ALL_DIFFERENT);
	double plain = time_lookup(index, "other key");

	(void)state;
	assert_int_equal(index->listed.count, KEYS);
	lookup_free(index);
	for (enum kind kind = ALL_EQUAL; kind <= NEARLY_EQUAL_WORDS; kind++) {
		index = many_keys(kind);
		for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
			double us = time_lookup(index, queries[q]);

			assert_in_range(index->listed.count, 0, KEYS);
			if (us > SAME_ORDER * plain)
				fail_msg("%s: %.0f us, plain %.0f us", queries[q], us, plain);
		}
		lookup_free(index);
	}
}

/* However long the query, an equal key is found by its digest and nothing else is looked at. */
static void an_equal_key_is_found_at_once(void **state)
{
	struct lookup *index = many_keys(ALL_DIFFERENT);

	(void)state;
	time_lookup(index, "abc other key");
	assert_int_equal(index->listed.count, 1);
	lookup_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_values_cost_what_plain_ones_do),
		cmocka_unit_test(keys_that_are_alike_cost_what_different_ones_do),
		cmocka_unit_test(an_equal_key_is_found_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
