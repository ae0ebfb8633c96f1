#include "store/files/dir.h"

#include "store/files/dir_lock.h"
#include "support/teststore.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far behind the times of any file that is made here. */
#define LATER (TESTSTORE_NOW + 400 * MS_PER_DAY)

struct fixture {
	struct tmpdir dir;
	struct disk disk;
	struct stat_cache cache;
};

static int set_up(void **state)
{
	static struct fixture f;
	struct err err;

	fake_sys_reset(LATER);
	tmpdir_make(&f.dir);
	tmpdir_write(&f.dir, "a.json", "1");
	fake_sys_root(f.dir.path);
	assert_int_equal(disk_open(&f.disk, fake_sys(), f.dir.path, &err), 0);
	f.cache = (struct stat_cache){0};
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	stat_cache_release(&f->cache, fake_sys());
	disk_close(&f->disk);
	tmpdir_remove(&f->dir);
	fake_sys_release();
	return 0;
}

/* A look as with a new request. */
static struct file_id look(struct fixture *f, const char *name)
{
	struct file_id id = {0};
	struct err err;

	assert_int_equal(disk_reopen(&f->disk, &err), 0);
	assert_int_equal(stat_cache_at(&f->cache, &f->disk, name, &id, &err), 0);
	return id;
}

/* The look tells what a stat of the name tells. */
static void check(struct fixture *f, const char *name)
{
	struct file_id found = look(f, name);
	struct file_id expected = {0};
	struct err err;

	assert_int_equal(file_identify(sys_real(), f->dir.fd, name, &expected, &err), 0);
	assert_true(file_id_equal(&found, &expected));
}

static void move(const struct fixture *f, const char *from, const char *to)
{
	assert_int_equal(renameat(f->dir.fd, from, f->dir.fd, to), 0);
}

static void a_file_that_stays_is_looked_at_without_its_name(void **state)
{
	struct fixture *f = *state;

	look(f, "a.json");
	fake_sys_clear_trace();
	check(f, "a.json");
	assert_int_equal(fake_sys_at(FAKE_FSTATAT, "a.json", 0), SIZE_MAX);
	assert_int_equal(fake_sys_count(FAKE_FSTATAT), 1); /* the folder */
	assert_int_equal(fake_sys_count(FAKE_FSTAT), 1);
	assert_int_equal(fake_sys_count(FAKE_OPENAT), 0);
}

static void a_name_that_stays_absent_is_not_looked_up(void **state)
{
	struct fixture *f = *state;

	assert_false(look(f, "b.json").present);
	fake_sys_clear_trace();
	assert_false(look(f, "b.json").present);
	assert_int_equal(fake_sys_count(FAKE_FSTATAT), 1); /* the folder */
	assert_int_equal(fake_sys_count(FAKE_FSTAT), 0);
	tmpdir_write(&f->dir, "b.json", "2");
	assert_true(look(f, "b.json").present);
}

static void every_kind_of_change_is_seen(void **state)
{
	struct fixture *f = *state;

	check(f, "a.json");
	tmpdir_write(&f->dir, "a.json", "in place");
	check(f, "a.json");
	tmpdir_write(&f->dir, "new", "by another name");
	move(f, "new", "a.json");
	check(f, "a.json");
	assert_int_equal(unlinkat(f->dir.fd, "a.json", 0), 0);
	assert_false(look(f, "a.json").present);
	tmpdir_write(&f->dir, "a.json", "again");
	check(f, "a.json");
	tmpdir_write(&f->dir, "target", "1");
	assert_int_equal(unlinkat(f->dir.fd, "a.json", 0), 0);
	assert_int_equal(symlinkat("target", f->dir.fd, "a.json"), 0);
	check(f, "a.json");
}

/* Where a link leads changes without its folder. */
static void a_link_is_followed_each_time(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdirat(f->dir.fd, "below", 0700), 0);
	tmpdir_write(&f->dir, "below/x", "1");
	tmpdir_write(&f->dir, "below/y", "12");
	assert_int_equal(symlinkat("below/x", f->dir.fd, "link"), 0);
	look(f, "link");
	assert_int_equal(look(f, "link").size, 1);
	move(f, "below/y", "below/x");
	assert_int_equal(look(f, "link").size, 2);
}

