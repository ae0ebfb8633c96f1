#include "git/write/tip.h"

#include "git/gitrepo.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <unistd.h>

static void remove_object(struct gitrepo *r, const struct object_id *id)
{
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO path = STR_INIT;

	object_id_text(id, digits);
	str_printf(&path, ".git/objects/%.2s/%s", digits, digits + 2);
	assert_int_equal(unlinkat(r->dir.fd, path.ptr, 0), 0);
}

/* As another process finds it. */
static void reopen(struct gitrepo *r)
{
	struct err err;

	repo_close(r->repo);
	assert_int_equal(repo_open(&r->repo, sys_real(), r->dir.path, &err), 0);
}

static void check_mended(struct gitrepo *r, const struct object_id *expected)
{
	struct object_id head;
	struct err err;
	bool mended;

	reopen(r);
	assert_false(tip_is_whole(r->repo, &err));
	if (tip_mend(r->repo, &mended, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(mended);
	reopen(r);
	assert_true(tip_is_whole(r->repo, &err));
	assert_int_equal(repo_head(r->repo, &head, &err), 0);
	assert_true(object_id_equal(&head, expected));
	gitrepo_record(r, "c.json", "[3]\n", "three\n");
}

static void test_a_whole_branch_is_left_alone(void **state)
{
	struct gitrepo *r = *state;
	struct err err;
	bool mended;

	assert_true(tip_is_whole(r->repo, &err));
	gitrepo_record(r, "a.json", "{}\n", "one\n");
	assert_true(tip_is_whole(r->repo, &err));
	assert_int_equal(tip_mend(r->repo, &mended, &err), 0);
	assert_false(mended);
}

static void test_the_reflog_knows_the_last_whole_commit(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "[1]\n", "one\n");
	struct object_id second = gitrepo_record(r, "a.json", "[2]\n", "two\n");

	remove_object(r, &second);
	check_mended(r, &first);
}

static void test_without_a_reflog_the_objects_do(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "[1]\n", "one\n");
	struct object_id second = gitrepo_record(r, "a.json", "[2]\n", "two\n");
	struct object_id third = gitrepo_record(r, "a.json", "[3]\n", "three\n");

	assert_false(object_id_equal(&first, &second));
	remove_object(r, &third);
	assert_int_equal(unlinkat(r->dir.fd, ".git/logs/HEAD", 0), 0);
	assert_int_equal(unlinkat(r->dir.fd, ".git/logs/refs/heads/main", 0), 0);
	check_mended(r, &second);
}

/* A file of the last commit alone is gone: git can read the commit, and not what it has. */
static void test_a_commit_without_its_file_is_not_whole(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "[1]\n", "one\n");
	struct object_id second = gitrepo_record(r, "a.json", "[2]\n", "two\n");
	struct object_id blob;
	struct err err;

	assert_int_equal(repo_file_at(r->repo, &second, "a.json", &blob, &err), 0);
	remove_object(r, &blob);
	check_mended(r, &first);
}

/* As a power cut leaves it on some file systems. */
static void test_an_empty_branch_file_is_put_aside(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "[1]\n", "one\n");

	tmpdir_write(&r->dir, ".git/refs/heads/main", "");
	check_mended(r, &first);
	assert_true(tmpdir_has(&r->dir, ".git/branch.unreadable"));
}

/* What it was is known from its log; a branch that a person deletes has none. */
static void test_a_branch_that_is_gone_is_found_in_its_log(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "[1]\n", "one\n");
	struct recording *recording;
	struct err err;

	assert_int_equal(unlinkat(r->dir.fd, ".git/refs/heads/main", 0), 0);
	reopen(r);
	assert_int_not_equal(recording_begin(&recording, r->repo, &err), 0);
	assert_non_null(strstr(err.text, "refs/heads/main in "));
	assert_non_null(strstr(err.text, " is gone, and its log is there"));
	check_mended(r, &first);
	assert_int_equal(unlinkat(r->dir.fd, ".git/refs/heads/main", 0), 0);
	assert_int_equal(unlinkat(r->dir.fd, ".git/logs/refs/heads/main", 0), 0);
	reopen(r);
	assert_true(tip_is_whole(r->repo, &err));
}

