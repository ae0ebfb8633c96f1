#include "git/gitrepo.h"

#include "base/sys.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_folder(const struct tmpdir *dir, const char *name)
{
	assert_int_equal(mkdirat(dir->fd, name, 0700), 0);
}

static void path_in(char out[PATH_MAX], const struct tmpdir *dir, const char *name)
{
	STR_AUTO path = STR_INIT;

	str_printf(&path, "%s/%s", dir->path, name);
	assert_true(path.len < PATH_MAX);
	memcpy(out, path.ptr, path.len + 1);
}

static void test_absent_is_told_from_unreadable(void **state)
{
	struct gitrepo *r = *state;
	char path[PATH_MAX];
	struct repo *repo;
	struct err err;

	make_folder(&r->dir, "none");
	make_folder(&r->dir, "broken");
	make_folder(&r->dir, "broken/.git");
	path_in(path, &r->dir, "none");
	assert_int_equal(repo_open(&repo, sys_real(), path, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	path_in(path, &r->dir, "broken");
	assert_int_equal(repo_open(&repo, sys_real(), path, &err), -1);
	assert_int_equal(err.code, ERR_NO_HISTORY);
}

/* Whoever opens a FIFO to read it waits for ever. */
static void test_a_fifo_is_refused_at_once(void **state)
{
	static const char *const names[] = {".git/HEAD", ".git/config", ".git/index",
					    ".git/refs/heads/main"};
	struct gitrepo *r = *state;
	struct repo *repo;
	struct err err;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		renameat(r->dir.fd, names[i], r->dir.fd, "aside");
		assert_int_equal(mkfifoat(r->dir.fd, names[i], 0600), 0);
		assert_int_equal(repo_open(&repo, sys_real(), r->dir.path, &err), -1);
		assert_int_equal(err.code, ERR_NO_HISTORY);
		assert_non_null(strstr(err.text, "is not a regular file"));
		assert_int_equal(unlinkat(r->dir.fd, names[i], 0), 0);
		renameat(r->dir.fd, "aside", r->dir.fd, names[i]);
	}
	assert_int_equal(repo_open(&repo, sys_real(), r->dir.path, &err), 0);
	repo_close(repo);
}

static void test_a_new_one_is_ours_and_leaves_no_nursery(void **state)
{
	struct gitrepo *r = *state;
	struct object_id head;
	struct err err;

	assert_true(repo_is_ours(r->repo));
	assert_false(tmpdir_has(&r->dir, ".git.new"));
	assert_string_equal(repo_branch(r->repo), "refs/heads/main");
	assert_int_equal(repo_head(r->repo, &head, &err), 0);
	assert_true(object_id_is_none(&head));
}

static void test_a_nursery_left_by_a_kill_is_begun_anew(void **state)
{
	struct gitrepo *r = *state;
	char path[PATH_MAX];
	struct repo *repo;
	struct err err;

	make_folder(&r->dir, "store");
	make_folder(&r->dir, "store/.git.new");
	make_folder(&r->dir, "store/.git.new/.git");
	tmpdir_write(&r->dir, "store/.git.new/.git/HEAD", "ref: refs/hea");
	tmpdir_write(&r->dir, "store/.git.new/.git/config.lock", "");
	path_in(path, &r->dir, "store");
	if (repo_create(&repo, sys_real(), path, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(repo_branch(repo), "refs/heads/main");
	repo_close(repo);
	assert_false(tmpdir_has(&r->dir, "store/.git.new"));
}

static void test_blobs(void **state)
{
	struct gitrepo *r = *state;
	struct object_id named;
	struct object_id written;
	STR_AUTO text = STR_INIT;
	struct err err;

	assert_int_equal(repo_blob_id(r->repo, slice_of("hello\n"), &named, &err), 0);
	assert_false(repo_has(r->repo, &named));
	assert_int_equal(repo_blob_write(r->repo, slice_of("hello\n"), &written, &err), 0);
	assert_true(object_id_equal(&named, &written));
	assert_true(repo_has(r->repo, &named));
	assert_int_equal(repo_blob_read(r->repo, &named, &text, &err), 0);
	assert_string_equal(text.ptr, "hello\n");
}

static void test_changes_are_found_by_a_few_digits(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "{}\n", "one\n");
	char text[OBJECT_ID_DIGITS + 1];
	struct object_id found;
	struct err err;

	object_id_text(&first, text);
	assert_int_equal(repo_resolve(r->repo, slice_make(text, 7), &found, &err), 0);
	assert_true(object_id_equal(&first, &found));
	assert_int_equal(repo_resolve(r->repo, slice_of("HEAD"), &found, &err), 0);
	assert_int_equal(repo_resolve(r->repo, slice_of("nonsense"), &found, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void test_the_person_is_who_git_says(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO name = STR_INIT;
	STR_AUTO email = STR_INIT;

	assert_false(repo_person(r->repo, &name, &email));
	tmpdir_write(&r->dir, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n");
	assert_true(repo_person(r->repo, &name, &email));
	assert_string_equal(name.ptr, "Ada");
	assert_string_equal(email.ptr, "ada@example.org");
}

static void test_a_repository_around_the_store(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO workdir = STR_INIT;
	char path[PATH_MAX];
	bool ignored;
	struct err err;

	make_folder(&r->dir, "data");
	make_folder(&r->dir, "data/store");
	path_in(path, &r->dir, "data/store");
	assert_int_equal(repo_around(sys_real(), path, &workdir, &ignored, &err), 0);
	assert_true(workdir.len > 0);
	assert_false(ignored);
	tmpdir_write(&r->dir, ".gitignore", "data/store/\n");
	assert_int_equal(repo_around(sys_real(), path, &workdir, &ignored, &err), 0);
	assert_true(ignored);
	assert_int_equal(repo_around(sys_real(), r->dir.path, &workdir, &ignored, &err), 0);
	assert_int_equal(workdir.len, 0);
}

static void test_ids_as_text(void **state)
{
	struct object_id id;
	char text[OBJECT_ID_DIGITS + 1];

	(void)state;
	assert_true(object_id_parse(slice_of("0123456789abcdef0123456789abcdef01234567"), &id));
	object_id_text(&id, text);
	assert_string_equal(text, "0123456789abcdef0123456789abcdef01234567");
	assert_false(object_id_parse(slice_of("0123456789abcdef"), &id));
	assert_false(object_id_parse(slice_of("g123456789abcdef0123456789abcdef01234567"), &id));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_absent_is_told_from_unreadable),
		TEST(test_a_fifo_is_refused_at_once),
		TEST(test_a_new_one_is_ours_and_leaves_no_nursery),
		TEST(test_a_nursery_left_by_a_kill_is_begun_anew),
		TEST(test_blobs),
		TEST(test_changes_are_found_by_a_few_digits),
		TEST(test_the_person_is_who_git_says),
		TEST(test_a_repository_around_the_store),
		TEST(test_ids_as_text),
	};

	return cmocka_run_group_tests_name("repo", tests, NULL, NULL);
}
