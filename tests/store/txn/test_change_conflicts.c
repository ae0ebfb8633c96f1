#include "store/txn/change.h"
#include "support/teststore.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define LOST "{\"value\":\"b\",\"last_updated\":\"2026-11-21T00:00:00Z\"}"

static void assert_file_has(struct teststore *t, const char *name, const char *text, bool has)
{
	char *file = tmpdir_read(&t->dir, name);

	if ((strstr(file, text) != NULL) != has)
		fail_msg("%s %s %s:\n%s", name, has ? "lacks" : "has", text, file);
	free(file);
}

static void the_next_change_makes_records_of_what_lost(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json",
		     "{\"k\": {\"value\": \"a\", \"last_updated\": \"2026-11-20T00:00:00Z\","
		     " \"conflict\": [" LOST ", {\"value\": \"c\"}]},\n \"bare\":"
		     " {\"value\": 1, \"conflict\": [{\"value\": 2}]}}\n");
	assert_int_equal(teststore_set(&t, CATEGORY_PREFERENCES, "other", "1", NULL), ERR_NONE);
	assert_file_has(&t, "state.json", "conflict", false);
	assert_file_has(&t, "state.json", "\"bare\": 1", true);
	assert_file_has(&t, "state.json", "\"last_updated\": \"2026-11-20T00:00:00Z\"", true);
	/* The later of both times, and no clock: two clones make the same record. */
	assert_file_has(&t, "archive.json", "\"k@2026-11-21T00:00:00Z\"", true);
	assert_file_has(&t, "archive.json", "\"k@2026-11-20T00:00:00Z\"", true);
	assert_file_has(&t, "archive.json", "\"bare@0\"", true);
	assert_file_has(&t, "archive.json", "\"conflict\"", true);
	assert_int_equal(teststore_archived(&t, "k", false), 2);
	teststore_close(&t);
}

static void a_members_own_list_of_that_name_stays(void **state)
{
	static const char *const own[] = {"[1, 2]", "[]", "\"yes\"", "[{\"with\": \"x\"}]"};

	(void)state;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		struct teststore t;
		STR_AUTO text = STR_INIT;

		teststore_open(&t);
		str_printf(&text, "{\"k\": {\"value\": 1, \"conflict\": %s}}\n", own[i]);
		tmpdir_write(&t.dir, "state.json", text.ptr);
		assert_int_equal(teststore_set(&t, CATEGORY_PREFERENCES, "other", "1", NULL),
				 ERR_NONE);
		assert_file_has(&t, "state.json", own[i], true);
		assert_int_equal(teststore_archived(&t, "k", false), 0);
		teststore_close(&t);
	}
}

/* Nothing loses twice: where the archive takes no record the text stays in its entry. */
static void with_a_broken_archive_it_stays_in_the_entry(void **state)
{
	struct teststore t;

	(void)state;
	teststore_open(&t);
	tmpdir_write(&t.dir, "state.json", "{\"k\": {\"value\": 1, \"conflict\": [" LOST "]}}\n");
	tmpdir_write(&t.dir, "archive.json", "{\"state\":");
	assert_int_equal(teststore_set(&t, CATEGORY_PREFERENCES, "other", "1", NULL), ERR_NONE);
	assert_file_has(&t, "state.json", LOST, true);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_change_makes_records_of_what_lost),
		cmocka_unit_test(a_members_own_list_of_that_name_stays),
		cmocka_unit_test(with_a_broken_archive_it_stays_in_the_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