/* As on a file system of which nobody knows what its folders tell. */
static void a_folder_that_tells_nothing_is_not_believed(void **state)
{
	struct fixture *f = *state;

	f->disk.names_trusted = false;
	f->disk.names_settled = false;
	look(f, "a.json");
	look(f, "a.json");
	fake_sys_clear_trace();
	check(f, "a.json");
	assert_int_not_equal(fake_sys_at(FAKE_FSTATAT, "a.json", 0), SIZE_MAX);
}

static void a_folder_of_another_machine_is_not_trusted(void **state)
{
	int other = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_false(stat_cache_may_trust(-1));
	assert_false(stat_cache_may_trust(other));
	close(other);
}

/* Of two changes within one step of the clock the folder's times show one. */
static void a_folder_that_has_just_changed_is_not_believed(void **state)
{
	struct fixture *f = *state;

	fake_sys_set_now(0); /* the folder is younger than the clock */
	look(f, "a.json");
	look(f, "a.json");
	fake_sys_clear_trace();
	check(f, "a.json");
	assert_int_not_equal(fake_sys_at(FAKE_FSTATAT, "a.json", 0), SIZE_MAX);
	assert_int_equal(fake_sys_count(FAKE_OPENAT), 0);
}

static void under_the_lock_every_name_is_looked_up(void **state)
{
	struct fixture *f = *state;
	struct err err;

	look(f, "a.json");
	look(f, "a.json");
	teststore_mark(&f->dir);
	assert_int_equal(disk_lock(&f->disk, 0, &err), 0);
	tmpdir_write(&f->dir, "new", "by another name");
	move(f, "new", "a.json");
	check(f, "a.json");
	disk_unlock(&f->disk);
	tmpdir_write(&f->dir, "new", "yet another");
	move(f, "new", "a.json");
	check(f, "a.json");
}

static void another_folder_of_that_name_is_another_file(void **state)
{
	struct fixture *f = *state;
	char aside[PATH_MAX + 8];

	look(f, "a.json");
	look(f, "a.json");
	snprintf(aside, sizeof aside, "%s.aside", f->dir.path);
	assert_int_equal(rename(f->dir.path, aside), 0);
	assert_int_equal(mkdir(f->dir.path, 0700), 0);
	assert_false(look(f, "a.json").present);
	assert_int_equal(rmdir(f->dir.path), 0);
	assert_int_equal(rename(aside, f->dir.path), 0);
	check(f, "a.json");
}

static void an_error_is_not_absence(void **state)
{
	struct fixture *f = *state;
	struct file_id id = {0};
	struct err err;

	look(f, "a.json");
	look(f, "a.json");
	fake_sys_fail(FAKE_FSTAT, 1, EIO, FAKE_ONCE);
	check(f, "a.json");
	tmpdir_write(&f->dir, "b.json", "2");
	assert_int_equal(disk_reopen(&f->disk, &err), 0);
	fake_sys_fail(FAKE_FSTATAT, 1, EIO, FAKE_ONCE);
	assert_int_equal(stat_cache_at(&f->cache, &f->disk, "a.json", &id, &err), -1);
	check(f, "a.json");
}

/* Where a file system notes whole seconds the next write may have the same time for longer. */
static void a_whole_second_is_waited_for(void **state)
{
	const struct timespec whole = {.tv_sec = 100};
	const struct timespec exact = {.tv_sec = 100, .tv_nsec = 1};
	struct disk disk = {.names_trusted = true};

	(void)state;
	assert_false(disk_is_old(&disk, &exact, INT64_C(100000000001)));
	assert_true(disk_is_old(&disk, &exact, INT64_C(100000000002)));
	assert_false(disk_is_old(&disk, &whole, INT64_C(101500000000)));
	assert_true(disk_is_old(&disk, &whole, INT64_C(102000000001)));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_file_that_stays_is_looked_at_without_its_name),
		TEST(a_name_that_stays_absent_is_not_looked_up),
		TEST(every_kind_of_change_is_seen),
		TEST(a_link_is_followed_each_time),
		TEST(a_folder_that_tells_nothing_is_not_believed),
		TEST(a_folder_of_another_machine_is_not_trusted),
		TEST(a_folder_that_has_just_changed_is_not_believed),
		TEST(under_the_lock_every_name_is_looked_up),
		TEST(another_folder_of_that_name_is_another_file),
		TEST(an_error_is_not_absence),
		TEST(a_whole_second_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
