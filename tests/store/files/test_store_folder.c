#include "store/files/store_folder.h"

#include "store/files/dir_lock.h"
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
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795249800123)

static struct tmpdir dir;

static int set_up(void **state)
{
	(void)state;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tmpdir_remove(&dir);
	fake_sys_release();
	return 0;
}

static enum folder_kind look(struct err *why)
{
	enum folder_kind kind = FOLDER_ABSENT;
	struct disk disk;
	struct err err;

	if (disk_open(&disk, fake_sys(), dir.path, &err) != 0 ||
	    folder_look(&disk, &kind, why, &err) != 0)
		fail_msg("%s", err.text);
	disk_close(&disk);
	return kind;
}

static int try_to_lock(struct err *err)
{
	struct disk disk;
	int result;

	assert_int_equal(disk_open(&disk, fake_sys(), dir.path, err), 0);
	result = disk_lock(&disk, 0, err);
	disk_close(&disk);
	return result;
}

static void test_store(void **state)
{
	static const char *const texts[] = {"{}", "{\"a\": 1}", "\xEF\xBB\xBF{}\r\n"};
	struct err why;

	(void)state;
	/* As the original handler leaves it: files, and no .kota. */
	tmpdir_write(&dir, "README", "mine");
	tmpdir_write(&dir, "preferences.json", "{");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		tmpdir_write(&dir, "shortcuts.json", texts[i]);
		assert_int_equal(look(&why), FOLDER_STORE);
	}
	assert_int_equal(try_to_lock(&why), 0);
	assert_true(tmpdir_has(&dir, ".kota"));
	assert_int_equal(unlinkat(dir.fd, "shortcuts.json", 0), 0);
	assert_int_equal(look(&why), FOLDER_STORE);
}

/* What a killed process may leave before .kota is there, and what keeps an empty folder. */
static void test_vacant(void **state)
{
	static const char *const names[] = {".lock",       ".gitignore",        ".kota.tmp",
					    ".gitkeep",    ".DS_Store",         ".gitignore.tmp",
					    "config.json", ".state.json.prev",  "state.json",
					    ".journal",    ".config.json.edit", "usage.jsonl"};
	struct err why;

	(void)state;
	assert_int_equal(look(&why), FOLDER_VACANT);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		tmpdir_write(&dir, names[i], "[");
		assert_int_equal(look(&why), FOLDER_VACANT);
	}
	assert_int_equal(mkdirat(dir.fd, ".git", 0700), 0);
	tmpdir_write(&dir, ".gitattributes", "");
	assert_int_equal(look(&why), FOLDER_VACANT);
	assert_int_equal(try_to_lock(&why), 0);
	assert_true(tmpdir_has(&dir, ".kota"));
}

/* Nothing is made in it, not even a lock. */
static void test_other(void **state)
{
	static const char *const names[] = {"hosts",          "notes",      ".bashrc",
					    "state.json.bak", ".gitconfig", "a\x1b[2J"};
	struct err why;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		tmpdir_write(&dir, names[i], "");
		assert_int_equal(look(&why), FOLDER_OTHER);
		assert_int_equal(why.code, ERR_BAD_FORMAT);
		assert_non_null(strstr(why.text, "is not a memory store and not empty"));
		assert_null(strchr(why.text, '\x1b'));
		assert_int_equal(try_to_lock(&err), -1);
		assert_string_equal(err.text, why.text);
		assert_int_equal(tmpdir_count(&dir), 1);
		assert_int_equal(unlinkat(dir.fd, names[i], 0), 0);
	}
}

static void test_broken_original(void **state)
{
	struct err why;

	(void)state;
	tmpdir_write(&dir, "README", "mine");
	tmpdir_write(&dir, "connections.json", "{\"a\": }");
	tmpdir_write(&dir, "state.json", "[]");
	assert_int_equal(look(&why), FOLDER_OTHER);
	assert_non_null(strstr(why.text, "its connections.json is not a JSON object"));
}

static void test_absent(void **state)
{
	char path[PATH_MAX + 8];
	enum folder_kind kind;
	struct disk disk;
	struct err err;

	(void)state;
	snprintf(path, sizeof path, "%s/x", dir.path);
	assert_int_equal(disk_open(&disk, fake_sys(), path, &err), 0);
	assert_int_equal(folder_look(&disk, &kind, &err, &err), 0);
	assert_int_equal(kind, FOLDER_ABSENT);
	assert_int_equal(folder_admit(&disk, &err), 0);
	disk_close(&disk);
}

/* What cannot be seen is not taken for empty. */
static void test_failures(void **state)
{
	static const enum fake_call calls[] = {FAKE_FDOPENDIR, FAKE_READDIR};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		fake_sys_reset(NOW);
		fake_sys_fail(calls[i], 1, EIO, FAKE_ONCE);
		assert_int_equal(try_to_lock(&err), -1);
		assert_int_equal(err.code, ERR_IO);
		assert_int_equal(tmpdir_count(&dir), 0);
	}
}

int main(void)
{
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		UNIT(test_store),           UNIT(test_vacant), UNIT(test_other),
		UNIT(test_broken_original), UNIT(test_absent), UNIT(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
