#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/entry.h"

#include <stdlib.h>
#include <time.h>

#define MAY_1_MS INT64_C(1746057600000)
#define JUNE_1_MS INT64_C(1748797200000)
#define JUNE_1 "2025-06-01T10:00:00.000-07:00"

struct fixture {
	struct json doc;
	struct arena arena;
	struct entry entry;
};

/* Reads the first member of a category file. */
static void setup(struct fixture *f, const char *file)
{
	struct json_fault fault;

	*f = (struct fixture){.arena = ARENA_INIT};
	if (json_parse(&f->doc, slice_of(file), &json_file_bounds, &fault))
		fail_msg("%s: %s", file, fault.what);
	entry_read(&f->entry, CATEGORY_STATE, &f->doc, json_first(&f->doc, JSON_ROOT), &f->arena);
}

static void teardown(struct fixture *f)
{
	json_release(&f->doc);
	arena_release(&f->arena);
}

static void assert_slice(struct slice text, const char *expected)
{
	if (!slice_is(text, expected))
		fail_msg("\"%.*s\" is not \"%s\"", (int)text.len, text.ptr, expected);
}

static void test_read(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "{\"editor\": { \"value\" : [1,  2],\"created_at\":\"2025-05-01T00:00:00Z\","
		  "\"last_updated\":\"2025-05-01T00:00:00.001Z\",\"accessed_at\":1746057600002,"
		  "\"hits\":3,\"pinned\":true } }");
	assert_int_equal(f.entry.category, CATEGORY_STATE);
	assert_slice(f.entry.key, "editor");
	assert_slice(f.entry.value, "[1,  2]");
	assert_int_equal(f.entry.text.ptr[0], '{');
	assert_int_equal(f.entry.text.ptr[f.entry.text.len - 1], '}');
	assert_false(f.entry.bare);
	assert_true(f.entry.pinned);
	assert_int_equal(f.entry.created_ms, MAY_1_MS);
	assert_int_equal(f.entry.updated_ms, MAY_1_MS + 1);
	assert_int_equal(f.entry.accessed_ms, MAY_1_MS + 2);
	assert_int_equal(f.entry.hits, 3);
	teardown(&f);
}

static void test_read_former_names(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "{\"k\":{\"value\":1,\"created\":\"2025-05-01T00:00:00Z\","
		  "\"updated\":1746057600001,\"accessed\":1746057600002.9}}");
	assert_int_equal(f.entry.created_ms, MAY_1_MS);
	assert_int_equal(f.entry.updated_ms, MAY_1_MS + 1);
	assert_int_equal(f.entry.accessed_ms, MAY_1_MS + 2);
	teardown(&f);

	setup(&f, "{\"k\":{\"value\":1,\"updated\":1,\"last_updated\":2,\"created_at\":\"?\","
		  "\"created\":3}}");
	assert_int_equal(f.entry.updated_ms, 2);
	assert_int_equal(f.entry.created_ms, 3);
	teardown(&f);
}

static void test_read_bare(void **state)
{
	static const char *const values[] = {
		"\"vim\"", "5", "null", "[1]", "{}", "{\"name\":\"x\",\"pinned\":true,\"hits\":3}"};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		STR_AUTO file = STR_INIT;
		struct fixture f;

		str_printf(&file, "{\"k\":%s}", values[i]);
		setup(&f, file.ptr);
		assert_true(f.entry.bare);
		assert_slice(f.entry.value, values[i]);
		assert_slice(f.entry.text, values[i]);
		assert_int_equal(f.entry.created_ms, TIME_NONE);
		assert_int_equal(f.entry.updated_ms, TIME_NONE);
		assert_int_equal(f.entry.accessed_ms, TIME_NONE);
		assert_int_equal(f.entry.hits, 0);
		assert_false(f.entry.pinned);
		teardown(&f);
	}
}

static void test_read_null_value_is_a_value(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "{\"k\":{\"value\":null}}");
	assert_false(f.entry.bare);
	assert_slice(f.entry.value, "null");
	teardown(&f);
}

static void test_read_escaped_key(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "{\"a\\u0062\\\"\":1}");
	assert_slice(f.entry.key, "ab\"");
	teardown(&f);
}

