#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/swap/displaced.h"
#include "store/swap/exchange.h"

#include "store/swap/swap_log.h"

#include "store/files/dir_lock.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795000000000)

static struct tmpdir dir;
static struct disk disk;

static int setup(void **state)
{
	struct err err;

	(void)state;
	fake_sys_reset(NOW);
	tmpdir_make(&dir);
	if (disk_open(&disk, fake_sys(), dir.path, &err) != 0)
		return -1;
	return disk_lock(&disk, 0, &err);
}

static int teardown(void **state)
{
	(void)state;
	fake_sys_reset(NOW);
	disk_close(&disk);
	tmpdir_remove(&dir);
	return 0;
}

/* The text that the test wants, whatever there is. */
static int fixed(void *context, const struct json *doc, struct str *out, struct str *aside,
		 struct err *err)
{
	(void)doc;
	(void)aside;
	(void)err;
	str_adds(out, context);
	return 0;
}

static int replace(const char *text, struct err *err)
{
	char copy[128];
	struct rewrite rewrite = {.build = fixed, .context = copy};
	bool written = false;

	snprintf(copy, sizeof copy, "%s", text);
	return replace_file(&disk, (enum store_file)CATEGORY_STATE, &rewrite, NOW, &written, err);
}

static void must_replace(const char *text)
{
	struct err err;

	if (replace(text, &err) != 0)
		fail_msg("%s", err.text);
}

static void check_text(const char *name, const char *expected)
{
	char *text = tmpdir_read(&dir, name);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static struct stat stat_of(const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dir.fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static void test_modes(void **state)
{
	mode_t before = umask(0);

	(void)state;
	must_replace("{\"a\":1}");
	assert_int_equal(stat_of("state.json").st_mode & 07777, 0600);
	assert_int_equal(fchmodat(dir.fd, "state.json", 0644, 0), 0);
	must_replace("{\"a\":2}");
	assert_int_equal(stat_of("state.json").st_mode & 07777, 0600);
	assert_int_equal(fchmodat(dir.fd, "state.json", 0400, 0), 0);
	umask(0777);
	must_replace("{\"a\":3}");
	assert_int_equal(stat_of("state.json").st_mode & 07777, 0400);
	umask(before);
}

static void test_nothing_to_do_writes_nothing(void **state)
{
	struct stat before;

	(void)state;
	must_replace("{\"a\":1}");
	before = stat_of("state.json");
	must_replace("{\"a\":1}");
	assert_int_equal(stat_of("state.json").st_ino, before.st_ino);
	assert_false(tmpdir_has(&dir, ".state.json.prev"));
}

static void test_own_output_is_checked(void **state)
{
	struct err err;

	(void)state;
	must_replace("{\"a\":1}");
	assert_int_equal(replace("{\"a\":", &err), -1);
	assert_int_equal(replace("[1]", &err), -1);
	check_text("state.json", "{\"a\":1}");
	assert_false(tmpdir_has(&dir, ".state.json.tmp"));
}

static void test_links_stay_links(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(dir.fd, "dotfiles", 0700), 0);
	tmpdir_write(&dir, "dotfiles/memory.json", "{\"a\":0}");
	assert_int_equal(symlinkat("dotfiles/memory.json", dir.fd, "state.json"), 0);
	must_replace("{\"a\":1}");
	assert_true(S_ISLNK(stat_of("state.json").st_mode));
	check_text("dotfiles/memory.json", "{\"a\":1}");
	check_text("dotfiles/.memory.json.prev", "{\"a\":0}");
	must_replace("{\"a\":2}");
	check_text("dotfiles/.memory.json.prev", "{\"a\":1}");
	assert_false(tmpdir_has(&dir, ".state.json.prev"));
}

static void test_hard_links_keep_their_text(void **state)
{
	(void)state;
	tmpdir_write(&dir, "other", "{\"a\":0}");
	assert_int_equal(linkat(dir.fd, "other", dir.fd, "state.json", 0), 0);
	must_replace("{\"a\":1}");
	must_replace("{\"a\":2}");
	check_text("other", "{\"a\":0}");
	check_text("state.json", "{\"a\":2}");
}

static void remove_it(void *arg)
{
	(void)arg;
	unlinkat(dir.fd, "state.json", 0);
}

static void make_it(void *arg)
{
	tmpdir_write(&dir, "state.json", arg);
}

/* The file goes or comes between reading and writing. */
static void test_file_removed_or_made_meanwhile(void **state)
{
	char text[] = "{\"theirs\":1}";

	(void)state;
	fake_sys_before(FAKE_RENAMEAT2, 1, make_it, text);
	must_replace("{\"a\":1}");
	check_text("state.json", "{\"a\":1}");
	check_text(".state.json.prev", text);
	fake_sys_reset(NOW);
	fake_sys_before(FAKE_RENAMEAT2, 1, remove_it, NULL);
	must_replace("{\"a\":2}");
	check_text("state.json", "{\"a\":2}");
	check_text(".state.json.prev", text);
	assert_false(tmpdir_has(&dir, ".state.json.tmp"));
}

static void test_edit_without_exchange(void **state)
{
	char text[] = "{\"theirs\":1}";

	(void)state;
	must_replace("{\"a\":0}");
	fake_sys_no_rename_flags(EINVAL);
	fake_sys_before(FAKE_RENAMEAT2, 1, make_it, text);
	must_replace("{\"a\":1}");
	assert_true(disk.exchange_missing);
	check_text("state.json", "{\"a\":1}");
	must_replace("{\"a\":2}");
	check_text("state.json", "{\"a\":2}");
}

/* The time of the file, and of the clock until the file has been read. */
#define TICK_NS ((NOW - 20) * 1000000)

static bool edited;

static void edit_in_the_tick(const char *text)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
					  {TICK_NS / 1000000000, TICK_NS % 1000000000}};
	int fd = openat(dir.fd, "state.json", O_WRONLY);

	assert_int_equal(pwrite(fd, text, 7, 0), 7);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	edited = true;
}

