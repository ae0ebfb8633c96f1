#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/combine.h"
#include "support/near.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define PARTS_MAX 4

static const struct {
	const char *values[PARTS_MAX];
	const char *expected; /* NULL: refused, and why then */
	const char *why;
} values[] = {
	/* texts */
	{{"\"vim\"", "\"vim\""}, "\"vim\"", NULL},
	{{"\"uses vim\"", "\"Uses Vim daily\""}, "\"Uses Vim daily\"", NULL},
	{{"\"tabs\"", "\"spaces\""}, "\"spaces\\n\\ntabs\"", NULL},
	{{"\" a b \"", "\"c\"", "\"C\""}, "\"a b\\n\\nc\"", NULL},
	{{"\"\"", "\"x\""}, "\"x\"", NULL},
	{{"\"\\u00e9\"", "\"e\""}, "\"\xc3\xa9\\n\\ne\"", NULL},
	{{"\"\\u00e9t\\u00e9\"", "\"t\""}, "\"\\u00e9t\\u00e9\"", NULL},
	/* objects */
	{{"{\"a\":1}", "{\"b\":2}"}, "{\"a\":1,\"b\":2}", NULL},
	{{"{\"a\":1}", "{\"a\":1.0,\"b\":1e400}"}, "{\"a\":1,\"b\":1e400}", NULL},
	{{"{\"a\":{\"x\":1}}", "{\"a\":{\"y\":[]}}"}, "{\"a\":{\"x\":1,\"y\":[]}}", NULL},
	{{"{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}"}, NULL, "member \"b\" differs"},
	{{"{\"a\":{\"x\":1}}", "{\"a\":{\"x\":2}}"}, NULL, "member \"x\" differs"},
	{{"{\"a\":1}", "{\"b\":2}", "{\"b\":3}"}, NULL, "member \"b\" differs"},
	{{"{\"a\":{}}", "{\"a\":1}"}, NULL, "member \"a\" differs"},
	/* the rest */
	{{"[1,2]", "[1, 2]"}, "[1,2]", NULL},
	{{"9007199254740993", "9007199254740993"}, "9007199254740993", NULL},
	{{"1", "1.0", "1e0"}, "1", NULL},
	{{"null", "null"}, "null", NULL},
	{{"[1]", "[2]"}, NULL, "the lists differ"},
	{{"1", "2"}, NULL, "the values differ"},
	{{"true", "false"}, NULL, "the values differ"},
	{{"\"a\"", "[\"a\"]"}, NULL, "the values are of different types"},
	{{"{}", "[]"}, NULL, "the values are of different types"},
};

static void values_are_put_together_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct slice texts[PARTS_MAX];
		STR_AUTO out = STR_INIT;
		STR_AUTO why = STR_INIT;
		size_t count = 0;

		for (; count < PARTS_MAX && values[i].values[count]; count++)
			texts[count] = slice_of(values[i].values[count]);
		if (combine_values(texts, count, &out, &why) != 0) {
			assert_null(values[i].expected);
			assert_string_equal(why.ptr, values[i].why);
			assert_int_equal(out.len, 0);
		} else {
			assert_non_null(values[i].expected);
			assert_string_equal(out.ptr, values[i].expected);
		}
	}
}

static void the_bonus_of_strength_is_bounded(void **state)
{
	const double many[] = {1.9, 1, 1, 1, 1, 1};

	(void)state;
	assert_near(combine_strength(many, 2, 0.4), 1.98);
	assert_near(combine_strength(many, 6, 1), 2);
	assert_near(combine_strength(many + 1, 5, 1), 1.5);
	assert_near(combine_strength(many, 1, 0), 1.9);
}

#define DAY_1 "\"2026-01-01T00:00:00.000Z\""
#define DAY_2 "\"2026-02-01T00:00:00.000Z\""
#define DAY_3 "\"2026-03-01T00:00:00.000Z\""

#define MS_1 INT64_C(1767225600000)
#define MS_2 INT64_C(1769904000000)
#define MS_3 INT64_C(1772323200000)

static void expect(const struct combine_part *parts, size_t count, size_t kept, double cohesion,
		   const char *expected)
{
	STR_AUTO out = STR_INIT;

	combine_entries(parts, count, kept, slice_of("\"together\""), cohesion, &out);
	assert_string_equal(out.ptr, expected);
}

