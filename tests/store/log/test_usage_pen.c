#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/files/dir_lock.h"
#include "support/usagefile.h"

#include <stdio.h>
#include <unistd.h>

/* Each appends to the file that it holds open, and sees what the other one wrote. */
static void two_processes_count_alike(void **state)
{
	struct fixture *f = *state;
	struct disk disk;
	struct usage *other;
	struct err err;

	fake_sys_set_now(NOW + 400 * MS_PER_DAY); /* the folder's times are believed */
	assert_int_equal(disk_open(&disk, fake_sys(), f->dir.path, &err), 0);
	other = usage_new(&disk);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(disk_reopen(&disk, &err), 0);
		assert_int_equal(usage_refresh(other, &err), 0);
		usage_count(other, USAGE_HIT, &(struct slice){"state:a", 7}, 1, NOW);
		assert_int_equal(disk_reopen(&f->disk, &err), 0);
		refresh(f);
		hit(f, "state:a");
		assert_int_equal(usage_find(f->usage, slice_of("state:a"))->hits, 2 * i + 2);
	}
	assert_int_equal(usage_refresh(other, &err), 0);
	assert_int_equal(usage_find(other, slice_of("state:a"))->hits, 8);
	usage_free(other);
	disk_close(&disk);
}

/* What is appended to a file that has just been replaced is appended again. */
static void put_another_file(void *arg)
{
	const struct fixture *f = arg;

	tmpdir_write(&f->dir, "new", SINCE_LINE);
	assert_int_equal(renameat(f->dir.fd, "new", f->dir.fd, "usage.jsonl"), 0);
}

static void a_hit_goes_where_the_file_is_now(void **state)
{
	struct fixture *f = *state;

	hit(f, "state:a");
	hit(f, "state:a");
	fake_sys_reset(NOW);
	fake_sys_before(FAKE_WRITE, 1, put_another_file, f);
	hit(f, "state:b");
	assert_file(f, SINCE_LINE HIT_LINE("state:b"));
	assert_int_equal(hits(f, "state:b"), 1);
}

/* Who reads the store of another user leaves nothing there that its owner could not write to. */
static void another_users_file_is_not_made(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(fchown(f->dir.fd, 12345, 12345), 0);
	hit(f, "state:a");
	assert_false(tmpdir_has(&f->dir, "usage.jsonl"));
	assert_int_equal(fchown(f->dir.fd, 0, 0), 0);
	hit(f, "state:a");
	assert_int_equal(fchown(f->dir.fd, 12345, 12345), 0);
	hit(f, "state:a");
	refresh(f);
	assert_int_equal(hits(f, "state:a"), 2);
}

int main(void)
{
#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, usagefile_setup, usagefile_teardown)
	const struct CMUnitTest tests[] = {
		TEST(two_processes_count_alike),
		TEST(a_hit_goes_where_the_file_is_now),
		TEST(another_users_file_is_not_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
