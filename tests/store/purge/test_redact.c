#include "store/purge/redact.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

/* What becomes of a text when state:api_key goes; NULL stands for "it stays". */
static void check(const char *path, const char *before, enum purged result, const char *after,
		  size_t count)
{
	struct purge_key key;
	STR_AUTO out = STR_INIT;
	size_t counted = 0;

	purge_key_init(&key, CATEGORY_STATE, slice_of("api_key"));
	assert_int_equal(purge_text(&key, path, slice_of(before), &out, &counted), result);
	if (after)
		assert_string_equal(out.ptr, after);
	assert_int_equal(counted, count);
	purge_key_release(&key);
}

static void test_entries_of_any_spelling(void **state)
{
	(void)state;
	check("state.json", "{\n  \"a\": 1,\n  \"api_key\": \"x\",\n  \"b\": 2\n}\n", PURGED_TEXT,
	      "{\n  \"a\": 1,\n  \"b\": 2\n}\n", 1);
	check("state.json", "{\"Api-Key\": 1, \"api_keys\": 2}", PURGED_TEXT, "{\"api_keys\": 2}",
	      1);
	check("state.json", "{\"a\": \"api_key\"}", PURGED_NOT, NULL, 0);
	check("preferences.json", "{\"api_key\": 1}", PURGED_NOT, NULL, 0);
	check("config.json", "{\"api_key\": 1}", PURGED_NOT, NULL, 0);
}

static void test_a_text_that_does_not_parse(void **state)
{
	(void)state;
	check("state.json", "{\"api_key\": 1,,}", PURGED_BROKEN, NULL, 0);
	check("state.json", "{\"other\": 1,,}", PURGED_NOT, NULL, 0);
	check("state.json", "", PURGED_NOT, NULL, 0);
}

/* What is kept to undo a change says as much as an archive does. */
static void test_parts_that_are_kept(void **state)
{
	static const char other[] = "{\"category\":\"state\",\"record\":\"b@T\",\"was\":"
				    "{\"key\":\"b@T\",\"originalKey\":\"b\"}}\n"
				    "{\"category\":\"state\",\"link\":\"rel-1\",\"came\":"
				    "{\"from\":\"state:b\",\"to\":\"state:c\"}}\n";
	STR_AUTO text = STR_INIT;

	(void)state;
	check("archive.cold/2026-11.jsonl", other, PURGED_NOT, NULL, 0);
	str_adds(&text, "{\"void\":{\"category\":\"state\",\"record\":\"api_key@T\",\"was\":"
			"{\"key\":\"api_key@T\",\"originalKey\":\"api_key\"}}}\n"
			"{\"category\":\"state\",\"link\":\"rel-2\",\"was\":"
			"{\"from\":\"state:b\",\"to\":\"state:api_key\"}}\n"
			"{\"category\":\"state\",\"link\":\"rel-3\",\"was\":"
			"{\"from\":\"state:b\",\"to\":\"state:c\"},\"left\":"
			"{\"from\":\"state:api_key\",\"to\":\"state:c\"}}\n"
			"{\"category\":\"state\",\"record\":\"api_key@T\",\"came\":"
			"{\"key\":\"api_key@T\"}}\n");
	str_adds(&text, other);
	check("archive.cold/2026-11.jsonl", text.ptr, PURGED_TEXT, other, 4);
}

static void test_records_whole_and_torn(void **state)
{
	(void)state;
	check("archive.json",
	      "{\"state\": [{\"key\":\"api_key@T\",\"originalKey\":\"api_key\",\"entry\":{}},"
	      "{\"key\":\"b@T\",\"originalKey\":\"b\",\"entry\":{}},"
	      "{\"key\":\"api_key@T#2\"}],"
	      "\"patterns\": [{\"originalKey\":\"api_key\"}]}",
	      PURGED_TEXT,
	      "{\"state\": [{\"key\":\"b@T\",\"originalKey\":\"b\",\"entry\":{}}],"
	      "\"patterns\": [{\"originalKey\":\"api_key\"}]}",
	      2);
	check("archive.cold/2026-11.jsonl",
	      "{\"category\":\"state\",\"originalKey\":\"api_key\"}\n"
	      "{\"category\":\"patterns\",\"originalKey\":\"api_key\"}\n"
	      "{\"category\":\"state\",\"originalKey\":\"b\"}\n"
	      "{\"void\":{\"category\":\"state\",\"originalKey\":\"api_key\"}}\n"
	      "{\"void\":1}\n"
	      "{\"category\":\"state\",\"originalKey\":\"api_key\",\"en",
	      PURGED_TEXT,
	      "{\"category\":\"patterns\",\"originalKey\":\"api_key\"}\n"
	      "{\"category\":\"state\",\"originalKey\":\"b\"}\n"
	      "{\"void\":1}\n",
	      3);
}