static void facts_add_up_in_the_entry_that_remains(void **state)
{
	const struct combine_part parts[] = {
		{slice_of("state:a"),
		 slice_of("{\"mood\":\"mine\",\"value\":\"a\",\"created_at\":" DAY_2
			  ",\"last_updated\":" DAY_2 ",\"tags\":[\"x\",\"y\"],\"confidence\":0.4,"
			  "\"meta\":{\"k\":1},\"context\":\"at work\"}"),
		 MS_2, MS_2},
		{slice_of("state:b"),
		 slice_of("{\"value\":\"b\",\"created_at\":" DAY_1 ",\"last_updated\":" DAY_3
			  ",\"tags\":[\"y\",\"z\"],\"entities\":[\"E\"],\"confidence\":0.90,"
			  "\"importance\":0.5,\"strength\":1.5,\"meta\":{\"k\":2,\"l\":3},"
			  "\"pinned\":true,\"context\":\"at "
			  "home\",\"note\":[1.0],\"mood\":\"other\","
			  "\"merged_from\":[\"state:old\"],\"status\":\"promoted\"}"),
		 MS_1, MS_3},
	};

	(void)state;
	expect(parts, 2, 0, 0.5,
	       "{\"mood\":\"mine\",\"value\":\"together\",\"created_at\":\"2026-01-01T00:00:00.000"
	       "+00:00\",\"last_updated\":\"2026-03-01T00:00:00.000+00:00\",\"tags\":[\"x\",\"y\","
	       "\"z\"],\"confidence\":0.90,\"meta\":{\"k\":1,\"l\":3},\"context\":\"at "
	       "work\\n\\nat "
	       "home\",\"strength\":1.6,\"importance\":0.5,\"pinned\":true,\"entities\":[\"E\"],"
	       "\"merged_from\":[\"state:b\",\"state:old\"],\"note\":[1.0]}");
}

static void a_bare_value_becomes_an_entry(void **state)
{
	const struct combine_part parts[] = {
		{slice_of("state:a"), slice_of("\"a\""), MS_2, MS_2},
		{slice_of("state:b"), slice_of("{\"b\":1}"), MS_3, TIME_NONE},
	};

	(void)state;
	expect(parts, 2, 0, 0,
	       "{\"value\":\"together\",\"created_at\":\"2026-02-01T00:00:00.000+00:00\","
	       "\"last_updated\":\"2026-02-01T00:00:00.000+00:00\",\"merged_from\":[\"state:b\"]}");
}

static void what_the_original_handler_counted_adds_up(void **state)
{
	const struct combine_part parts[] = {
		{slice_of("state:a"),
		 slice_of("{\"value\":\"a\",\"created_at\":" DAY_1 ",\"hits\":3,"
			  "\"accessed_at\":" DAY_1 "}"),
		 MS_1, TIME_NONE},
		{slice_of("state:b"),
		 slice_of("{\"value\":\"b\",\"created_at\":" DAY_1 ",\"hits\":4,"
			  "\"accessed_at\":" DAY_2 "}"),
		 MS_1, TIME_NONE},
	};

	(void)state;
	expect(parts, 2, 0, 0,
	       "{\"value\":\"together\",\"created_at\":" DAY_1 ",\"hits\":7,\"accessed_at\":" DAY_2
	       ",\"merged_from\":[\"state:b\"]}");
}

static void what_a_person_wrote_otherwise_stays(void **state)
{
	const struct combine_part parts[] = {
		{slice_of("state:a"),
		 slice_of("{\"value\":\"a\",\"tags\":\"mine\",\"strength\":\"much\","
			  "\"context\":7,\"hits\":\"many\"}"),
		 TIME_NONE, TIME_NONE},
		{slice_of("state:b"),
		 slice_of("{\"value\":\"b\",\"tags\":[\"x\",7],\"entities\":5,\"context\":\"c\"}"),
		 TIME_NONE, TIME_NONE},
	};

	(void)state;
	expect(parts, 2, 0, 0,
	       "{\"value\":\"together\",\"tags\":\"mine\",\"strength\":\"much\",\"context\":7,"
	       "\"hits\":\"many\",\"merged_from\":[\"state:b\"]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_put_together_or_refused),
		cmocka_unit_test(the_bonus_of_strength_is_bounded),
		cmocka_unit_test(facts_add_up_in_the_entry_that_remains),
		cmocka_unit_test(a_bare_value_becomes_an_entry),
		cmocka_unit_test(what_the_original_handler_counted_adds_up),
		cmocka_unit_test(what_a_person_wrote_otherwise_stays),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
