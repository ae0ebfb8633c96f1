#include "store/files/disk_usage.h"

#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct tmpdir dir;
static struct disk disk;

static int set_up(void **state)
{
	struct err err;

	(void)state;
	fake_sys_reset(0);
	tmpdir_make(&dir);
	return disk_open(&disk, fake_sys(), dir.path, &err);
}

static int tear_down(void **state)
{
	(void)state;
	disk_close(&disk);
	fake_sys_release();
	tmpdir_remove(&dir);
	return 0;
}

static void of_a_file(void **state)
{
	(void)state;
	assert_int_equal(size_of_file(&disk, "state.json"), 0);
	tmpdir_write(&dir, "state.json", "12345");
	assert_int_equal(size_of_file(&disk, "state.json"), 5);
	assert_int_equal(symlinkat("state.json", dir.fd, "link"), 0);
	assert_int_equal(size_of_file(&disk, "link"), 5);
	assert_int_equal(mkdirat(dir.fd, "folder", 0700), 0);
	assert_int_equal(size_of_file(&disk, "folder"), 0);
}

static void of_a_folder(void **state)
{
	(void)state;
	assert_int_equal(size_of_folder(&disk, "a"), 0);
	assert_int_equal(mkdirat(dir.fd, "a", 0700), 0);
	assert_int_equal(mkdirat(dir.fd, "a/b", 0700), 0);
	tmpdir_write(&dir, "a/x", "12345");
	tmpdir_write(&dir, "a/.hidden", "1");
	tmpdir_write(&dir, "a/b/y", "123");
	tmpdir_write(&dir, "out", "1234567");
	assert_int_equal(symlinkat("../out", dir.fd, "a/link"), 0);
	assert_int_equal(symlinkat("..", dir.fd, "a/b/up"), 0);
	assert_int_equal(size_of_folder(&disk, "a"), 9);
	assert_int_equal(size_of_folder(&disk, "out"), 0);
	assert_int_equal(symlinkat("a", dir.fd, "linked"), 0);
	assert_int_equal(size_of_folder(&disk, "linked"), 0);
}

static void what_cannot_be_looked_at_is_nothing(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(dir.fd, "a", 0700), 0);
	tmpdir_write(&dir, "a/x", "12345");
	fake_sys_fail(FAKE_FSTATAT, 1, EIO, FAKE_ALWAYS);
	assert_int_equal(size_of_file(&disk, "a/x"), 0);
	assert_int_equal(size_of_folder(&disk, "a"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_a_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_a_folder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_looked_at_is_nothing, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
