#include "git/sweep.h"

#include "git/gitrepo.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_what_nothing_refers_to_goes),
		TEST(test_an_empty_repository),
		TEST(test_what_reflogs_and_tags_lead_to_stays),
		TEST(test_packs_that_are_marked_stay),
	};

	return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
