#include "git/write/gc.h"

#include "git/gitrepo.h"
#include "git/write/pack.h"
#include "git/write/rewrite.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct object_id loose_blob(struct gitrepo *r, const char *text)
{
	struct object_id blob;
	struct err err;

	assert_int_equal(repo_blob_write(r->repo, slice_of(text), &blob, &err), 0);
	return blob;
}

/* Sweeps, and opens anew what the library may remember. */
static size_t run(struct gitrepo *r)
{
	struct err err;
	size_t kept;

	if (sweep(r->repo, &kept, &err) != 0)
		fail_msg("%s", err.text);
	repo_close(r->repo);
	assert_int_equal(repo_open(&r->repo, sys_real(), r->dir.path, &err), 0);
	return kept;
}

static void check_last(struct gitrepo *r, const char *expected)
{
	char *text = gitrepo_text(r, "a.json");

	assert_string_equal(text, expected);
	free(text);
}

static void test_what_nothing_refers_to_goes(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "1", "first\n");
	struct object_id gone = loose_blob(r, "gone");

	gitrepo_record(r, "a.json", "2", "second\n");
	assert_int_equal(run(r), 0);
	assert_false(repo_has(r->repo, &gone));
	assert_true(repo_has(r->repo, &first));
	check_last(r, "2");
	assert_int_equal(run(r), 0);
	check_last(r, "2");
	gitrepo_record(r, "a.json", "3", "third\n");
	check_last(r, "3");
}

static void test_an_empty_repository(void **state)
{
	struct gitrepo *r = *state;
	struct object_id gone = loose_blob(r, "gone");

	assert_int_equal(run(r), 0);
	assert_false(repo_has(r->repo, &gone));
}

static void test_what_reflogs_and_tags_lead_to_stays(void **state)
{
	struct gitrepo *r = *state;
	struct object_id stashed = gitrepo_record(r, "a.json", "1", "stashed\n");
	struct object_id tagged = loose_blob(r, "tagged");
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO text = STR_INIT;

	object_id_text(&stashed, digits);
	str_printf(&text, "%040d %s Ada <a@b> 1795000000 +0000\tWIP\n", 0, digits);
	tmpdir_write(&r->dir, ".git/logs/refs/stash", text.ptr);
	object_id_text(&tagged, digits);
	tmpdir_write(&r->dir, ".git/refs/tags/blob", digits);
	tmpdir_write(&r->dir, ".git/refs/heads/main", "");
	assert_int_equal(unlinkat(r->dir.fd, ".git/refs/heads/main", 0), 0);
	assert_int_equal(unlinkat(r->dir.fd, ".git/logs/refs/heads/main", 0), 0);
	assert_int_equal(unlinkat(r->dir.fd, ".git/logs/HEAD", 0), 0);
	run(r);
	assert_true(repo_has(r->repo, &stashed));
	assert_true(repo_has(r->repo, &tagged));
}

static void test_packs_that_are_marked_stay(void **state)
{
	struct gitrepo *r = *state;

	gitrepo_record(r, "a.json", "1", "first\n");
	tmpdir_write(&r->dir, ".git/objects/pack/pack-1.pack", "x");
	tmpdir_write(&r->dir, ".git/objects/pack/pack-1.keep", "");
	tmpdir_write(&r->dir, ".git/objects/pack/pack-2.pack", "x");
	tmpdir_write(&r->dir, ".git/objects/info/commit-graph", "x");
	assert_int_equal(run(r), 1);
	assert_true(tmpdir_has(&r->dir, ".git/objects/pack/pack-1.pack"));
	assert_false(tmpdir_has(&r->dir, ".git/objects/pack/pack-2.pack"));
	assert_false(tmpdir_has(&r->dir, ".git/objects/info/commit-graph"));
	check_last(r, "1");
}

static size_t count_files(const char *path)
{
	STR_AUTO command = STR_INIT;
	char text[32] = "";
	FILE *out;

	str_printf(&command, "find '%s' -type f | wc -l", path);
	out = popen(command.ptr, "r");
	assert_non_null(fgets(text, sizeof text, out));
	pclose(out);
	return (size_t)strtoul(text, NULL, 10);
}

