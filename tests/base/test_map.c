#include "base/map.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
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

static void test_hash(void **unused)
{
	(void)unused;
	assert_true(hash64(slice_of("")) == UINT64_C(0x3156cb8b421877d7));
	assert_true(hash64(slice_of("foobar")) == UINT64_C(0x85a6a033f8316f42));
	assert_true(hash64(slice_of("12345678")) == UINT64_C(0x8598a9286cd2d1aa));
	assert_true(hash64(slice_of("123456789")) == UINT64_C(0xc3664b0dfc73657e));
	assert_true(hash64(slice_of("\xff")) != hash64(slice_of("\x7f")));
	assert_true(hash64(slice_make("\0", 1)) != hash64(slice_of("")));
	assert_true(hash64(slice_make("12345678\0", 9)) != hash64(slice_of("12345678")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),    cmocka_unit_test(test_put_and_replace),
		cmocka_unit_test(test_odd_keys), cmocka_unit_test(test_grows),
		cmocka_unit_test(test_hash),     cmocka_unit_test(test_hash_of_nought),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
