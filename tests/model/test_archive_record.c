#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/archive_record.h"

#include <stdlib.h>
#include <time.h>

#define JUNE_1_MS INT64_C(1748797200000)
#define JUNE_1 "2025-06-01T17:00:00.000+00:00"

/* As the original handler wrote it. */
#define ORIGINAL                                                                                   \
	"{\"key\":\"project@2025-01-02T03:04:05.678-08:00\",\"originalKey\":\"project\","          \
	"\"archivedAt\":\"2025-01-02T03:04:05.678-08:00\",\"reason\":\"state_clear\","             \
	"\"entry\":{\"value\":{\"a\":1.0},\"created_at\":\"2024-12-01T00:00:00.000-08:00\","       \
	"\"last_updated\":\"2024-12-02T00:00:00.000-08:00\",\"hits\":4,"                           \
	"\"accessed_at\":\"2024-12-03T00:00:00.000-08:00\"}}"

struct fixture {
	struct json doc;
	struct arena arena;
	struct record record;
};

static bool setup(struct fixture *f, const char *text)
{
	struct json_fault fault;

	*f = (struct fixture){.arena = ARENA_INIT};
	if (json_parse(&f->doc, slice_of(text), &json_file_bounds, &fault))
		fail_msg("%s: %s", text, fault.what);
	return record_read(&f->record, CATEGORY_STATE, &f->doc, JSON_ROOT, &f->arena);
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

static void test_reasons(void **state)
{
	static const char *const expected[] = {"expiry",  "state_clear", "evicted",    "replaced",
					       "merged",  "faded",       "pruned",     "stale",
					       "deleted", "conflict",    "superseded", "added"};

	(void)state;
	assert_int_equal(REASON_COUNT, 12);
	for (int i = 0; i < REASON_COUNT; i++)
		assert_string_equal(reason_name((enum reason)i), expected[i]);
}

static void test_read_original(void **state)
{
	struct fixture f;

	(void)state;
	assert_true(setup(&f, ORIGINAL));
	assert_int_equal(f.record.category, CATEGORY_STATE);
	assert_slice(f.record.key, "project@2025-01-02T03:04:05.678-08:00");
	assert_slice(f.record.original_key, "project");
	assert_slice(f.record.reason, "state_clear");
	assert_slice(f.record.text, ORIGINAL);
	assert_int_equal(f.record.archived_ms, INT64_C(1735815845678));
	assert_slice(f.record.entry.key, "project");
	assert_slice(f.record.entry.value, "{\"a\":1.0}");
	assert_int_equal(f.record.entry.category, CATEGORY_STATE);
	assert_int_equal(f.record.entry.hits, 4);
	assert_int_equal(f.record.entry.created_ms, INT64_C(1733040000000));
	assert_int_equal(f.record.entry.updated_ms, INT64_C(1733126400000));
	assert_int_equal(f.record.entry.accessed_ms, INT64_C(1733212800000));
	teardown(&f);
}

static void test_read_incomplete(void **state)
{
	static const struct {
		const char *text;
		const char *key;
		const char *original_key;
		const char *reason; /* NULL: absent */
		int64_t archived_ms;
	} cases[] = {
		{"{\"key\":\"a@b@T\",\"entry\":1}", "a@b@T", "a@b", NULL, TIME_NONE},
		{"{\"key\":\"a@T#2\",\"originalKey\":\"\",\"entry\":1}", "a@T#2", "a", NULL,
		 TIME_NONE},
		{"{\"key\":\"plain\",\"entry\":1}", "plain", "plain", NULL, TIME_NONE},
		{"{\"key\":\"@home\",\"entry\":1}", "@home", "@home", NULL, TIME_NONE},
		{"{\"originalKey\":\"a\",\"entry\":1,\"archivedAt\":1748797200000}", "a@" JUNE_1,
		 "a", NULL, JUNE_1_MS},
		{"{\"originalKey\":\"a\",\"entry\":1,\"archivedAt\":\"once\",\"key\":5}", "a", "a",
		 NULL, TIME_NONE},
		{"{\"key\":\"\\u0061@T\",\"entry\":1,\"reason\":\"\\u006dine\"}", "a@T", "a",
		 "mine", TIME_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;

		assert_true(setup(&f, cases[i].text));
		assert_slice(f.record.key, cases[i].key);
		assert_slice(f.record.original_key, cases[i].original_key);
		assert_slice(f.record.entry.key, cases[i].original_key);
		assert_true(slice_is(f.record.reason, cases[i].reason));
		assert_int_equal(f.record.archived_ms, cases[i].archived_ms);
		assert_true(f.record.entry.bare);
		teardown(&f);
	}
}

static void test_read_refuses(void **state)
{
	static const char *const texts[] = {
		"[]",
		"1",
		"\"a@T\"",
		"{}",
		"{\"entry\":1}",
		"{\"key\":\"a@T\"}",
		"{\"key\":\"\",\"entry\":1}",
		"{\"key\":1,\"originalKey\":null,\"entry\":1}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture f;

		assert_false(setup(&f, texts[i]));
		assert_null(f.record.key.ptr);
		teardown(&f);
	}
}

static void test_answers(void **state)
{
	static const struct {
		const char *reason;
		bool answers;
	} cases[] = {
		{"expiry", true},     {"state_clear", true}, {"evicted", true}, {"faded", true},
		{"pruned", true},     {"stale", true},       {"mine", true},    {"", true},
		{"deleted", false},   {"replaced", false},   {"merged", false}, {"conflict", false},
		{"superseded", true},
	};
	struct record record = {.reason = {NULL, 0}};

	(void)state;
	assert_true(record_answers(&record));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		record.reason = slice_of(cases[i].reason);
		assert_int_equal(record_answers(&record), cases[i].answers);
	}
}

static void test_key(void **state)
{
	STR_AUTO out = STR_INIT;

	(void)state;
	record_key(&out, slice_of("a b"), JUNE_1_MS, 1);
	assert_string_equal(out.ptr, "a b@" JUNE_1);
	str_clear(&out);
	record_key(&out, slice_of("a"), JUNE_1_MS, 2);
	assert_string_equal(out.ptr, "a@" JUNE_1 "#2");
}

/* The record of an entry of this text. */
static void compose(struct str *out, const char *record_name, const char *key, enum reason reason,
		    const char *text)
{
	struct arena arena = ARENA_INIT;
	struct json_fault fault;
	struct entry entry;
	struct json doc;

	assert_int_equal(json_parse(&doc, slice_of(text), &json_file_bounds, &fault), 0);
	entry_read(&entry, CATEGORY_STATE, &doc, JSON_ROOT, &arena);
	record_compose(out, slice_of(record_name), slice_of(key), JUNE_1_MS, reason, &entry);
	json_release(&doc);
	arena_release(&arena);
}

static void test_compose(void **state)
{
	static const struct {
		const char *entry;
		const char *expected;
	} cases[] = {
		{"{ \"value\" : 1e400,\n \"own\": -0, \"hits\":3 }",
		 "{\"value\":1e400,\"own\":-0,\"hits\":3}"},
		{"[1.0, \"\\u00e9\"]", "{\"value\":[1.0,\"\\u00e9\"]}"},
		{"{}", "{\"value\":{}}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO expected = STR_INIT;
		STR_AUTO out = STR_INIT;

		str_printf(&expected,
			   "{\"key\":\"a\\\"@T\",\"originalKey\":\"a\\\"\",\"archivedAt\":\"" JUNE_1
			   "\",\"reason\":\"evicted\",\"entry\":%s}",
			   cases[i].expected);
		compose(&out, "a\"@T", "a\"", REASON_EVICTED, cases[i].entry);
		assert_string_equal(out.ptr, expected.ptr);
	}
}

static void test_composed_reads_back(void **state)
{
	STR_AUTO text = STR_INIT;
	struct fixture f;

	(void)state;
	compose(&text, "k@T", "k", REASON_STALE, "5.0");
	assert_true(setup(&f, text.ptr));
	assert_slice(f.record.key, "k@T");
	assert_slice(f.record.reason, "stale");
	assert_int_equal(f.record.archived_ms, JUNE_1_MS);
	assert_slice(f.record.entry.value, "5.0");
	assert_false(f.record.entry.bare);
	teardown(&f);
}

static void test_compose_cold(void **state)
{
	static const struct {
		const char *record;
		const char *expected;
	} cases[] = {
		{"{\n\t\"key\": \"a@T\",\n\t\"note\": 1.0,\n\t\"entry\": { \"value\": 1e400 }\n}",
		 "{\"category\":\"patterns\",\"key\":\"a@T\",\"note\":1.0,"
		 "\"entry\":{\"value\":1e400}}"},
		{"{\"key\":\"a@T\",\"category\":\"state\",\"entry\":1}",
		 "{\"category\":\"patterns\",\"key\":\"a@T\",\"entry\":1}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		STR_AUTO out = STR_INIT;

		record_compose_cold(&out, CATEGORY_PATTERNS, slice_of(cases[i].record));
		assert_string_equal(out.ptr, cases[i].expected);
	}
}

static void test_undo_lines(void **state)
{
	STR_AUTO out = STR_INIT;
	struct arena arena = ARENA_INIT;
	struct json_fault fault;
	struct record record;
	struct json doc;

	(void)state;
	record_compose_undo(&out, CATEGORY_STATE,
			    slice_of("{\"key\":\"a@t\",\"undo\":1,\"entry\":{\"value\":1.0}}"));
	assert_string_equal(out.ptr, "{\"category\":\"state\",\"undo\":true,\"key\":\"a@t\","
				     "\"entry\":{\"value\":1.0}}");
	assert_int_equal(json_parse(&doc, str_slice(&out), &json_file_bounds, &fault), 0);
	assert_true(record_read(&record, CATEGORY_STATE, &doc, JSON_ROOT, &arena));
	assert_true(record.undo);
	json_release(&doc);
	arena_release(&arena);
}

/* A line says its category itself; one that says none, or another thing, is no record. */
static void test_read_line(void **state)
{
	static const char *const refused[] = {
		"{\"key\":\"a@t\",\"entry\":1}",
		"{\"category\":1,\"key\":\"a@t\",\"entry\":1}",
		"{\"category\":\"moods\",\"key\":\"a@t\",\"entry\":1}",
		"{\"category\":\"state\",\"key\":\"a@t\"}",
	};
	struct fixture f;

	(void)state;
	setup(&f, "{\"category\":\"shortcuts\",\"key\":\"a@t\",\"entry\":1}");
	assert_true(record_read_line(&f.record, &f.doc, JSON_ROOT, &f.arena));
	assert_int_equal(f.record.category, CATEGORY_SHORTCUTS);
	assert_slice(f.record.original_key, "a");
	teardown(&f);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		setup(&f, refused[i]);
		assert_false(record_read_line(&f.record, &f.doc, JSON_ROOT, &f.arena));
		teardown(&f);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undo_lines),      cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_read_original),   cmocka_unit_test(test_read_line),
		cmocka_unit_test(test_read_incomplete), cmocka_unit_test(test_read_refuses),
		cmocka_unit_test(test_answers),         cmocka_unit_test(test_key),
		cmocka_unit_test(test_compose),         cmocka_unit_test(test_composed_reads_back),
		cmocka_unit_test(test_compose_cold),
	};

	setenv("TZ", "UTC0", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
