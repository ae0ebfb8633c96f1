#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/files/dir.h"

#include "store/files/dir_lock.h"
#include "store/files/resolve.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define NOW INT64_C(1795000000000)
#define MARK "kota-memory data directory, format 1\n"

static struct tmpdir dir;

static int setup(void **state)
{
	(void)state;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_sys_reset(NOW);
	tmpdir_remove(&dir);
	return 0;
}

static void open_disk(struct disk *disk, const char *path)
{
	struct err err;

	if (disk_open(disk, fake_sys(), path, &err) != 0)
		fail_msg("%s", err.text);
}

static void check_text(const char *name, const char *expected)
{
	char *text = tmpdir_read(&dir, name);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dir.fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(store_file_name((enum store_file)CATEGORY_PREFERENCES),
			    "preferences.json");
	assert_string_equal(store_file_name((enum store_file)CATEGORY_STATE), "state.json");
	assert_string_equal(store_file_name(STORE_FILE_ARCHIVE), "archive.json");
	assert_string_equal(store_file_name(STORE_FILE_RELATIONS), "relations.json");
}

static void test_absent_store_reads_empty(void **state)
{
	char path[PATH_MAX + 8];
	struct str text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct disk disk;
	struct err err;

	(void)state;
	snprintf(path, sizeof path, "%s/none", dir.path);
	open_disk(&disk, path);
	assert_int_equal(disk.dirfd, -1);
	assert_false(disk_exists(&disk));
	assert_int_equal(disk_read(&disk, "state.json", &text, &id, &err), 0);
	assert_false(id.present);
	assert_int_equal(disk_read_json(&disk, "state.json", &text, &doc, &id, &err), 0);
	assert_string_equal(text.ptr, "{}");
	assert_int_equal(disk_writable(&disk, &err), 0);
	assert_false(tmpdir_has(&dir, "none"));
	json_release(&doc);
	str_release(&text);
	disk_close(&disk);
}

static void test_create(void **state)
{
	mode_t before = umask(077);
	char path[PATH_MAX + 16];
	struct disk disk;
	struct err err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		umask(i ? 0777 & ~0700 : 0);
		snprintf(path, sizeof path, "%s/%d/b/c/", dir.path, i);
		open_disk(&disk, path);
		assert_int_equal(disk_create(&disk, &err), 0);
		assert_true(disk_exists(&disk));
		assert_int_equal(disk_create(&disk, &err), 0);
		disk_close(&disk);
	}
	umask(before);
	check_text("0/b/c/.kota", MARK);
	check_text("0/b/c/.gitignore", "metadata.json\nusage.jsonl\n.*\n!.kota\n!.gitignore\n");
	assert_int_equal(mode_of("0/b/c"), 0700);
	assert_int_equal(mode_of("1/b/c"), 0700);
	assert_int_equal(mode_of("0/b/c/.kota"), 0600);
	assert_int_equal(mode_of("0/b/c/.lock"), 0600);
	assert_false(tmpdir_has(&dir, "0/b/c/.kota.tmp"));
}

static void test_create_keeps_what_is_there(void **state)
{
	struct disk disk;
	struct err err;

	(void)state;
	tmpdir_write(&dir, ".gitignore", "mine\n");
	tmpdir_write(&dir, ".kota.tmp", "kota-mem");
	assert_int_equal(fchmod(dir.fd, 0500 | 0200), 0);
	open_disk(&disk, dir.path);
	assert_int_equal(disk_create(&disk, &err), 0);
	disk_close(&disk);
	check_text(".gitignore", "mine\n");
	check_text(".kota", MARK);
}

static void test_formats(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} refused[] = {
		{"kota-memory data directory, format 2\n", "format 2"},
		{"kota-memory data directory, format x\n", "format number"},
		{"", "not a memory store"},
		{"something else\n", "not a memory store"},
	};
	struct disk disk;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		tmpdir_write(&dir, ".kota", refused[i].text);
		assert_int_equal(disk_open(&disk, fake_sys(), dir.path, &err), -1);
		assert_int_equal(err.code, ERR_BAD_FORMAT);
		assert_non_null(strstr(err.text, refused[i].says));
	}
	tmpdir_write(&dir, ".kota", MARK);
	open_disk(&disk, dir.path);
	/* A newer program converts the store while we run. */
	tmpdir_write(&dir, ".kota", refused[0].text);
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_int_equal(err.code, ERR_BAD_FORMAT);
	assert_int_equal(disk.lock_fd, -1);
	disk_close(&disk);
	tmpdir_write(&dir, "file", "");
	char path[PATH_MAX + 8];
	snprintf(path, sizeof path, "%s/file", dir.path);
	assert_int_equal(disk_open(&disk, fake_sys(), path, &err), -1);
	assert_non_null(strstr(err.text, "is not a directory"));
}

