#include "git/guard.h"

#include "git/gitrepo.h"

#include "base/file.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer than any test takes: whoever waits for a FIFO waits for ever. */
#define PATIENCE_S 60

static void folder(const struct gitrepo *r, const char *name)
{
	assert_int_equal(mkdirat(r->dir.fd, name, 0700), 0);
}

/* The repository of the test is the store's own, or the one around a store at data/store. */
static void nest(const struct gitrepo *r)
{
	folder(r, "data");
	folder(r, "data/store");
}

/* Both ways to open a repository, the first where it is the store's own, the second around one. */
static void check_open(struct gitrepo *r, bool around, const char *named)
{
	STR_AUTO store = STR_INIT;
	STR_AUTO workdir = STR_INIT;
	struct repo *repo = NULL;
	bool ignored;
	struct err err;
	int result;

	str_printf(&store, "%s/data/store", r->dir.path);
	err_clear(&err);
	result = around ? repo_around(sys_real(), store.ptr, &workdir, &ignored, &err)
			: repo_open(&repo, sys_real(), r->dir.path, &err);
	repo_close(repo);
	if (!named) {
		if (result != 0)
			fail_msg("%s", err.text);
		return;
	}
	if (result == 0)
		fail_msg("%s was not refused", named);
	assert_int_equal(err.code, ERR_NO_HISTORY);
	if (!strstr(err.text, named))
		fail_msg("%s is not named: %s", named, err.text);
}

static void check_both(struct gitrepo *r, const char *named)
{
	check_open(r, false, named);
	check_open(r, true, named);
}

/* A FIFO, and a link to a device, in place of what is there, which comes back. */
static void check_fifo(struct gitrepo *r, const char *name, bool own, bool around)
{
	bool there = renameat(r->dir.fd, name, r->dir.fd, "aside") == 0;

	for (int step = 0; step < 2; step++) {
		assert_int_equal(step == 0 ? mkfifoat(r->dir.fd, name, 0600)
					   : symlinkat("/dev/zero", r->dir.fd, name),
				 0);
		if (own)
			check_open(r, false, name);
		if (around)
			check_open(r, true, name);
		assert_int_equal(unlinkat(r->dir.fd, name, 0), 0);
	}
	if (there)
		assert_int_equal(renameat(r->dir.fd, "aside", r->dir.fd, name), 0);
}

static void test_a_fifo_or_a_device_in_any_place(void **state)
{
	static const char *const names[] = {
		".git/HEAD",
		".git/config",
		".git/config.worktree",
		".git/index",
		".git/packed-refs",
		".git/commondir",
		".git/gitdir",
		".git/shallow",
		".git/refs/heads/main",
		".git/logs/HEAD",
		".git/logs/refs/heads/main",
		".git/info/exclude",
		".git/info/attributes",
		".git/info/grafts",
		".git/objects/info/alternates",
		".git/objects/info/commit-graph",
		".git/objects/pack/multi-pack-index",
		".git/objects/pack/pack-1.idx",
		".git/objects/pack/pack-1.pack",
		".gitignore",
	};
	struct gitrepo *r = *state;

	nest(r);
	gitrepo_record(r, "a.json", "1", "first\n");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		check_fifo(r, names[i], true, true);
	folder(r, "notes");
	folder(r, "archive.cold");
	check_fifo(r, "notes/.gitignore", true, false);
	check_fifo(r, "archive.cold/.gitignore", true, false);
	check_fifo(r, "data/.gitignore", false, true);
	check_fifo(r, "data/store/.gitignore", false, true);
	check_both(r, NULL);
}

static void config(struct gitrepo *r, const char *more)
{
	static const char begin[] = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
	STR_AUTO text = STR_INIT;

	str_printf(&text, "%s%s", begin, more);
	tmpdir_write(&r->dir, ".git/config", text.ptr);
}

static void test_what_the_configuration_leads_to(void **state)
{
	struct gitrepo *r = *state;

	nest(r);
	assert_int_equal(mkfifoat(r->dir.fd, "fifo", 0600), 0);
	folder(r, "tree");
	assert_int_equal(mkfifoat(r->dir.fd, "tree/.gitignore", 0600), 0);
	config(r, "[include]\n\tpath = ../fifo\n");
	check_both(r, "fifo");
	config(r, "[includeIf \"gitdir:/nowhere/\"]\n\tpath = ~/fifo\n");
	check_both(r, "fifo");
	tmpdir_write(&r->dir, "one", "[include]\n\tpath = two\n");
	tmpdir_write(&r->dir, "two", "[core]\n\texcludesFile = ~/fifo\n");
	config(r, "[include]\n\tpath = ../one\n");
	check_both(r, "fifo");
	config(r, "\tattributesFile = ~/fifo\n");
	check_both(r, "fifo");
	config(r, "\tworktree = ../tree\n");
	check_both(r, "tree/.gitignore");
	tmpdir_write(&r->dir, "two", "[include]\n\tpath = one\n");
	config(r, "[include]\n\tpath = ../one\n");
	check_both(r, "too deep");
	config(r, "[include\n");
	check_both(r, "cannot be understood");
	config(r, "[include]\n\tpath = ../absent\n");
	check_both(r, NULL);
}