static void test_relations_and_usage(void **state)
{
	(void)state;
	check("relations.json",
	      "{\"links\": [{\"from\":\"state:api_key\",\"to\":\"state:b\"},"
	      "{\"from\":\"state:b\",\"to\":\"state:c\"}], \"state:api_key\": 1}",
	      PURGED_TEXT, "{\"links\": [{\"from\":\"state:b\",\"to\":\"state:c\"}]}", 2);
	check("relations.json",
	      "{\"rel-1\": {\"from\":\"state:b\",\"to\":\"state:Api Key\"},\n"
	      " \"rel-2\": {\"from\":\"state:b\",\"to\":\"state:c\"}}",
	      PURGED_TEXT, "{\"rel-2\": {\"from\":\"state:b\",\"to\":\"state:c\"}}", 1);
	check("usage.jsonl",
	      "{\"since\":\"T\"}\n{\"hit\":\"state:api_key\",\"at\":\"T\"}\n"
	      "{\"hit\":\"state:b\",\"at\":\"T\"}\n{\"ref\":\"state:Api Key\",\"hits\":2}\n",
	      PURGED_TEXT, "{\"since\":\"T\"}\n{\"hit\":\"state:b\",\"at\":\"T\"}\n", 2);
}

static void check_message(const char *before, const char *after)
{
	struct purge_key key;
	STR_AUTO out = STR_INIT;

	purge_key_init(&key, CATEGORY_STATE, slice_of("api_key"));
	assert_int_equal(purge_message(&key, slice_of(before), &out), after != NULL);
	if (after)
		assert_string_equal(out.ptr, after);
	purge_key_release(&key);
}

static void test_messages(void **state)
{
	(void)state;
	check_message("set state:api_key\n\nKota-Tool: memory_set\nKota-Ref: state:api_key\n",
		      "set state:(purged)\n\nKota-Tool: memory_set\nKota-Ref: state:(purged)\n");
	check_message("edit state:Api Key and 1 more\n\nKota-Ref: state:Api Key\n"
		      "Kota-Ref: state:b\n",
		      "edit state:(purged) and 1 more\n\nKota-Ref: state:(purged)\n"
		      "Kota-Ref: state:b\n");
	check_message("restore\n\nKota-Ref: \"state:api_key@2026-11-21T09:30:00.000Z\"\n",
		      "restore\n\nKota-Ref: state:(purged)\n");
	check_message("by hand: state:API-KEY, at last", "by hand: state:(purged), at last");
	check_message("set state:api_keys\n\nKota-Ref: state:api_keys\n", NULL);
	check_message("set patterns:api_key\n\nKota-Ref: patterns:api_key\n", NULL);
	check_message("", NULL);
}

static void test_mentions(void **state)
{
	struct purge_key key;

	(void)state;
	purge_key_init(&key, CATEGORY_STATE, slice_of("a"));
	assert_true(purge_mentions(&key, slice_of("{\"a\": 1")));
	assert_false(purge_mentions(&key, slice_of("{\"banana\": 1")));
	purge_key_release(&key);
	purge_key_init(&key, CATEGORY_STATE, slice_of("\xF0\x9F\x8E\x89"));
	assert_true(purge_mentions(&key, slice_of("{\"\xF0\x9F\x8E\x89\": 1")));
	assert_false(purge_mentions(&key, slice_of("{\"a\": 1")));
	purge_key_release(&key);
}

/* A name that the entry had till a moment, in texts from before and from behind it. */
static void check_earlier(const char *path, const char *before, bool ended, bool stands,
			  enum purged expected)
{
	struct needles values = NEEDLES_INIT;
	struct purge_key key;
	STR_AUTO out = STR_INIT;

