#include "store/history/tracked.h"

#include "store/files/dir_lock.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <sys/stat.h>
#include <unistd.h>

static struct tmpdir dir;
static struct disk disk;

static int setup(void **state)
{
	struct err err;

	(void)state;
	tmpdir_make(&dir);
	mkdirat(dir.fd, "store", 0700);
	mkdirat(dir.fd, "store/notes", 0700);
	tmpdir_write(&dir, "outside", "a key of the person");
	tmpdir_write(&dir, "store/notes/a.md", "a note");
	{
		STR_AUTO path = STR_INIT;

		str_printf(&path, "%s/store", dir.path);
		assert_int_equal(disk_open(&disk, sys_real(), path.ptr, &err), 0);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	disk_close(&disk);
	tmpdir_remove(&dir);
	return 0;
}

static void check_read(const char *name, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct file_id id;
	struct err err;
	int result = tracked_read(&disk, name, &text, &id, &err);

	if (!expected) {
		assert_int_equal(result, -1);
		assert_int_equal(text.len, 0);
		return;
	}
	assert_int_equal(result, 0);
	assert_string_equal(text.len ? text.ptr : "", expected);
}

static void test_notes_are_read_below_the_store(void **state)
{
	(void)state;
	check_read("notes/a.md", "a note");
	check_read("notes/none.md", "");
	check_read("archive.cold/2026-11.jsonl", "");
}

/* What a link in a folder leads to would go into the history. */
static void test_no_link_is_followed(void **state)
{
	(void)state;
	assert_int_equal(symlinkat("../../outside", dir.fd, "store/notes/b.md"), 0);
	check_read("notes/b.md", NULL);
	mkdirat(dir.fd, "elsewhere", 0700);
	tmpdir_write(&dir, "elsewhere/2026-11.jsonl", "a line");
	assert_int_equal(symlinkat("../elsewhere", dir.fd, "store/archive.cold"), 0);
	check_read("archive.cold/2026-11.jsonl", NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_notes_are_read_below_the_store),
		TEST(test_no_link_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
