#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdalign.h>

static void test_empty(void **unused)
{
	struct arena arena = ARENA_INIT;

	(void)unused;
	arena_release(&arena);
	assert_null(arena.blocks);
}

static bool all_are(const unsigned char *bytes, size_t len, unsigned char what)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != what)
			return false;
	return true;
}

/* Sizes around those of a block, small and large in turn. */
static size_t odd_size(size_t i)
{
	static const size_t sizes[] = {0,    1,    15,   16,   17,    100,  2047, 2048,
				       2049, 8191, 8192, 8193, 20000, 3000, 1024, 1};

	return sizes[i % 16];
}

#define COUNT 200

static void test_pieces_are_apart_clear_and_aligned(void **unused)
{
	struct arena arena = ARENA_INIT;
	unsigned char *pieces[COUNT];

	(void)unused;
	for (size_t i = 0; i < COUNT; i++) {
		pieces[i] = arena_alloc(&arena, odd_size(i));
		assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
		assert_true(all_are(pieces[i], odd_size(i), 0));
		memset(pieces[i], (int)i, odd_size(i));
	}
	for (size_t i = 0; i < COUNT; i++)
		assert_true(all_are(pieces[i], odd_size(i), (unsigned char)i));
	for (size_t i = 1; i < COUNT; i++)
		assert_ptr_not_equal(pieces[i], pieces[i - 1]);
	arena_release(&arena);
	assert_null(arena.blocks);
}

static void test_large_piece_keeps_the_block_in_use(void **unused)
{
	struct arena arena = ARENA_INIT;
	char *first = arena_alloc(&arena, 16);
	char *next;

	(void)unused;
	arena_alloc(&arena, 100000);
	next = arena_alloc(&arena, 16);
	assert_ptr_equal(next, first + 16);
	arena_release(&arena);
}

static void test_usable_after_release(void **unused)
{
	struct arena arena = ARENA_INIT;
	char *bytes;

	(void)unused;
	memset(arena_alloc(&arena, 64), 1, 64);
	arena_release(&arena);
	bytes = arena_alloc(&arena, 64);
	assert_int_equal(bytes[63], 0);
	arena_release(&arena);
}

static void test_copy(void **unused)
{
	struct arena arena = ARENA_INIT;
	char source[] = "a\0bcd";
	struct slice copy = arena_copy(&arena, slice_make(source, 4));
	struct slice empty = arena_copy(&arena, slice_of(""));

	(void)unused;
	source[0] = 'x';
	assert_int_equal(copy.len, 4);
	assert_memory_equal(copy.ptr, "a\0bc\0", 5);
	assert_non_null(empty.ptr);
	assert_int_equal(empty.len, 0);
	assert_int_equal(empty.ptr[0], '\0');
	assert_null(arena_copy(&arena, slice_of(NULL)).ptr);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_pieces_are_apart_clear_and_aligned),
		cmocka_unit_test(test_large_piece_keeps_the_block_in_use),
		cmocka_unit_test(test_usable_after_release),
		cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
