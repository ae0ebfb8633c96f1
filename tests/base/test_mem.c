#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs what must end the process in a child; returns what it wrote to stderr, terminated, in said.
 */
static void assert_ends(void (*body)(void), char said[64])
{
	int ends[2];
	int status;
	pid_t child;
	ssize_t got;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		body();
		_exit(0);
	}
	close(ends[1]);
	got = read(ends[0], said, 63);
	said[got > 0 ? got : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), MEM_EXIT_STATUS);
}

/* Not known to the compiler, which would warn of sizes that cannot be. */
static volatile size_t huge = SIZE_MAX;

static void realloc_overflows(void)
{
	free(mem_realloc(NULL, huge / 2, 3));
}

static void grow_overflows(void)
{
	size_t cap = 0;

	free(mem_grow(NULL, &cap, huge, 1));
}

static void grow_product_overflows(void)
{
	size_t cap = 0;

	free(mem_grow(NULL, &cap, huge / 4, 16));
}

static void sum_overflows(void)
{
	mem_sum(huge, 1);
}

static void strndup_overflows(void)
{
	free(mem_strndup("x", huge));
}

static void test_overflow_ends(void **unused)
{
	static void (*const bodies[])(void) = {realloc_overflows, grow_overflows,
					       grow_product_overflows, sum_overflows,
					       strndup_overflows};
	char said[64];

	(void)unused;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		assert_ends(bodies[i], said);
		assert_string_equal(said, "kota: out of memory\n");
	}
}

static void test_sum(void **unused)
{
	(void)unused;
	assert_int_equal(mem_sum(2, 3), 5);
	assert_true(mem_sum(SIZE_MAX - 1, 1) == SIZE_MAX);
	assert_int_equal(mem_sum(0, 0), 0);
}

static void test_nothing_is_something(void **unused)
{
	void *parts[] = {mem_alloc(0), mem_zalloc(0, 8), mem_zalloc(8, 0), mem_realloc(NULL, 0, 8)};

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		assert_non_null(parts[i]);
		free(parts[i]);
	}
}

static void test_zalloc_clears(void **unused)
{
	static const char zeros[64];
	char *bytes = mem_alloc(64);

	(void)unused;
	memset(bytes, 1, 64);
	free(bytes);
	bytes = mem_zalloc(8, 8);
	assert_memory_equal(bytes, zeros, 64);
	free(bytes);
}

static void test_grow(void **unused)
{
	size_t cap = 0;
	int *numbers = mem_grow(NULL, &cap, 1, sizeof *numbers);
	int *same;

	(void)unused;
	assert_int_equal(cap, 8);
	for (int i = 0; i < 8; i++)
		numbers[i] = i;
	same = mem_grow(numbers, &cap, 8, sizeof *numbers);
	assert_ptr_equal(same, numbers);
	assert_int_equal(cap, 8);
	numbers = mem_grow(numbers, &cap, 9, sizeof *numbers);
	assert_int_equal(cap, 16);
	numbers = mem_grow(numbers, &cap, 100, sizeof *numbers);
	assert_int_equal(cap, 128);
	numbers[99] = 99;
	for (int i = 0; i < 8; i++)
		assert_int_equal(numbers[i], i);
	free(numbers);
}

static void test_grow_clears_what_it_adds(void **unused)
{
	size_t cap = 0;
	char *bytes = mem_grow_cleared(NULL, &cap, 1, 1);

	(void)unused;
	for (size_t i = 0; i < cap; i++)
		assert_int_equal(bytes[i], 0);
	memset(bytes, 'x', cap);
	bytes = mem_grow_cleared(bytes, &cap, cap, 1);
	bytes = mem_grow_cleared(bytes, &cap, cap + 1, 1);
	assert_int_equal(cap, 16);
	for (size_t i = 0; i < cap; i++)
		assert_int_equal(bytes[i], i < 8 ? 'x' : 0);
	free(bytes);
}

static void test_grow_makes_an_array_even_for_nothing(void **unused)
{
	size_t cap = 0;
	char *bytes = mem_grow(NULL, &cap, 0, 1);

	(void)unused;
	assert_non_null(bytes);
	assert_int_equal(cap, 8);
	free(bytes);
}

static void test_copies(void **unused)
{
	char *part = mem_strndup("a\0bc", 3);
	char *empty = mem_strndup(NULL, 0);
	char *whole = mem_strdup("text");

	(void)unused;
	assert_memory_equal(part, "a\0b\0", 4);
	assert_string_equal(empty, "");
	assert_string_equal(whole, "text");
	free(part);
	free(empty);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overflow_ends),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_nothing_is_something),
		cmocka_unit_test(test_zalloc_clears),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_grow_clears_what_it_adds),
		cmocka_unit_test(test_grow_makes_an_array_even_for_nothing),
		cmocka_unit_test(test_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
