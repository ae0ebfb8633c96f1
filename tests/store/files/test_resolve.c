#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/files/resolve.h"

#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOW INT64_C(1795000000000)

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
	/* Links may lead out of the person's own place. */
	disk->origin.kind = ORIGIN_OWN;
	disk->origin.personal = true;
}

static void check_refused(struct disk *disk, const char *name, const char *says)
{
	struct str text = STR_INIT;
	struct file_id id;
	struct err err;
	struct path path;

	assert_int_equal(path_open(&path, disk, name, &err), -1);
	assert_int_equal(disk_read(disk, name, &text, &id, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
	str_release(&text);
}

static void test_hostile_files(void **state)
{
	struct disk disk;

	(void)state;
	open_disk(&disk, dir.path);
	assert_int_equal(mkfifoat(dir.fd, "a.json", 0600), 0);
	assert_int_equal(mkdirat(dir.fd, "b.json", 0700), 0);
	assert_int_equal(symlinkat("nowhere", dir.fd, "c.json"), 0);
	assert_int_equal(symlinkat("none/where", dir.fd, "d.json"), 0);
	assert_int_equal(symlinkat("e.json", dir.fd, "e.json"), 0);
	assert_int_equal(symlinkat("a.json", dir.fd, "f.json"), 0);
	assert_int_equal(symlinkat("/dev/null", dir.fd, "g.json"), 0);
	check_refused(&disk, "a.json", "FIFO");
	check_refused(&disk, "b.json", "directory");
	check_refused(&disk, "c.json", "link to nothing");
	check_refused(&disk, "d.json", "link to nothing");
	check_refused(&disk, "e.json", "circle");
	check_refused(&disk, "f.json", "FIFO");
	check_refused(&disk, "g.json", "regular");
	assert_int_equal(symlinkat("a.json/below", dir.fd, "i.json"), 0);
	check_refused(&disk, "i.json", "link to nothing");
	assert_int_equal(symlinkat("e.json/below", dir.fd, "j.json"), 0);
	check_refused(&disk, "j.json", "circle");
	if (geteuid() == 0) {
		tmpdir_write(&dir, "foreign", "{}");
		assert_int_equal(fchownat(dir.fd, "foreign", 12345, 12345, 0), 0);
		assert_int_equal(symlinkat("foreign", dir.fd, "h.json"), 0);
		check_refused(&disk, "h.json", "somebody else");
	}
	disk_close(&disk);
}

static void test_links_to_own_files_are_followed(void **state)
{
	char target[PATH_MAX + 16];
	struct str text = STR_INIT;
	struct file_id id;
	struct disk disk;
	struct path path;
	struct err err;

	(void)state;
	assert_int_equal(mkdirat(dir.fd, "other", 0700), 0);
	tmpdir_write(&dir, "other/real.json", "{\"a\":1}");
	assert_int_equal(symlinkat("../link", dir.fd, "other/up"), 0);
	snprintf(target, sizeof target, "%s/other/real.json", dir.path);
	assert_int_equal(symlinkat(target, dir.fd, "link"), 0);
	assert_int_equal(symlinkat("other/up", dir.fd, "state.json"), 0);
	open_disk(&disk, dir.path);
	assert_int_equal(disk_read(&disk, "state.json", &text, &id, &err), 0);
	assert_string_equal(text.ptr, "{\"a\":1}");
	assert_int_equal(path_open(&path, &disk, "state.json", &err), 0);
	assert_true(path.linked);
	assert_string_equal(path.name, "real.json");
	path_release(&path);
	str_release(&text);
	disk_close(&disk);
}

/* Reading what others put beside a file would take it into the store. */
static void test_links_beside_a_file_are_refused(void **state)
{
	struct str text = STR_INIT;
	struct file_id id;
	struct disk disk;
	struct path path;
	struct err err;

	(void)state;
	tmpdir_write(&dir, "real.json", "{}");
	assert_int_equal(symlinkat("real.json", dir.fd, ".state.json.prev"), 0);
	assert_int_equal(symlinkat("nowhere", dir.fd, ".state.json.tmp"), 0);
	open_disk(&disk, dir.path);
	assert_int_equal(path_open(&path, &disk, "state.json", &err), 0);
	assert_int_equal(path_read(&path, ".state.json.prev", &text, &id, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	assert_non_null(strstr(err.text, "/.state.json.prev is a link, not a regular file"));
	assert_int_equal(path_read(&path, ".state.json.tmp", &text, &id, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
	path_release(&path);
	disk_close(&disk);
	str_release(&text);
}

/* Whoever may not look behind a link may still use the other files. */
/* How long a reader waits for a file that may be half written, and was changed so long ago. */
static int64_t waited_ms(const char *text, int64_t age_ms)
{
	struct str read = STR_INIT;
	struct disk disk;
	struct file_id id;
	struct json doc;
	struct err err;
	struct stat st;
	int64_t begun;

	open_disk(&disk, dir.path);
	tmpdir_write(&dir, "state.json", text);
	assert_int_equal(fstatat(dir.fd, "state.json", &st, 0), 0);
	begun = (int64_t)st.st_ctim.tv_sec * 1000 + st.st_ctim.tv_nsec / 1000000 + age_ms;
	fake_sys_set_now(begun);
	if (disk_read_json(&disk, "state.json", &read, &doc, &id, &err) == 0)
		json_release(&doc);
	str_release(&read);
	disk_close(&disk);
	return fake_sys()->now_ms() - begun;
}

/* Each read would wait for a file that somebody emptied weeks ago. */
static void test_only_a_file_that_has_just_changed_is_waited_for(void **state)
{
	static const char *const texts[] = {"", "{\"a\": "};

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waited_ms(texts[i], 10), 100);
		assert_int_equal(waited_ms(texts[i], 1000), 0);
		assert_int_equal(waited_ms(texts[i], -5000), 100);
	}
	assert_int_equal(waited_ms("{}", 10), 0);
}

static void test_links_that_may_not_be_followed(void **state)
{
	struct disk disk;

	(void)state;
	assert_int_equal(symlinkat("closed/x.json", dir.fd, "a.json"), 0);
	open_disk(&disk, dir.path);
	fake_sys_fail(FAKE_OPENAT, 2, EACCES, FAKE_ONCE);
	fake_sys_fail(FAKE_OPENAT, 4, EACCES, FAKE_ONCE);
	check_refused(&disk, "a.json", "may not look");
	disk_close(&disk);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_hostile_files),
		TEST(test_links_to_own_files_are_followed),
		TEST(test_links_beside_a_file_are_refused),
		TEST(test_only_a_file_that_has_just_changed_is_waited_for),
		TEST(test_links_that_may_not_be_followed),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return result;
}
