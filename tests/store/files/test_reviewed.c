#include "store/files/reviewed.h"

#include "store/txn/apply.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795249800000)
#define NAME "0123456789abcdef0123456789abcdef"
#define FILE_NAME "kota-memory/" NAME ".reviewed"
#define MAX ((off_t)8 << 20)

static struct tmpdir dir;
static struct disk disk;
static struct reviewed reviewed;

static const char *lookup(const char *name)
{
	return strcmp(name, "XDG_STATE_HOME") == 0 ? dir.path : NULL;
}

static int set_up(void **state)
{
	(void)state;
	tmpdir_make(&dir);
	fake_sys_reset(NOW);
	disk = (struct disk){
		.sys = fake_sys(),
		.env = lookup,
		.origin = {.kind = ORIGIN_OWN,
			   .tracked = true,
			   .surrounded = true,
			   .name = slice_of(NAME)},
	};
	reviewed = (struct reviewed){0};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	reviewed_release(&reviewed);
	fake_sys_release();
	tmpdir_remove(&dir);
	return 0;
}

static struct reviewed_entry entry(const char *key, const char *text)
{
	return (struct reviewed_entry){CATEGORY_STATE, slice_of(key), slice_of(text)};
}

static void begin(const struct reviewed_entry *shown, size_t shown_count,
		  const struct reviewed_entry *now, size_t now_count)
{
	struct err err;

	if (reviewed_begin(&disk, shown, shown_count, now, now_count, &err) != 0)
		fail_msg("%s", err.text);
}

static void note(const char *key, const char *text, bool others)
{
	const struct op op = {.kind = OP_PUT,
			      .category = CATEGORY_STATE,
			      .key = slice_of(key),
			      .text = slice_of(text)};
	struct map left = MAP_INIT;

	map_put(&left, slice_of(others ? "state:a" : "state:another"), 0);
	disk.others = &left;
	reviewed_note(&disk, &op, 1);
	disk.others = NULL;
	map_release(&left);
}

static bool of_others(const char *key, const char *text)
{
	const struct reviewed_entry asked = entry(key, text);

	reviewed_refresh(&reviewed, &disk);
	return reviewed_is_others(&reviewed, &asked);
}

static off_t size(void)
{
	struct stat st;

	return fstatat(dir.fd, FILE_NAME, &st, 0) == 0 ? st.st_size : -1;
}

static void test_what_was_shown_is_known_in_any_layout(void **state)
{
	const struct reviewed_entry shown[] = {entry("a", "{\"value\": 1.0, \"x\": [1]}"),
					       entry("b", "\"bare\"")};

	(void)state;
	begin(shown, 2, NULL, 0);
	assert_false(of_others("a", "{\n  \"value\": 1.0,\n  \"x\": [\n1]}"));
	assert_true(of_others("a", "{\"value\": 1.00, \"x\": [1]}"));
	assert_true(of_others("a", "{\"value\": 1.0}"));
	assert_true(of_others("c", "{\"value\": 1.0, \"x\": [1]}"));
	/* As the archive has it. */
	assert_false(of_others("b", "{\"value\":\"bare\"}"));
}

static void test_what_is_written_here_is_known(void **state)
{
	(void)state;
	begin(NULL, 0, NULL, 0);
	note("a", "{\"value\":1}", false);
	assert_false(of_others("a", "{\"value\": 1}"));
	note("b", "{\"value\":2}", false);
	assert_false(of_others("a", "{\"value\": 1}"));
	assert_false(of_others("b", "{\"value\": 2}"));
	assert_true(of_others("a", "{\"value\": 2}"));
}

static void test_what_stays_of_others_is_not_added(void **state)
{
	(void)state;
	begin(NULL, 0, NULL, 0);
	note("a", "{\"value\":1}", true);
	assert_true(of_others("a", "{\"value\": 1}"));
	assert_int_equal(size(), 0);
}

static void test_nothing_is_marked_where_it_is_not_known(void **state)
{
	(void)state;
	note("a", "{\"value\":1}", false);
	assert_int_equal(size(), -1);
	assert_false(of_others("b", "1"));
	assert_true(reviewed.applies);
	assert_false(reviewed.known);
}

