#include "store/purge_text.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_of_any_spelling),
		cmocka_unit_test(test_a_text_that_does_not_parse),
		cmocka_unit_test(test_records_whole_and_torn),
		cmocka_unit_test(test_relations_and_usage),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_mentions),
	};

	return cmocka_run_group_tests_name("purge_text", tests, NULL, NULL);
}
