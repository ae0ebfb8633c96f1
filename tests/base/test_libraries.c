#include "base/libraries.h"

#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	const char *folder;
	int found;
};

static void compare(void *context, const char *folder)
{
	struct search *search = context;

	assert_non_null(folder);
	search->found += strcmp(folder, search->folder) == 0;
}

/* Where the C library itself was loaded from. */
static void test_folder_of_a_library(void **state)
{
	Dl_info info;
	char folder[512];

	(void)state;
	assert_int_not_equal(dladdr((void *)(uintptr_t)&malloc, &info), 0);
	if (!strchr(info.dli_fname, '/') || !strstr(info.dli_fname, ".so"))
		skip(); /* linked statically, or replaced by a sanitizer's own */
	snprintf(folder, sizeof folder, "%.*s",
		 (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
	struct search search = {folder, 0};
	libraries_walk(sys_real(), "libc.so.6", compare, &search);
	assert_true(search.found > 0);
}

static void count(void *context, const char *folder)
{
	int *number = context;

	assert_int_equal(folder[0], '/');
	(*number)++;
}

/* Beside the folders of what is loaded there are those that are searched. */
static void test_folders_that_are_searched(void **state)
{
	int number = 0;

	(void)state;
	libraries_walk(sys_real(), "libc.so.6", count, &number);
	assert_true(number >= 2);
}

/* Where the C library is found the cache is not read, and for what is nowhere it is. */
static void test_the_cache(void **state)
{
	int near = 0;
	int far = 0;

	(void)state;
	fake_sys_reset(0);
	libraries_walk(fake_sys(), "libc.so.6", count, &near);
	assert_int_equal(fake_sys_count(FAKE_OPENAT), 0);
	libraries_walk(fake_sys(), "libnowhere.so.1", count, &far);
	if (access("/etc/ld.so.cache", R_OK) == 0)
		assert_true(far > near);
	fake_sys_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder_of_a_library),
		cmocka_unit_test(test_folders_that_are_searched),
		cmocka_unit_test(test_the_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
