#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/swap/merge3.h"

#include <stdlib.h>

#define NOW INT64_C(1795000000000)

#define RECORD(key, value)                                                                         \
	"{\"key\":\"" key "@1\",\"originalKey\":\"" key "\",\"entry\":{\"value\":" value "}}"

static void parse(struct json *doc, const char *text)
{
	struct json_fault fault;

	assert_int_equal(json_parse(doc, slice_of(text), &json_file_bounds, &fault), 0);
}

/* Merges two texts that come from base; `aside` is a part of what lost, NULL for nothing. */
static void check(enum store_file file, const char *base, const char *theirs, const char *ours,
		  const char *expected, const char *aside)
{
	struct digests known = UNITS_INIT;
	struct merge3 merge = {.file = file, .base = &known, .now_ms = NOW};
	STR_AUTO lines = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json base_doc;
	struct json their_doc;
	struct json our_doc;
	struct err err;

	parse(&base_doc, base);
	parse(&their_doc, theirs);
	parse(&our_doc, ours);
	digests_read(&known, file, &base_doc);
	merge.theirs = &their_doc;
	if (merge3_build(&merge, &our_doc, &out, &lines, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(out.ptr, expected);
	if (aside)
		assert_non_null(strstr(lines.ptr, aside));
	else
		assert_string_equal(lines.ptr, "");
	digests_release(&known);
	json_release(&base_doc);
	json_release(&their_doc);
	json_release(&our_doc);
}

static void check_state(const char *base, const char *theirs, const char *ours,
			const char *expected, const char *aside)
{
	check((enum store_file)CATEGORY_STATE, base, theirs, ours, expected, aside);
}

static void test_entries(void **state)
{
	(void)state;
	/* Only one of the two has changed, added or removed it. */
	check_state("{\"a\":1,\"b\":1}", "{\"a\":2,\"b\":1}", "{\"a\":1,\"b\":3}",
		    "{\"a\":2,\"b\":3}", NULL);
	check_state("{\"a\":1}", "{\"a\":1,\"t\":1}", "{\"a\":1,\"o\":1}",
		    "{\"a\":1,\"t\":1,\"o\":1}", NULL);
	check_state("{\"a\":1,\"b\":1,\"c\":1}", "{\"a\":1,\"c\":1}", "{\"a\":1,\"b\":1}",
		    "{\"a\":1}", NULL);
	/* Both did the same. */
	check_state("{\"a\":1,\"b\":1}", "{\"a\":2}", "{\"a\":2}", "{\"a\":2}", NULL);
	check_state("{}", "{\"a\":2}", "{\"a\":2}", "{\"a\":2}", NULL);
}

static void test_entries_in_conflict(void **state)
{
	(void)state;
	/* The person's text stays and ours is kept aside. */
	check_state("{\"a\":1}", "{\"a\":2}", "{\"a\":3}", "{\"a\":2}", "\"value\":3");
	check_state("{}", "{\"a\":2}", "{\"a\":3}", "{\"a\":2}", "\"value\":3");
	/* Changed wins over removed, whoever did which. */
	check_state("{\"a\":1}", "{}", "{\"a\":3}", "{\n  \"a\":3\n}", NULL);
	check_state("{\"a\":1}", "{\"a\":2}", "{}", "{\"a\":2}", NULL);
}

static void test_their_bytes_stay(void **state)
{
	(void)state;
	check_state("{\"a\":1,\"b\":1}", "{ \"b\" :1 ,\n\t\"a\":  [2]}\n", "{\"a\":1,\"b\":  7}",
		    "{ \"b\":  7 ,\n\t\"a\":  [2]}\n", NULL);
}

static void check_archive(const char *base, const char *theirs, const char *ours,
			  const char *expected, const char *aside)
{
	check(STORE_FILE_ARCHIVE, base, theirs, ours, expected, aside);
}

static void test_records(void **state)
{
	(void)state;
	/* Each added one and removed one. */
	check_archive("{\"state\":[" RECORD("a", "1") "," RECORD("b", "1") "]}",
		      "{\"state\":[" RECORD("b", "1") "," RECORD("t", "1") "]}",
		      "{\"state\":[" RECORD("a", "1") "," RECORD("o", "1") "]}",
		      "{\"state\":[" RECORD("t", "1") "," RECORD("o", "1") "]}", NULL);
	/* We changed one; the person's stays where both did. */
	check_archive("{\"state\":[" RECORD("a", "1") "]}", "{\"state\":[" RECORD("a", "1") "]}",
		      "{\"state\":[" RECORD("a", "2") "]}", "{\"state\":[" RECORD("a", "2") "]}",
		      NULL);
	check_archive("{\"state\":[" RECORD("a", "1") "]}", "{\"state\":[" RECORD("a", "2") "]}",
		      "{\"state\":[" RECORD("a", "3") "]}", "{\"state\":[" RECORD("a", "2") "]}",
		      &(RECORD("a", "3"))[1]);
	/* The same key in another category is another record. */
	check_archive(
		"{}", "{\"state\":[" RECORD("a", "1") "]}", "{\"patterns\":[" RECORD("a", "2") "]}",
		"{\"state\":[" RECORD("a", "1") "],\"patterns\":[" RECORD("a", "2") "]}", NULL);
}

/* The person has put something else where records of a category stand. */
static void test_no_place_for_a_record(void **state)
{
	struct digests known = UNITS_INIT;
	struct merge3 merge = {.file = STORE_FILE_ARCHIVE, .base = &known, .now_ms = NOW};
	STR_AUTO lines = STR_INIT;
	STR_AUTO out = STR_INIT;
	struct json theirs;
	struct json ours;
	struct err err;

	(void)state;
	parse(&theirs, "{\"state\":{}}");
	parse(&ours, "{\"state\":[" RECORD("a", "1") "]}");
	merge.theirs = &theirs;
	assert_int_equal(merge3_build(&merge, &ours, &out, &lines, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_string_equal(err.text, "1:10: \"state\" must be a list, in [ and ]");
	json_release(&theirs);
	json_release(&ours);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_entries_in_conflict),
		cmocka_unit_test(test_their_bytes_stay),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_no_place_for_a_record),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