static void write_long(struct gitrepo *r, const char *name, size_t len)
{
	struct str text = STR_INIT;

	str_printf(&text, "%*s", (int)len, "");
	text.ptr[len - 1] = '\n';
	tmpdir_write_slice(&r->dir, name, str_slice(&text));
	str_release(&text);
}

static void test_what_is_too_large(void **state)
{
	static const char *const names[] = {".git/info/exclude", ".git/info/attributes",
					    ".gitignore"};
	struct gitrepo *r = *state;

	nest(r);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		write_long(r, names[i], (size_t)1 << 20);
		check_both(r, NULL);
		write_long(r, names[i], ((size_t)1 << 20) + 1);
		check_both(r, names[i]);
		assert_int_equal(unlinkat(r->dir.fd, names[i], 0), 0);
	}
	write_long(r, ".git/packed-refs", (size_t)2 << 20);
	tmpdir_write(&r->dir, ".git/packed-refs", "# pack-refs with: peeled\n");
	check_both(r, NULL);
}

static void test_objects_that_are_borrowed(void **state)
{
	struct gitrepo *r = *state;

	nest(r);
	folder(r, "other");
	folder(r, "other/info");
	folder(r, "other/pack");
	tmpdir_write(&r->dir, ".git/objects/info/alternates", "# a word\n../../other\n");
	check_both(r, NULL);
	assert_int_equal(mkfifoat(r->dir.fd, "other/info/alternates", 0600), 0);
	check_both(r, "other/info/alternates");
	assert_int_equal(unlinkat(r->dir.fd, "other/info/alternates", 0), 0);
	folder(r, "other/info/alternates");
	check_both(r, "other/info/alternates is not a regular file");
	assert_int_equal(unlinkat(r->dir.fd, "other/info/alternates", AT_REMOVEDIR), 0);
	assert_int_equal(mkfifoat(r->dir.fd, "other/pack/pack-1.idx", 0600), 0);
	check_both(r, "other/pack/pack-1.idx");
	assert_int_equal(unlinkat(r->dir.fd, "other/pack/pack-1.idx", 0), 0);
	tmpdir_write(&r->dir, "other/info/alternates", "../other\n");
	check_both(r, "too deep");
}

/* A file that names the repository, as in a linked work tree or a submodule. */
static void test_a_file_in_place_of_the_folder(void **state)
{
	struct gitrepo *r = *state;

	nest(r);
	assert_int_equal(renameat(r->dir.fd, ".git", r->dir.fd, "real"), 0);
	tmpdir_write(&r->dir, ".git", "gitdir: real\n");
	check_both(r, NULL);
	check_fifo(r, "real/info/exclude", true, true);
	check_fifo(r, ".git", true, true);
	write_long(r, ".git", ((size_t)1 << 20) + 1);
	check_both(r, ".git has more");
	assert_int_equal(unlinkat(r->dir.fd, ".git", 0), 0);
	folder(r, ".git");
	tmpdir_write(&r->dir, ".git/commondir", "../real\n");
	tmpdir_write(&r->dir, ".git/HEAD", "ref: refs/heads/main\n");
	check_fifo(r, "real/config", true, true);
}

/* What is the person's own is not looked at, and what is above a repository is not reached. */
static void test_what_is_trusted(void **state)
{
	struct gitrepo *r = *state;

	nest(r);
	write_long(r, "patterns", (size_t)2 << 20);
	tmpdir_write(&r->dir, ".gitconfig", "[core]\n\texcludesFile = ~/patterns\n");
	check_both(r, NULL);
}

static int set_up(void **state)
{
	alarm(PATIENCE_S);
	return gitrepo_set_up(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_a_fifo_or_a_device_in_any_place),
		TEST(test_what_the_configuration_leads_to),
		TEST(test_what_is_too_large),
		TEST(test_objects_that_are_borrowed),
		TEST(test_a_file_in_place_of_the_folder),
		TEST(test_what_is_trusted),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