	purge_key_init(&key, CATEGORY_STATE, slice_of("api_key"));
	key.earlier = true;
	key.ended = ended;
	key.stands = stands;
	key.until_ms = 1790000000000;
	key.values = &values;
	assert_int_equal(purge_text(&key, path, slice_of(before), &out, NULL), expected);
	if (expected == PURGED_TEXT)
		assert_null(strstr(out.ptr, "zebra"));
	if (expected != PURGED_NOT && strstr(before, "my zebra"))
		assert_true(needles_in(&values, slice_of("my zebra")));
	needles_release(&values);
	purge_key_release(&key);
}

static void test_a_name_of_before(void **state)
{
	static const char entry[] = "{\"api_key\": {\"value\": \"my zebra\"}}";
	static const char old[] = "{\"state\": [{\"originalKey\":\"api_key\",\"archivedAt\":"
				  "1790000000000,\"entry\":{\"value\":\"my zebra\"}}]}";
	static const char new[] = "{\"state\": [{\"originalKey\":\"api_key\",\"archivedAt\":"
				  "1790000000001,\"entry\":{\"value\":\"my heron\"}}]}";
	static const char line[] = "{\"category\":\"state\",\"originalKey\":\"api_key\","
				   "\"archivedAt\":1790000000000,\"entry\":\"my zebra\"}\n";
	static const char usage[] = "{\"ref\":\"state:api_key\",\"zebra\":1}\n";

	(void)state;
	check_earlier("state.json", entry, false, false, PURGED_TEXT);
	check_earlier("state.json", entry, true, false, PURGED_NOT);
	check_earlier("archive.json", old, true, true, PURGED_TEXT);
	check_earlier("archive.json", new, true, true, PURGED_NOT);
	check_earlier("archive.json", new, false, false, PURGED_TEXT);
	check_earlier("archive.cold/2026-11.jsonl", line, true, false, PURGED_TEXT);
	check_earlier("usage.jsonl", usage, true, false, PURGED_TEXT);
	check_earlier("usage.jsonl", usage, true, true, PURGED_NOT);
}

static void test_notes(void **state)
{
	static const char old[] =
		"---\nref: \"state:API key\"\n"
		"promoted: 2026-09-21T14:13:20.000+00:00\n---\n\n# k\n\nmy zebra\n";
	static const char new[] =
		"---\nref: \"state:api_key\"\n"
		"promoted: 2027-09-21T16:53:20.000+00:00\n---\n\n# k\n\nmy heron\n";

	(void)state;
	check("notes/a.md", old, PURGED_WHOLE, NULL, 1);
	check("notes/a.md", "# api_key\n", PURGED_NOT, NULL, 0);
	check("notes/a.md", "---\nref: state:other\n---\n", PURGED_NOT, NULL, 0);
	check_earlier("notes/a.md", old, true, true, PURGED_WHOLE);
	check_earlier("notes/a.md", new, true, true, PURGED_NOT);
	check_earlier("notes/a.md", new, false, false, PURGED_WHOLE);
}

static void test_the_last_record(void **state)
{
	struct purge_key key;

	(void)state;
	purge_key_init(&key, CATEGORY_STATE, slice_of("api_key"));
	assert_int_equal(
		purge_last_record(&key, "archive.json",
				  slice_of("{\"state\": [{\"key\":\"api_key@a\",\"archivedAt\":7},"
					   "{\"key\":\"Api key@b\",\"archivedAt\":9},"
					   "{\"key\":\"other@b\",\"archivedAt\":11}]}")),
		9);
	assert_int_equal(purge_last_record(&key, "archive.cold/2026-11.jsonl",
					   slice_of("{\"category\":\"state\",\"key\":\"api_key@a\","
						    "\"archivedAt\":5}\n{\"category\":\"patterns\","
						    "\"key\":\"api_key@a\",\"archivedAt\":6}\n{")),
			 5);
	assert_int_equal(purge_last_record(&key, "archive.json", slice_of("{")), INT64_MIN);
	purge_key_release(&key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_of_any_spelling),
		cmocka_unit_test(test_a_text_that_does_not_parse),
		cmocka_unit_test(test_records_whole_and_torn),
		cmocka_unit_test(test_parts_that_are_kept),
		cmocka_unit_test(test_relations_and_usage),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_mentions),
		cmocka_unit_test(test_a_name_of_before),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_the_last_record),
	};

	return cmocka_run_group_tests_name("purge_text", tests, NULL, NULL);
}
