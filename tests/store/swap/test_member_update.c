#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/swap/member_update.h"

#include "base/map.h"

#include <stdlib.h>

#define NOW INT64_C(1795000000000)

#define RECORD(value) "{\"key\":\"k@1\",\"originalKey\":\"k\",\"entry\":{\"value\":" value "}}"
#define TWO(a, b) "{\"state\":[" RECORD(a) "," RECORD(b) "]}"
#define ONE(a) "{\"state\":[" RECORD(a) "]}"
#define NO_RECORD "{\"state\":[]}"

/* A removal of the record k@1 that was made for the one with this value. */
static struct op drop(const char *record)
{
	return (struct op){
		.kind = OP_RECORD_REMOVE,
		.category = CATEGORY_STATE,
		.key = slice_of("k@1"),
		.before = record ? hash64(slice_of(record)) : 0,
	};
}

static struct op add(const char *record)
{
	return (struct op){
		.kind = OP_RECORD_ADD,
		.category = CATEGORY_STATE,
		.key = slice_of("k@1"),
		.text = slice_of(record),
	};
}

/* Does the operations on the file; the result is compared without its layout. */
static void check_file(enum store_file file, const char *text, const struct op *ops, size_t count,
		       bool redo, const char *expected, bool sets_aside)
{
	struct build build = {file, ops, count, redo, NOW, NULL};
	STR_AUTO out = STR_INIT;
	STR_AUTO aside = STR_INIT;
	STR_AUTO bare = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct err err;

	assert_int_equal(json_parse(&doc, slice_of(text), &json_file_bounds, &fault), 0);
	if (build_ops(&build, &doc, &out, &aside, &err) != 0)
		fail_msg("%s", err.text);
	json_release(&doc);
	for (size_t i = 0; i < out.len; i++) {
		if (!strchr(" \n\t", out.ptr[i]))
			str_addc(&bare, out.ptr[i]);
	}
	assert_string_equal(bare.ptr, expected);
	assert_int_equal(aside.len > 0, sets_aside);
}

static void check(const char *text, const struct op *ops, size_t count, bool redo,
		  const char *expected, bool sets_aside)
{
	check_file(STORE_FILE_ARCHIVE, text, ops, count, redo, expected, sets_aside);
}

static void check_entries(const char *text, const struct op *ops, size_t count,
			  const char *expected)
{
	check_file((enum store_file)CATEGORY_STATE, text, ops, count, false, expected, false);
}

/* A person copied a record: each of the two has a removal of its own. */
static void test_both_of_one_key_go(void **state)
{
	const struct op same[] = {drop(RECORD("1")), drop(RECORD("1")), drop(RECORD("1"))};
	const struct op differ[] = {drop(RECORD("1")), drop(RECORD("2"))};
	const struct op turned[] = {drop(RECORD("2")), drop(RECORD("1"))};
	const struct op any[] = {drop(NULL), drop(NULL)};

	(void)state;
	check(TWO("1", "1"), same, 2, false, NO_RECORD, false);
	check(TWO("1", "1"), same, 3, false, NO_RECORD, false);
	check(TWO("1", "2"), differ, 2, false, NO_RECORD, false);
	check(TWO("1", "2"), turned, 2, false, NO_RECORD, false);
	check(TWO("1", "2"), any, 2, false, NO_RECORD, false);
}

/* The one that the removal was made for goes, wherever it stands. */
static void test_the_meant_one_goes(void **state)
{
	const struct op first = drop(RECORD("1"));
	const struct op second = drop(RECORD("2"));
	const struct op any = drop(NULL);

	(void)state;
	check(TWO("1", "2"), &first, 1, false, ONE("2"), false);
	check(TWO("1", "2"), &second, 1, false, ONE("1"), false);
	check(TWO("1", "2"), &any, 1, false, ONE("1"), false);
	check(TWO("1", "2"), &first, 1, true, ONE("2"), false);
}

/* Where none is the one that was meant: the last, which is kept aside; in a redo none. */
static void test_a_changed_one(void **state)
{
	const struct op other = drop(RECORD("3"));

	(void)state;
	check(TWO("1", "2"), &other, 1, false, ONE("1"), true);
	check(TWO("1", "2"), &other, 1, true, TWO("1", "2"), false);
	check(NO_RECORD, &other, 1, false, NO_RECORD, false);
	check("{}", &other, 1, false, "{}", false);
}

/* A record that is there is not added again, but for one that is on its way out. */
static void test_add(void **state)
{
	const struct op there = add(RECORD("1"));
	const struct op anew[] = {drop(RECORD("1")), add(RECORD("1"))};

	(void)state;
	check(ONE("1"), &there, 1, false, ONE("1"), false);
	check(ONE("2"), &there, 1, false, TWO("2", "1"), false);
	check(ONE("1"), anew, 2, false, ONE("1"), false);
}

/* What is no list cannot take a record; the sentence says where it stands. */
static void test_no_list(void **state)
{
	const struct op there = add(RECORD("1"));
	struct build build = {STORE_FILE_ARCHIVE, &there, 1, false, NOW, NULL};
	STR_AUTO out = STR_INIT;
	STR_AUTO aside = STR_INIT;
	struct json_fault fault;
	struct json doc;
	struct err err;

	(void)state;
	assert_int_equal(
		json_parse(&doc, slice_of("{\n  \"state\": 1\n}"), &json_file_bounds, &fault), 0);
	assert_int_equal(build_ops(&build, &doc, &out, &aside, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_string_equal(err.text, "2:12: \"state\" must be a list, in [ and ]");
	json_release(&doc);
}

/* Of several operations on one key the last counts: set, removed and set again in one change. */
static void test_the_last_operation_on_a_key_counts(void **state)
{
	const struct op ops[] = {
		{.kind = OP_PUT,
		 .category = CATEGORY_STATE,
		 .key = slice_of("k"),
		 .text = slice_of("1")},
		{.kind = OP_REMOVE, .category = CATEGORY_STATE, .key = slice_of("k")},
		{.kind = OP_PUT,
		 .category = CATEGORY_STATE,
		 .key = slice_of("k"),
		 .text = slice_of("2")},
	};

	(void)state;
	check_entries("{\"a\":0}", ops, 3, "{\"a\":0,\"k\":2}");
	check_entries("{\"a\":0}", ops, 2, "{\"a\":0}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_of_one_key_go),
		cmocka_unit_test(test_the_meant_one_goes),
		cmocka_unit_test(test_a_changed_one),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_the_last_operation_on_a_key_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