static void test_read_odd_facts(void **state)
{
	static const struct {
		const char *hits;
		int64_t expected;
	} cases[] = {
		{"0", 0},      {"-3", 0},    {"2.9", 2},   {"-2.9", 0},
		{"1e3", 1000}, {"\"7\"", 0}, {"null", 0},  {"1e99", INT64_MAX},
		{"1e400", 0},  {"[1]", 0},   {"-1e99", 0},
	};
	static const char *const times[] = {"\"yesterday\"", "\"\"", "null", "true",
					    "1e300",         "[1]",  "{}",   "-1e16"};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO file = STR_INIT;
		struct fixture f;

		str_printf(&file, "{\"k\":{\"value\":1,\"hits\":%s}}", cases[i].hits);
		setup(&f, file.ptr);
		assert_int_equal(f.entry.hits, cases[i].expected);
		teardown(&f);
	}
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		STR_AUTO file = STR_INIT;
		struct fixture f;

		str_printf(&file, "{\"k\":{\"value\":1,\"last_updated\":%s,\"pinned\":1}}",
			   times[i]);
		setup(&f, file.ptr);
		assert_int_equal(f.entry.updated_ms, TIME_NONE);
		assert_false(f.entry.pinned);
		teardown(&f);
	}
}

static void test_time(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "{\"a\":-1.5}");
	assert_int_equal(entry_time(&f.doc, json_member(&f.doc, JSON_ROOT, "a")), -2);
	assert_int_equal(entry_time(&f.doc, JSON_NONE), TIME_NONE);
	teardown(&f);
}

static void test_compose_new(void **state)
{
	STR_AUTO out = STR_INIT;
	const struct entry_fields all = {
		.value = slice_of("{\"a\":1.0}"),
		.tags = slice_of("[\"t\"]"),
		.entities = slice_of("[\"E\"]"),
		.strength = slice_of("1.50"),
		.importance = slice_of("0.9"),
		.confidence = slice_of("1"),
		.source = slice_of("\"cli\""),
		.context = slice_of("\"c\""),
		.meta = slice_of("{\"m\":[1,2]}"),
		.pinned = slice_of("true"),
	};

	(void)state;
	str_adds(&out, "> ");
	entry_compose(&out, NULL, &all, JUNE_1_MS);
	assert_string_equal(out.ptr, "> {\"value\":{\"a\":1.0},\"created_at\":\"" JUNE_1
				     "\",\"last_updated\":\"" JUNE_1
				     "\",\"tags\":[\"t\"],\"entities\":[\"E\"],\"strength\":1.50,"
				     "\"importance\":0.9,\"confidence\":1,\"source\":\"cli\","
				     "\"context\":\"c\",\"meta\":{\"m\":[1,2]},\"pinned\":true}");
}

static void test_compose_over_old(void **state)
{
	static const struct {
		const char *about;
		const char *old;
		const char *value; /* NULL: not given */
		const char *tags;
		const char *expected;
	} cases[] = {
		{"what is not given stays to the byte",
		 "{ \"note\" : 1e400, \"value\": 1.0,\"created_at\":\"2025-05-01T00:00:00Z\","
		 "\"n\":9007199254740993,\"last_updated\":\"x\",\"s\":\"\\u00e9\\/\",\"z\":-0}",
		 "2.50", NULL,
		 "{\"note\":1e400,\"value\":2.50,\"created_at\":\"2025-05-01T00:00:00Z\","
		 "\"n\":9007199254740993,\"last_updated\":\"" JUNE_1
		 "\",\"s\":\"\\u00e9\\/\",\"z\":-0}"},
		{"a value that is not given stays",
		 "{\"value\":1.0,\"tags\":[\"a\"],\"created_at\":1}", NULL, "[\"b\"]",
		 "{\"value\":1.0,\"tags\":[\"b\"],\"created_at\":1,\"last_updated\":\"" JUNE_1
		 "\"}"},
		{"a bare entry becomes a whole one", "[1, 2.0]", NULL, "[\"b\"]",
		 "{\"value\":[1,2.0],\"created_at\":\"" JUNE_1 "\",\"last_updated\":\"" JUNE_1
		 "\",\"tags\":[\"b\"]}"},
		{"a bare entry is replaced", "\"vim\"", "\"emacs\"", NULL,
		 "{\"value\":\"emacs\",\"created_at\":\"" JUNE_1 "\",\"last_updated\":\"" JUNE_1
		 "\"}"},
		{"missing times are added", "{\"value\":1,\"color\":\"red\"}", "2", NULL,
		 "{\"value\":2,\"color\":\"red\",\"created_at\":\"" JUNE_1
		 "\",\"last_updated\":\"" JUNE_1 "\"}"},
		{"former names stay, the current ones are added",
		 "{\"value\":1,\"hits\":3,\"created\":1748797199999,"
		 "\"updated\":\"2025-05-02T00:00:00Z\",\"accessed\":1}",
		 "2", NULL,
		 "{\"value\":2,\"hits\":3,\"created\":1748797199999,"
		 "\"updated\":\"2025-05-02T00:00:00Z\",\"accessed\":1,"
		 "\"created_at\":\"2025-06-01T09:59:59.999-07:00\",\"last_updated\":\"" JUNE_1
		 "\"}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct entry_fields fields = {.value = slice_of(cases[i].value),
						    .tags = slice_of(cases[i].tags)};
		STR_AUTO file = STR_INIT;
		STR_AUTO out = STR_INIT;
		struct fixture f;

		str_printf(&file, "{\"k\":%s}", cases[i].old);
		setup(&f, file.ptr);
		entry_compose(&out, &f.entry, &fields, JUNE_1_MS);
		if (!slice_is(str_slice(&out), cases[i].expected))
			fail_msg("%s: %s", cases[i].about, out.ptr);
		teardown(&f);
	}
}

