#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/files/dir.h"
#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <stdio.h>
#include <sys/stat.h>

static void make_it_first(void *arg)
{
	assert_int_equal(mkdir(arg, 0700), 0);
}

/* Who made the directory a moment ago may be dead before the name is durable. */
static void a_directory_that_another_process_made_is_made_durable_too(void **state)
{
	char path[PATH_MAX + 8];
	struct tmpdir dir;
	struct disk disk;
	struct err err;
	size_t made;

	(void)state;
	fake_sys_reset(0);
	tmpdir_make(&dir);
	fake_sys_root(dir.path);
	snprintf(path, sizeof path, "%s/store", dir.path);
	assert_int_equal(disk_open(&disk, fake_sys(), path, &err), 0);
	fake_sys_before(FAKE_MKDIRAT, 1, make_it_first, path);
	assert_int_equal(disk_create(&disk, &err), 0);
	made = fake_sys_at(FAKE_MKDIRAT, NULL, 0);
	assert_int_not_equal(made, SIZE_MAX);
	assert_int_not_equal(fake_sys_at(FAKE_FSYNC, ".", made), SIZE_MAX);
	disk_close(&disk);
	tmpdir_remove(&dir);
	fake_sys_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_that_another_process_made_is_made_durable_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
