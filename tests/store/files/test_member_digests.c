#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/files/member_digests.h"

#include "base/map.h"

#include <stdlib.h>

#define NOW INT64_C(1795000000000)

#define RECORD(key, value)                                                                         \
	"{\"key\":\"" key "\",\"originalKey\":\"k\",\"entry\":{\"value\":" value "}}"

/* The document points into text. */
static void read(struct digests *units, struct json *doc, enum store_file file, const char *text)
{
	struct json_fault fault;

	*units = (struct digests)UNITS_INIT;
	assert_int_equal(json_parse(doc, slice_of(text), &json_file_bounds, &fault), 0);
	digests_read(units, file, doc);
}

static void test_entries(void **state)
{
	struct digests units;
	struct json doc;

	(void)state;
	read(&units, &doc, (enum store_file)CATEGORY_STATE,
	     "{\"a\": {\"value\": 1}, \"\\u0062\": 2}");
	assert_int_equal(units.count, 2);
	assert_true(units.list[0].id == hash64(slice_of("a")));
	assert_true(units.list[0].digest == hash64(slice_of("{\"value\": 1}")));
	assert_int_equal(units.list[0].category, CATEGORY_STATE);
	/* By its decoded name. */
	assert_ptr_equal(digests_find(&units, hash64(slice_of("b"))), &units.list[1]);
	assert_null(digests_find(&units, hash64(slice_of("c"))));
	json_release(&doc);
	digests_release(&units);
}

/* The same record may stand in two categories, or twice in one: each is a unit of its own. */
static void test_records(void **state)
{
	struct digests units;
	struct json doc;

	(void)state;
	read(&units, &doc, STORE_FILE_ARCHIVE,
	     "{\"mine\":[1],\"patterns\":{},\"preferences\":[" RECORD(
		     "k@1",
		     "1") "],\"state\":[" RECORD("k@1",
						 "1") "," RECORD("k@1",
								 "2") "," RECORD("k@2",
										 "1") ",7,7]}");
	assert_int_equal(units.count, 6);
	for (size_t i = 0; i < units.count; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(units.list[i].id != units.list[k].id);
	assert_int_equal(units.list[0].category, CATEGORY_PREFERENCES);
	assert_int_equal(units.list[1].category, CATEGORY_STATE);
	assert_true(units.list[0].digest == units.list[1].digest);
	assert_true(units.list[1].digest != units.list[2].digest);
	/* What is no record goes by its text. */
	assert_true(units.list[4].digest == hash64(slice_of("7")));
	json_release(&doc);
	digests_release(&units);
}

static void test_as_text(void **state)
{
	static const char *const none[] = {"",
					   "--",
					   "0123",
					   "0000000000000001000000000000000g",
					   "000000000000000g0000000000000001",
					   "000000000000000100000000000000020"};
	struct digests units;
	struct digests copy = UNITS_INIT;
	STR_AUTO text = STR_INIT;
	struct json doc;

	(void)state;
	digests_encode(&text, &copy);
	assert_string_equal(text.ptr, "-");
	assert_true(digests_decode(&copy, slice_of("-")));
	assert_int_equal(copy.count, 0);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_false(digests_decode(&copy, slice_of(none[i])));
		assert_int_equal(copy.count, 0);
	}
	read(&units, &doc, (enum store_file)CATEGORY_STATE, "{\"a\":1,\"b\":2}");
	str_clear(&text);
	digests_encode(&text, &units);
	assert_int_equal(text.len, 64);
	assert_true(digests_decode(&copy, str_slice(&text)));
	assert_int_equal(copy.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(copy.list[i].id == units.list[i].id);
		assert_true(copy.list[i].digest == units.list[i].digest);
		assert_true(copy.list[i].node == JSON_NONE);
	}
	json_release(&doc);
	digests_release(&units);
	digests_release(&copy);
}

/* The line that keeps the n-th unit of a file. */
static void check_aside(enum store_file file, const char *text, size_t n, const char *expected)
{
	STR_AUTO lines = STR_INIT;
	struct digests units;
	struct json doc;

	read(&units, &doc, file, text);
	assert_true(n < units.count);
	unit_set_aside(&lines, file, units.list[n].category, &doc, units.list[n].node, NOW);
	assert_string_equal(lines.ptr, expected);
	json_release(&doc);
	digests_release(&units);
}

#define KEPT(category, key, entry)                                                                 \
	"{\"category\":\"" category "\",\"key\":\"" key                                            \
	"@2026-11-18T11:06:40.000+00:00\",\"originalKey\":\"" key                                  \
	"\",\"archivedAt\":\"2026-11-18T11:06:40.000+00:00\",\"reason\":\"replaced\","             \
	"\"entry\":" entry "}\n"

static void test_set_aside(void **state)
{
	(void)state;
	check_aside((enum store_file)CATEGORY_STATE, "{\"a\":{\"value\": 1,\"mine\":2}}", 0,
		    KEPT("state", "a", "{\"value\":1,\"mine\":2}"));
	check_aside((enum store_file)CATEGORY_PATTERNS, "{\"a\":[1.0]}", 0,
		    KEPT("patterns", "a", "{\"value\":[1.0]}"));
	/* A record is kept as it is; what is none, as a value. */
	check_aside(STORE_FILE_ARCHIVE, "{\"state\":[" RECORD("k@1", "1") "]}", 0,
		    "{\"category\":\"state\",\"key\":\"k@1\",\"originalKey\":\"k\",\"entry\":"
		    "{\"value\":1}}\n");
	check_aside(STORE_FILE_ARCHIVE, "{\"state\":[7]}", 0,
		    KEPT("state", "archive", "{\"value\":7}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_as_text),
		cmocka_unit_test(test_set_aside),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
