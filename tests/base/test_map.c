#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

static void test_empty(void **unused)
{
	struct map map = MAP_INIT;
	size_t value = 7;

	(void)unused;
	assert_false(map_get(&map, slice_of("a"), &value));
	assert_int_equal(value, 7);
	map_release(&map);
}

static void test_put_and_replace(void **unused)
{
	struct map map = MAP_INIT;
	size_t value = 7;

	(void)unused;
	map_put(&map, slice_of("a"), 1);
	map_put(&map, slice_of("b"), 2);
	map_put(&map, slice_of("a"), SIZE_MAX);
	assert_int_equal(map.count, 2);
	assert_true(map_get(&map, slice_of("a"), &value));
	assert_true(value == SIZE_MAX);
	assert_true(map_get(&map, slice_of("b"), NULL));
	value = 7;
	assert_false(map_get(&map, slice_of("c"), &value));
	assert_int_equal(value, 7);
	map_release(&map);
	assert_false(map_get(&map, slice_of("a"), NULL));
}

static void test_odd_keys(void **unused)
{
	const struct slice keys[] = {slice_make("a\0b", 3), slice_make("a\0c", 3), slice_of("a"),
				     slice_make("a\0", 2),  slice_of(""),          slice_of(NULL)};
	struct map map = MAP_INIT;
	size_t value;

	(void)unused;
	for (size_t i = 0; i < 6; i++) {
		assert_false(map_get(&map, keys[i], NULL));
		map_put(&map, keys[i], i);
	}
	assert_int_equal(map.count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_true(map_get(&map, keys[i], &value));
		assert_int_equal(value, i);
	}
	map_release(&map);
}

/* This text has the hash by which the map knows a free slot. */
static void test_hash_of_nought(void **unused)
{
	const struct slice key = slice_of("\x4f\x44\xd7\x9f\x69\xc0\xd2\xca");
	struct map map = MAP_INIT;
	size_t value;

	(void)unused;
	assert_true(hash64(key) == 0);
	map_put(&map, key, 1);
	map_put(&map, key, 2);
	assert_int_equal(map.count, 1);
	assert_true(map_get(&map, key, &value));
	assert_int_equal(value, 2);
	map_release(&map);
}

#define MANY 5000

static void test_grows(void **unused)
{
	static char keys[MANY + 1][16];
	struct map map = MAP_INIT;
	size_t value;

	(void)unused;
	for (size_t i = 0; i <= MANY; i++)
		snprintf(keys[i], sizeof keys[i], "key %zu", i);
	for (size_t i = 0; i < MANY; i++) {
		map_put(&map, slice_of(keys[i]), i);
		assert_int_equal(map.count, i + 1);
		/* Without a free slot a search for what is not there would not end. */
		assert_true(map.count < map.cap);
	}
	for (size_t i = 0; i < MANY; i++) {
		assert_true(map_get(&map, slice_of(keys[i]), &value));
		assert_int_equal(value, i);
		map_put(&map, slice_of(keys[i]), i + 1);
	}
	assert_int_equal(map.count, MANY);
	assert_true(map_get(&map, slice_of(keys[17]), &value));
	assert_int_equal(value, 18);
	assert_false(map_get(&map, slice_of(keys[MANY]), NULL));
	map_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),          cmocka_unit_test(test_put_and_replace),
		cmocka_unit_test(test_odd_keys),       cmocka_unit_test(test_grows),
		cmocka_unit_test(test_hash_of_nought),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