/* A newer program may convert a store that is in use. */
static void test_format_that_changes_in_use(void **state)
{
	struct disk disk;
	struct err err;

	(void)state;
	tmpdir_write(&dir, ".kota", MARK);
	open_disk(&disk, dir.path);
	assert_int_equal(disk_reopen(&disk, &err), 0);
	tmpdir_write(&dir, ".kota", "kota-memory data directory, format 1000\n");
	assert_int_equal(disk_reopen(&disk, &err), -1);
	assert_int_equal(err.code, ERR_BAD_FORMAT);
	tmpdir_write(&dir, ".kota", MARK);
	assert_int_equal(disk_reopen(&disk, &err), 0);
	disk_close(&disk);
}

static void test_lock_waits_and_gives_up(void **state)
{
	struct disk one;
	struct disk two;
	struct err err;

	(void)state;
	open_disk(&one, dir.path);
	open_disk(&two, dir.path);
	assert_int_equal(disk_lock(&one, 5000, &err), 0);
	assert_int_equal(disk_lock(&two, 0, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(fake_sys_now(), NOW);
	assert_int_equal(disk_lock(&two, 5000, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_string_equal(err.text,
			    "another process has been changing the store for 5 s; try again");
	assert_in_range(fake_sys_now() - NOW, 5000, 5010);
	disk_unlock(&one);
	assert_int_equal(disk_lock(&two, 0, &err), 0);
	disk_close(&two);
	disk_close(&one);
}

static void remove_lock(void *arg)
{
	(void)arg;
	unlinkat(dir.fd, ".lock", 0);
}

/* Somebody cleans up between open and flock: a lock on a file without a name locks nobody out. */
static void test_lock_that_was_removed(void **state)
{
	struct disk disk;
	struct stat locked;
	struct stat named;
	struct err err;

	(void)state;
	open_disk(&disk, dir.path);
	fake_sys_before(FAKE_FLOCK, 1, remove_lock, NULL);
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	assert_int_equal(fstat(disk.lock_fd, &locked), 0);
	assert_int_equal(fstatat(dir.fd, ".lock", &named, 0), 0);
	assert_int_equal(locked.st_ino, named.st_ino);
	disk_close(&disk);
}

static void test_directory_that_was_replaced(void **state)
{
	char path[PATH_MAX + 8];
	struct disk disk;
	struct err err;

	(void)state;
	snprintf(path, sizeof path, "%s/s", dir.path);
	open_disk(&disk, path);
	assert_int_equal(disk_create(&disk, &err), 0);
	assert_int_equal(renameat(dir.fd, "s", dir.fd, "old"), 0);
	assert_int_equal(disk_lock(&disk, 0, &err), 0);
	assert_true(tmpdir_has(&dir, "s/.kota"));
	disk_close(&disk);
	open_disk(&disk, path);
	assert_int_equal(renameat(dir.fd, "s", dir.fd, "gone"), 0);
	assert_int_equal(disk_reopen(&disk, &err), 0);
	assert_int_equal(disk.dirfd, -1);
	disk_close(&disk);
}

static void test_hostile_lock(void **state)
{
	struct disk disk;
	struct err err;

	(void)state;
	assert_int_equal(mkfifoat(dir.fd, ".lock", 0600), 0);
	open_disk(&disk, dir.path);
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_non_null(strstr(err.text, ".lock"));
	assert_int_equal(unlinkat(dir.fd, ".lock", 0), 0);
	assert_int_equal(symlinkat("nowhere", dir.fd, ".lock"), 0);
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_non_null(strstr(err.text, "/.lock must be a regular file of your own: remove it"));
	assert_int_equal(unlinkat(dir.fd, ".lock", 0), 0);
	assert_int_equal(mkdirat(dir.fd, ".lock", 0700), 0);
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_non_null(strstr(err.text, "/.lock must be a regular file of your own: remove it"));
	disk_close(&disk);
}

static void test_full_disk_names_the_file(void **state)
{
	struct disk disk;
	struct err err;

	(void)state;
	open_disk(&disk, dir.path);
	fake_sys_fail(FAKE_WRITE, 1, ENOSPC, FAKE_ALWAYS);
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	assert_non_null(strstr(err.text, dir.path));
	assert_non_null(strstr(err.text, "/.kota: "));
	disk_close(&disk);
}

static void write_state(void *arg)
{
	tmpdir_write(&dir, "state.json", arg);
}

static void test_torn_texts_are_read_again(void **state)
{
	static const char *const torn[] = {"{\"a\":", "", " \n"};
	struct str text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct disk disk;
	struct err err;
	char whole[] = "{\"a\":1}";

	(void)state;
	open_disk(&disk, dir.path);
	for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
		tmpdir_write(&dir, "state.json", torn[i]);
		fake_sys_before(FAKE_SLEEP_MS, 2, write_state, whole);
		assert_int_equal(disk_read_json(&disk, "state.json", &text, &doc, &id, &err), 0);
		assert_string_equal(text.ptr, whole);
		json_release(&doc);
		fake_sys_reset(NOW);
	}
	str_release(&text);
	disk_close(&disk);
}

/* A file of entries is read down to a depth from which each can still be archived. */
static void test_depth(void **state)
{
	struct str text = STR_INIT;
	char nest[72] = "{\"a\":";
	struct file_id id;
	struct disk disk;
	struct json doc;
	struct err err;

	(void)state;
	open_disk(&disk, dir.path);
	memset(nest + 5, '[', 32);
	memset(nest + 37, ']', 32);
	nest[69] = '}';
	tmpdir_write(&dir, "state.json", nest);
	tmpdir_write(&dir, "archive.json", nest);
	assert_int_equal(disk_read_json(&disk, "state.json", &text, &doc, &id, &err), -1);
	assert_non_null(strstr(err.text, "nested deeper than 32"));
	assert_int_equal(disk_read_json(&disk, "archive.json", &text, &doc, &id, &err), 0);
	json_release(&doc);
	str_release(&text);
	disk_close(&disk);
}

static void test_broken_and_blank_files(void **state)
{
	struct str text = STR_INIT;
	struct file_id id;
	struct json doc;
	struct disk disk;
	struct err err;

	(void)state;
	open_disk(&disk, dir.path);
	tmpdir_write(&dir, "state.json", "{\n  \"a\": x\n}");
	assert_int_equal(disk_read_json(&disk, "state.json", &text, &doc, &id, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_non_null(strstr(err.text, "/state.json:2:8: "));
	assert_int_equal(fake_sys_now() - NOW, 100);
	tmpdir_write(&dir, "state.json", "[]");
	assert_int_equal(disk_read_json(&disk, "state.json", &text, &doc, &id, &err), -1);
	assert_non_null(strstr(err.text, "must be an object"));
	tmpdir_write(&dir, "state.json", "\xEF\xBB\xBF \r\n");
	assert_int_equal(disk_read_json(&disk, "state.json", &text, &doc, &id, &err), 0);
	assert_string_equal(text.ptr, "{}");
	assert_true(id.present);
	json_release(&doc);
	str_release(&text);
	disk_close(&disk);
}

static void test_foreign_directory_is_not_written(void **state)
{
	struct disk disk;
	struct err err;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(fchown(dir.fd, 12345, 12345), 0);
	open_disk(&disk, dir.path);
	assert_int_equal(disk_writable(&disk, &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	assert_non_null(strstr(err.text, "belongs to somebody else"));
	assert_int_equal(disk_lock(&disk, 0, &err), -1);
	assert_false(tmpdir_has(&dir, ".lock"));
	disk_close(&disk);
}

static void test_read_only_file_systems(void **state)
{
	struct disk disk;
	struct err err;

	(void)state;
	open_disk(&disk, dir.path);
	fake_sys_fail(FAKE_OPENAT, 1, EROFS, FAKE_ONCE);
	assert_int_equal(disk_writable(&disk, &err), -1);
	assert_int_equal(err.code, ERR_CANNOT_WRITE);
	fake_sys_reset(NOW);
	fake_sys_fail(FAKE_FSYNC, 1, EIO, FAKE_ALWAYS);
	assert_int_equal(disk_create(&disk, &err), -1);
	fake_sys_reset(NOW);
	assert_false(tmpdir_has(&dir, ".kota"));
	disk_close(&disk);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_names),
		TEST(test_absent_store_reads_empty),
		TEST(test_create),
		TEST(test_create_keeps_what_is_there),
		TEST(test_formats),
		TEST(test_format_that_changes_in_use),
		TEST(test_lock_waits_and_gives_up),
		TEST(test_lock_that_was_removed),
		TEST(test_directory_that_was_replaced),
		TEST(test_hostile_lock),
		TEST(test_depth),
		TEST(test_full_disk_names_the_file),
		TEST(test_torn_texts_are_read_again),
		TEST(test_broken_and_blank_files),
		TEST(test_foreign_directory_is_not_written),
		TEST(test_read_only_file_systems),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return result;
}
