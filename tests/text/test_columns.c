#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "text/columns.h"

#define SETS 1100

static uint64_t draw(uint64_t *chance)
{
	*chance = *chance * 6364136223846793005u + 1442695040888963407u;
	return *chance ^ *chance >> 29;
}

static size_t count(uint64_t set)
{
	size_t bits = 0;

	for (; set; set &= set - 1)
		bits++;
	return bits;
}

/* Every set and every bound gives what counting one set after the other does. */
static void finds_what_lacks_few_enough(void **state)
{
	struct columns columns = {0};
	uint64_t sets[SETS];
	uint64_t chance = 3;

	(void)state;
	for (size_t i = 0; i < SETS; i++) {
		sets[i] = draw(&chance) & draw(&chance) & (i % 3 ? UINT64_MAX : 0xFFF);
		columns_add(&columns, sets[i]);
	}
	assert_int_equal(columns.count, SETS);
	for (size_t wanted = 0; wanted < SETS; wanted += 7) {
		for (size_t most = 0; most <= 15; most++) {
			for (size_t block = 0; block * COLUMNS_BLOCK < SETS; block++) {
				struct columns_row found = {0};

				columns_lacking(&columns, block, sets[wanted], most, &found);
				for (size_t i = 0; i < COLUMNS_BLOCK; i++) {
					size_t at = block * COLUMNS_BLOCK + i;
					bool few = at < SETS &&
						   count(sets[wanted] & ~sets[at]) <= most;

					assert_int_equal(found.words[i / 64] >> i % 64 & 1, few);
				}
			}
		}
	}
	columns_release(&columns);
	assert_int_equal(columns.count, 0);
}

static void adds_to_what_was_found_and_takes_in_order(void **state)
{
	struct columns columns = {0};
	struct columns_row found = {0};
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < COLUMNS_BLOCK + 3; i++)
		columns_add(&columns, i % COLUMNS_BLOCK == 2 ? 4 : i % 200 == 100 ? 3 : 0);
	columns_lacking(&columns, 0, 1, 0, &found);
	columns_lacking(&columns, 0, 4, 0, &found);
	assert_true(columns_take(&found, &at) && at == 2);
	assert_true(columns_take(&found, &at) && at == 100);
	assert_true(columns_take(&found, &at) && at == 300);
	assert_true(columns_take(&found, &at) && at == 500);
	assert_false(columns_take(&found, &at));
	columns_lacking(&columns, 1, 4, 16, &found);
	assert_int_equal(found.words[0], 7);
	columns_release(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_lacks_few_enough),
		cmocka_unit_test(adds_to_what_was_found_and_takes_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