/* The next tick comes when the file has been read, and right before it an edit. */
static int64_t clock_after_edit(void)
{
	if (!edited && fake_sys_at(FAKE_CLOSE, "state.json", 0) != SIZE_MAX)
		edit_in_the_tick("{\"b\":0}");
	return TICK_NS + (edited ? 4000000 : 0);
}

static char seen[64];

static int note_seen(void *context, const struct json *doc, struct str *out, struct str *aside,
		     struct err *err)
{
	snprintf(seen, sizeof seen, "%.*s", (int)doc->text.len, doc->text.ptr);
	return fixed(context, doc, out, aside, err);
}

/* It has the size and the time that the file had, and is what the new text is made from. */
static void test_edit_in_the_tick_of_the_reading(void **state)
{
	char text[] = "{\"a\":1}";
	struct rewrite rewrite = {.build = note_seen, .context = text};
	struct sys table = *fake_sys();
	struct err err;

	(void)state;
	must_replace("{\"a\":0}");
	edit_in_the_tick("{\"a\":0}");
	edited = false;
	fake_sys_reset(NOW);
	fake_sys_root(dir.path);
	table.file_clock_ns = clock_after_edit;
	disk.sys = &table;
	assert_int_equal(
		replace_file(&disk, (enum store_file)CATEGORY_STATE, &rewrite, NOW, NULL, &err), 0);
	disk.sys = fake_sys();
	assert_true(edited);
	assert_string_equal(seen, "{\"b\":0}");
	check_text("state.json", text);
}

/* Of a name that is ours, and not by us. */
static void test_temporary_file_of_somebody_else_is_kept(void **state)
{
	char text[] = "{\"theirs\":1}\n";

	(void)state;
	must_replace("{\"a\":0}");
	must_replace("{\"a\":1}");
	tmpdir_write(&dir, ".state.json.tmp", text);
	must_replace("{\"a\":2}");
	check_text("state.json", "{\"a\":2}");
	check_text(".state.json.orphan", text);
}

static void test_failed_fsync_is_not_tried_again(void **state)
{
	struct err err;

	(void)state;
	must_replace("{\"a\":0}");
	fake_sys_reset(NOW);
	fake_sys_fail(FAKE_FSYNC, 1, EIO, FAKE_ONCE);
	assert_int_equal(replace("{\"a\":1}", &err), -1);
	assert_int_equal(fake_sys_count(FAKE_FSYNC), 1);
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err.text, "state.json"));
	fake_sys_reset(NOW);
	check_text("state.json", "{\"a\":0}");
	assert_false(tmpdir_has(&dir, ".state.json.tmp"));
}

static void test_blank_files_are_begun_anew(void **state)
{
	(void)state;
	tmpdir_write(&dir, "state.json", "\n\n");
	must_replace("{\"a\":1}");
	check_text("state.json", "{\"a\":1}");
	check_text(".state.json.prev", "\n\n");
}

/* Many changes: the notes in .lock do not grow without bound, and stay right. */
static void test_notes_stay_small(void **state)
{
	char text[64];

	(void)state;
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof text, "{\"a\":%d,\"b\":[%d]}", i, i);
		must_replace(text);
	}
	assert_true(stat_of(".lock").st_size < 9000);
	assert_int_equal(tmpdir_count(&dir), 5);
}

/* One that has grown far too long is cut, and what it says of other files stays. */
static void test_long_notes_are_cut(void **state)
{
	struct swap_log intent = INTENT_INIT;
	struct err err;

	(void)state;
	intent.temp.ino = 77;
	assert_int_equal(swap_log_write(&intent, &disk, "patterns.json", &err), 0);
	for (uint64_t i = 0; i < 3000; i++) {
		struct member_digest unit = {.id = i};
		struct digests one = {&unit, 1, 1};

		digests_copy(&intent.now.units, &one);
	}
	assert_int_equal(swap_log_write(&intent, &disk, "state.json", &err), 0);
	assert_true(stat_of(".lock").st_size > 65536);
	digests_release(&intent.now.units);
	intent.temp.ino = 78;
	for (int i = 0; i < 20; i++)
		assert_int_equal(swap_log_write(&intent, &disk, "state.json", &err), 0);
	swap_log_release(&intent);
	disk.lock_body_known = false;
	assert_int_equal(swap_log_read(&intent, &disk, "patterns.json", &err), 0);
	assert_true(stat_of(".lock").st_size < 9000);
	assert_int_equal(intent.temp.ino, 77);
	swap_log_release(&intent);
	assert_int_equal(swap_log_read(&intent, &disk, "state.json", &err), 0);
	assert_int_equal(intent.temp.ino, 78);
	swap_log_release(&intent);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_modes),
		TEST(test_nothing_to_do_writes_nothing),
		TEST(test_own_output_is_checked),
		TEST(test_links_stay_links),
		TEST(test_hard_links_keep_their_text),
		TEST(test_file_removed_or_made_meanwhile),
		TEST(test_edit_without_exchange),
		TEST(test_edit_in_the_tick_of_the_reading),
		TEST(test_temporary_file_of_somebody_else_is_kept),
		TEST(test_failed_fsync_is_not_tried_again),
		TEST(test_blank_files_are_begun_anew),
		TEST(test_notes_stay_small),
		TEST(test_long_notes_are_cut),
	};
	int result = cmocka_run_group_tests(tests, NULL, NULL);

	fake_sys_release();
	return result;
}