static void test_composed_reads_back(void **state)
{
	const struct entry_fields fields = {.value = slice_of("2")};
	STR_AUTO text = STR_INIT;
	struct fixture f;

	(void)state;
	setup(&f, "{\"k\":{\"value\":1,\"created\":1746057600000,\"updated\":1746057600001}}");
	str_adds(&text, "{\"k\":");
	entry_compose(&text, &f.entry, &fields, JUNE_1_MS);
	str_addc(&text, '}');
	teardown(&f);
	setup(&f, text.ptr);
	assert_slice(f.entry.value, "2");
	assert_int_equal(f.entry.created_ms, MAY_1_MS);
	assert_int_equal(f.entry.updated_ms, JUNE_1_MS);
	teardown(&f);
}

static void test_size_at_the_limit(void **state)
{
	STR_AUTO value = STR_INIT;
	STR_AUTO out = STR_INIT;

	(void)state;
	str_addc(&value, '"');
	for (int i = 0; i < 3992; i++)
		str_addc(&value, 'x');
	str_addc(&value, '"');
	entry_compose(&out, NULL, &(struct entry_fields){.value = str_slice(&value)}, JUNE_1_MS);
	assert_int_equal(entry_size(str_slice(&out)), 4096);
	assert_int_equal(out.len, 4096);
}

#define ALL_COUNTED                                                                                \
	"{\"value\":1,\"tags\":[\"a\"],\"entities\":[],\"strength\":1,"                            \
	"\"importance\":1,\"created_at\":2,\"last_updated\":3,\"confidence\":1,"                   \
	"\"source\":\"\",\"context\":\"\",\"meta\":{},\"pinned\":false}"

static void test_size(void **state)
{
	static const struct {
		const char *text;
		const char *counted;
	} cases[] = {
		{"{\"value\":1}", "{\"value\":1}"},
		{"{ \"value\" : [1,2] }", "{\"value\":[1,2]}"},
		{"{\"value\":1,\"hits\":3,\"accessed_at\":\"x\",\"my own\":[1,2,3]}",
		 "{\"value\":1}"},
		{"{\"value\":1,\"status\":\"promoted\",\"promoted_to\":\"x\",\"merged_from\":[]}",
		 "{\"value\":1}"},
		{ALL_COUNTED, ALL_COUNTED},
		{"\"vim\"", "{\"value\":\"vim\"}"},
		{"{\"name\" : 1}", "{\"value\":{\"name\":1}}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(entry_size(slice_of(cases[i].text)),
				 slice_of(cases[i].counted).len);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_former_names),
		cmocka_unit_test(test_read_bare),
		cmocka_unit_test(test_read_null_value_is_a_value),
		cmocka_unit_test(test_read_escaped_key),
		cmocka_unit_test(test_read_odd_facts),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_compose_new),
		cmocka_unit_test(test_compose_over_old),
		cmocka_unit_test(test_composed_reads_back),
		cmocka_unit_test(test_size_at_the_limit),
		cmocka_unit_test(test_size),
	};

	/* Written out, because it must not depend on time zone data being installed. */
	setenv("TZ", "PST8PDT,M3.2.0,M11.1.0", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
