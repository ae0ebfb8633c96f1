#include "store/view/query.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

static void files_and_records_are_counted(void **state)
{
	struct store_weight weight;
	struct teststore t;

	(void)state;
	teststore_open(&t);
	teststore_refresh(&t);
	store_weigh(t.store, &weight);
	assert_int_equal(weight.total, 0);
	tmpdir_write(&t.dir, "state.json", "{\"a\":1,\"b\":2}");
	tmpdir_write(&t.dir, "patterns.json", "{}\n");
	teststore_refresh(&t);
	assert_int_equal(teststore_archive(&t, CATEGORY_STATE, "b", REASON_FADED), ERR_NONE);
	teststore_refresh(&t);
	store_weigh(t.store, &weight);
	assert_int_equal(weight.categories[CATEGORY_STATE], strlen("{\"a\":1}"));
	assert_int_equal(weight.categories[CATEGORY_PATTERNS], 3);
	assert_int_equal(weight.categories[CATEGORY_PREFERENCES], 0);
	assert_int_equal(weight.records, 1);
	assert_true(weight.archive > 100);
	assert_int_equal(weight.total, weight.archive + 3 + 7);
	teststore_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_records_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