/* As git gc leaves it, after which the pack was lost: no commit is left, and a new one can be made.
 */
static void test_a_packed_branch_of_which_nothing_is_left(void **state)
{
	const char *other = "0123456789012345678901234567890123456789 refs/tags/mine\n"
			    "^1123456789012345678901234567890123456789\n";
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "[1]\n", "one\n");
	const struct object_id none = {{0}};
	char digits[OBJECT_ID_DIGITS + 1];
	STR_AUTO packed = STR_INIT;
	char *text;

	object_id_text(&first, digits);
	str_printf(&packed, "# pack-refs with: peeled fully-peeled sorted \n%s refs/heads/main\n%s",
		   digits, other);
	tmpdir_write(&r->dir, ".git/packed-refs", packed.ptr);
	assert_int_equal(unlinkat(r->dir.fd, ".git/refs/heads/main", 0), 0);
	remove_object(r, &first);
	check_mended(r, &none);
	text = tmpdir_read(&r->dir, ".git/packed-refs");
	assert_null(strstr(text, "refs/heads/main"));
	assert_non_null(strstr(text, other));
	free(text);
}

static void check_head(struct gitrepo *r, const char *lost, const char *expected)
{
	char *text;
	struct err err;

	assert_int_equal(head_is_lost(sys_real(), r->dir.path, &err), lost != NULL);
	if (lost)
		assert_non_null(strstr(err.text, lost));
	assert_int_equal(head_mend(sys_real(), r->dir.path, &err), 0);
	assert_false(head_is_lost(sys_real(), r->dir.path, &err));
	text = tmpdir_read(&r->dir, ".git/HEAD");
	assert_string_equal(text, expected);
	free(text);
	reopen(r);
}

static void test_a_head_that_is_gone_is_put_on_its_branch(void **state)
{
	struct gitrepo *r = *state;
	struct err err;

	check_head(r, NULL, "ref: refs/heads/main\n");
	tmpdir_write(&r->dir, ".git/HEAD", "0123456789012345678901234567890123456789\n");
	check_head(r, NULL, "0123456789012345678901234567890123456789\n");
	assert_int_equal(unlinkat(r->dir.fd, ".git/HEAD", 0), 0);
	check_head(r, ".git/HEAD is gone", "ref: refs/heads/main\n");
	/* As some file systems leave it after a power cut. */
	tmpdir_write(&r->dir, ".git/HEAD", "");
	check_head(r, ".git/HEAD names no branch", "ref: refs/heads/main\n");
	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/mine\n");
	reopen(r);
	gitrepo_record(r, "a.json", "[1]\n", "one\n");
	tmpdir_write(&r->dir, ".git/HEAD", "nonsense\n");
	check_head(r, ".git/HEAD names no branch", "ref: refs/heads/mine\n");
	assert_true(tmpdir_has(&r->dir, ".git/HEAD.unreadable"));
	/* A repository of somebody else's is theirs. */
	assert_int_equal(unlinkat(r->dir.fd, ".git/info/kota-memory", 0), 0);
	assert_int_equal(unlinkat(r->dir.fd, ".git/HEAD", 0), 0);
	assert_false(head_is_lost(sys_real(), r->dir.path, &err));
	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/mine\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_a_whole_branch_is_left_alone),
		TEST(test_the_reflog_knows_the_last_whole_commit),
		TEST(test_without_a_reflog_the_objects_do),
		TEST(test_a_commit_without_its_file_is_not_whole),
		TEST(test_an_empty_branch_file_is_put_aside),
		TEST(test_a_branch_that_is_gone_is_found_in_its_log),
		TEST(test_a_packed_branch_of_which_nothing_is_left),
		TEST(test_a_head_that_is_gone_is_put_on_its_branch),
	};

	return cmocka_run_group_tests_name("tip", tests, NULL, NULL);
}