/* All that would take objects away is refused, and names what leads elsewhere. */
static void check_refused(struct gitrepo *r, const char *named)
{
	struct repo *repo;
	size_t kept;
	struct err err;

	assert_int_equal(repo_open(&repo, sys_real(), r->dir.path, &err), 0);
	for (int i = 0; i < 3; i++) {
		err_clear(&err);
		assert_int_equal(i == 0   ? sweep(repo, &kept, &err)
				 : i == 1 ? pack_run(repo, &err)
					  : rewrite_check(repo, &err),
				 -1);
		assert_int_equal(err.code, ERR_NO_HISTORY);
		if (!strstr(err.text, named) || !strstr(err.text, "another repository"))
			fail_msg("%s: %s", named, err.text);
	}
	repo_close(repo);
}

/* The other repository has a folder of the same name, with objects that are its own. */
static void check_link(struct gitrepo *r, const char *name)
{
	STR_AUTO mine = STR_INIT;
	STR_AUTO other = STR_INIT;
	size_t before;

	str_printf(&mine, "%s/.git/%s", r->dir.path, name);
	str_printf(&other, "%s/other", r->dir.path);
	assert_int_equal(rename(mine.ptr, other.ptr), 0);
	assert_int_equal(symlink(other.ptr, mine.ptr), 0);
	before = count_files(other.ptr);
	check_refused(r, name);
	assert_int_equal(count_files(other.ptr), before);
	assert_int_equal(unlink(mine.ptr), 0);
	assert_int_equal(rename(other.ptr, mine.ptr), 0);
}

/* A folder of loose objects that there is. */
static void loose_folder(struct gitrepo *r, struct str *out)
{
	struct object_id blob = loose_blob(r, "one of another repository");
	char digits[OBJECT_ID_DIGITS + 1];

	object_id_text(&blob, digits);
	str_printf(out, "objects/%.2s", digits);
}

static void test_folders_that_are_links_are_not_entered(void **state)
{
	static const char *const names[] = {"objects", "objects/pack", "objects/info",   "refs",
					    "logs",    "refs/heads",   "logs/refs/heads"};
	struct gitrepo *r = *state;
	STR_AUTO folder = STR_INIT;

	gitrepo_record(r, "a.json", "1", "first\n");
	loose_folder(r, &folder);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		check_link(r, names[i]);
	check_link(r, folder.ptr);
	assert_int_equal(run(r), 0);
}

static void test_a_repository_that_is_elsewhere_is_not_entered(void **state)
{
	struct gitrepo *r = *state;
	size_t before;

	gitrepo_record(r, "a.json", "1", "first\n");
	before = count_files(r->dir.path);
	tmpdir_write(&r->dir, ".git/objects/info/alternates", "/nowhere\n");
	check_refused(r, "objects/info/alternates");
	assert_int_equal(unlinkat(r->dir.fd, ".git/objects/info/alternates", 0), 0);
	assert_int_equal(renameat(r->dir.fd, ".git", r->dir.fd, "real"), 0);
	assert_int_equal(symlinkat("real", r->dir.fd, ".git"), 0);
	check_refused(r, "/.git leads");
	assert_int_equal(unlinkat(r->dir.fd, ".git", 0), 0);
	tmpdir_write(&r->dir, ".git", "gitdir: real\n");
	check_refused(r, "/.git leads");
	assert_int_equal(unlinkat(r->dir.fd, ".git", 0), 0);
	assert_int_equal(mkdirat(r->dir.fd, ".git", 0700), 0);
	tmpdir_write(&r->dir, ".git/commondir", "../real\n");
	tmpdir_write(&r->dir, ".git/gitdir", ".git\n");
	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/main\n");
	check_refused(r, "/.git leads");
	assert_int_equal(count_files(r->dir.path), before + 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_what_nothing_refers_to_goes),
		TEST(test_an_empty_repository),
		TEST(test_what_reflogs_and_tags_lead_to_stays),
		TEST(test_packs_that_are_marked_stay),
		TEST(test_folders_that_are_links_are_not_entered),
		TEST(test_a_repository_that_is_elsewhere_is_not_entered),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