static void test_only_an_own_store_in_a_repository_has_tags(void **state)
{
	const struct origin own = disk.origin;

	(void)state;
	disk.origin.surrounded = false;
	begin(NULL, 0, NULL, 0);
	assert_int_equal(size(), -1);
	disk.origin = own;
	disk.origin.kind = ORIGIN_FOREIGN;
	begin(NULL, 0, NULL, 0);
	assert_int_equal(size(), -1);
	disk.origin = own;
	begin(NULL, 0, NULL, 0);
	disk.origin.personal = true;
	assert_false(of_others("a", "1"));
	disk.origin = own;
	disk.origin.tracked = false; /* yet: what is written already counts */
	note("a", "1", false);
	assert_false(of_others("b", "1"));
	disk.origin = own;
	assert_false(of_others("a", "1"));
	assert_true(of_others("b", "1"));
}

/* The tags of one store say nothing of another. */
static void test_the_name_is_the_key(void **state)
{
	const struct reviewed_entry shown = entry("a", "1");
	char *lines;

	(void)state;
	begin(&shown, 1, NULL, 0);
	lines = tmpdir_read(&dir, FILE_NAME);
	assert_int_equal(strlen(lines), 33);
	disk.origin.name = slice_of("another");
	tmpdir_write(&dir, "kota-memory/another.reviewed", lines);
	free(lines);
	assert_true(of_others("a", "1"));
}

static void test_trusting_again_forgets_what_is_gone(void **state)
{
	const struct reviewed_entry shown = entry("theirs", "2");
	const struct reviewed_entry now[] = {entry("theirs", "3"), entry("mine", "4")};

	(void)state;
	begin(NULL, 0, NULL, 0);
	note("old", "1", false);
	/* While the person was looking. */
	note("mine", "4", false);
	begin(&shown, 1, now, 2);
	assert_false(of_others("theirs", "2"));
	assert_true(of_others("theirs", "3"));
	assert_false(of_others("mine", "4"));
	assert_true(of_others("old", "1"));
	assert_int_equal(size(), 2 * 33);
}

static void test_half_a_line_spoils_no_other(void **state)
{
	(void)state;
	begin(NULL, 0, NULL, 0);
	tmpdir_write(&dir, FILE_NAME, "0123456789abcdef");
	note("a", "1", false);
	assert_false(of_others("a", "1"));
}

static void test_it_does_not_grow_without_end(void **state)
{
	char path[PATH_MAX + 64];

	(void)state;
	begin(NULL, 0, NULL, 0);
	snprintf(path, sizeof path, "%s/" FILE_NAME, dir.path);
	assert_int_equal(truncate(path, MAX - 33), 0);
	note("a", "1", false);
	assert_int_equal(size(), MAX - 33);
	assert_int_equal(truncate(path, MAX - 34), 0);
	note("a", "1", false);
	assert_int_equal(size(), MAX);
}

/* A link could lead the tags into any file of the person's. */
static void test_a_link_is_not_written_through(void **state)
{
	char *text;

	(void)state;
	begin(NULL, 0, NULL, 0);
	tmpdir_write(&dir, "precious", "text");
	assert_int_equal(unlinkat(dir.fd, FILE_NAME, 0), 0);
	assert_int_equal(symlinkat("../precious", dir.fd, FILE_NAME), 0);
	note("a", "1", false);
	text = tmpdir_read(&dir, "precious");
	assert_string_equal(text, "text");
	free(text);
	assert_true(of_others("a", "1"));
}

static void test_what_cannot_be_written_is_said(void **state)
{
	struct err err;

	(void)state;
	fake_sys_fail(FAKE_FSYNC, 1, ENOSPC, FAKE_ALWAYS);
	assert_int_equal(reviewed_begin(&disk, NULL, 0, NULL, 0, &err), -1);
}

static void test_it_can_be_forgotten(void **state)
{
	(void)state;
	begin(NULL, 0, NULL, 0);
	reviewed_forget(&disk, slice_of(NAME));
	assert_int_equal(size(), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_what_was_shown_is_known_in_any_layout),
		TEST(test_what_is_written_here_is_known),
		TEST(test_what_stays_of_others_is_not_added),
		TEST(test_nothing_is_marked_where_it_is_not_known),
		TEST(test_only_an_own_store_in_a_repository_has_tags),
		TEST(test_the_name_is_the_key),
		TEST(test_trusting_again_forgets_what_is_gone),
		TEST(test_half_a_line_spoils_no_other),
		TEST(test_it_does_not_grow_without_end),
		TEST(test_a_link_is_not_written_through),
		TEST(test_what_cannot_be_written_is_said),
		TEST(test_it_can_be_forgotten),
	};

	return cmocka_run_group_tests_name("reviewed", tests, NULL, NULL);
}
