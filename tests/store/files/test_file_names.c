#include "store/files/file_names.h"

#include "support/fake_sys.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <string.h>

static bool is_wanted(const char *name)
{
	return name[0] == 'a';
}

static void those_wanted_come_sorted(void **state)
{
	struct names names = {0};
	struct tmpdir dir;

	(void)state;
	fake_sys_reset(0);
	tmpdir_make(&dir);
	tmpdir_write(&dir, "ab", "");
	tmpdir_write(&dir, "b", "");
	tmpdir_write(&dir, "aa", "");
	tmpdir_write(&dir, "ac", "");
	assert_int_equal(names_read(fake_sys(), dir.fd, is_wanted, &names), 0);
	assert_int_equal(names.count, 3);
	assert_string_equal(names.list[0], "aa");
	assert_string_equal(names.list[1], "ab");
	assert_string_equal(names.list[2], "ac");
	names_release(&names);
	tmpdir_remove(&dir);
}

static void a_folder_that_cannot_be_read_is_not_empty(void **state)
{
	static const enum fake_call calls[] = {FAKE_OPENAT, FAKE_FDOPENDIR, FAKE_READDIR};
	struct tmpdir dir;

	(void)state;
	tmpdir_make(&dir);
	tmpdir_write(&dir, "aa", "");
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct names names = {0};

		fake_sys_reset(0);
		fake_sys_fail(calls[i], 1, EIO, FAKE_ONCE);
		assert_int_equal(names_read(fake_sys(), dir.fd, is_wanted, &names), EIO);
		names_release(&names);
	}
	fake_sys_release();
	tmpdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_wanted_come_sorted),
		cmocka_unit_test(a_folder_that_cannot_be_read_is_not_empty),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
