#include "git/index_names.h"

#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define STORE "data/kota_memory"

static bool git_runs(const struct tmpdir *dir, const char *script)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "exec >/dev/null 2>&1; export HOME=%s GIT_CONFIG_NOSYSTEM=1; cd %s && %s",
		   dir->path, dir->path, script);
	return system(command.ptr) == 0;
}

static void git(const struct tmpdir *dir, const char *script)
{
	if (!git_runs(dir, script))
		fail_msg("%s", script);
}

static bool named(const struct tmpdir *dir, const char *path)
{
	STR_AUTO git_dir = STR_INIT;
	struct err err;
	bool found;
	bool answer;

	if (index_git_dir(sys_real(), dir->path, &git_dir, &found, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(found);
	if (index_names_below(sys_real(), git_dir.ptr, path, &answer, &err) != 0)
		fail_msg("%s", err.text);
	return answer;
}

static int setup(void **state)
{
	static struct tmpdir dir;

	tmpdir_make(&dir);
	*state = &dir;
	return 0;
}

static int teardown(void **state)
{
	tmpdir_remove(*state);
	return 0;
}

#define NEEDS_GIT(dir)                                                                             \
	do {                                                                                       \
		if (!git_runs(dir, "git --version")) {                                             \
			print_message("skipped: needs git (package git)\n");                       \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* Names that sort around the store's, so that an early end would show. */
static const char files[] = "mkdir -p data/kota_memory data/kota data/kota_memory2 a z && "
			    "touch a/x data/kota/x data/kota_memory-x data/kota_memory2/x z/x "
			    "data/zz && git init -q . && ";

static void check_version(struct tmpdir *dir, const char *before, const char *after)
{
	STR_AUTO script = STR_INIT;

	str_printf(&script, "%s%s git add -A && %s", files, before, after);
	git(dir, script.ptr);
	assert_false(named(dir, STORE));
	assert_true(named(dir, "data"));
	assert_true(named(dir, "data/kota"));
	assert_true(named(dir, "data/zz"));
	assert_true(named(dir, "z"));
	assert_false(named(dir, "zz"));
	git(dir, "touch data/kota_memory/state.json && git add -A");
	assert_true(named(dir, STORE));
	assert_false(named(dir, STORE "/stat"));
}

static void test_version_2(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	check_version(dir, "", "true");
}

static void test_version_3(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	check_version(dir, "", "touch aa zzz && git add -N aa zzz");
}

static void test_version_4(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	check_version(dir, "git config index.version 4 &&", "git update-index --index-version 4");
}

static void test_sha256(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	if (!git_runs(dir, "git init -q --object-format=sha256 .")) {
		print_message("skipped: this git has no sha256\n");
		skip();
	}
	check_version(dir, "", "true");
}

static void test_split_index(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	check_version(dir, "git config core.splitIndex true &&", "git update-index --split-index");
	git(dir, "git update-index --no-split-index && git update-index --split-index && "
		 "touch b && git add b");
	assert_true(named(dir, STORE));
}

/* A folder that a sparse checkout leaves out stands in the index as one name with a slash. */
static void test_sparse_index(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	git(dir,
	    "mkdir -p data/kota_memory a && touch a/x data/kota_memory/state.json && "
	    "git init -q . && git add -A && git -c user.name=a -c user.email=a commit -qm a && "
	    "git sparse-checkout set --cone --sparse-index a");
	assert_true(named(dir, STORE));
	assert_false(named(dir, "b"));
}

static void test_a_submodule_is_at_the_path(void **state)
{
	struct tmpdir *dir = *state;

	NEEDS_GIT(dir);
	git(dir, "mkdir -p data/kota_memory && git init -q . && git init -q data/kota_memory && "
		 "cd data/kota_memory && touch x && git add x && "
		 "git -c user.name=a -c user.email=a commit -qm a && cd ../.. && "
		 "git add data/kota_memory");
	assert_true(named(dir, STORE));
}

static int collect(void *context, struct slice below)
{
	struct str *names = context;

	str_add(names, below);
	str_addc(names, ';');
	return 0;
}

static void test_what_is_below(void **state)
{
	struct tmpdir *dir = *state;
	STR_AUTO git_dir = STR_INIT;
	STR_AUTO names = STR_INIT;
	struct err err;

	NEEDS_GIT(dir);
	git(dir, "mkdir -p data/kota_memory/notes && cd data/kota_memory && "
		 "touch .journal notes/a.md usage.jsonl && cd ../.. && git init -q . && "
		 "git add -fA");
	str_printf(&git_dir, "%s/.git", dir->path);
	assert_int_equal(index_names_walk(sys_real(), git_dir.ptr, STORE, collect, &names, &err),
			 0);
	assert_string_equal(names.ptr, ".journal;notes/a.md;usage.jsonl;");
}

static void test_no_index_names_nothing(void **state)
{
	struct tmpdir *dir = *state;

	mkdirat(dir->fd, ".git", 0700);
	assert_false(named(dir, STORE));
}

static void check_refused(struct tmpdir *dir, const char *git_dir_name)
{
	STR_AUTO git_dir = STR_INIT;
	struct err err;
	bool answer;

	str_printf(&git_dir, "%s/%s", dir->path, git_dir_name);
	assert_int_equal(index_names_below(sys_real(), git_dir.ptr, STORE, &answer, &err), -1);
	assert_int_equal(err.code, ERR_BAD_DATA);
}

/* Whoever asks takes these for an index that names everything, so they may not pass for empty. */
static void test_what_is_no_index_is_an_error(void **state)
{
	struct tmpdir *dir = *state;

	mkdirat(dir->fd, ".git", 0700);
	tmpdir_write(dir, ".git/index", "");
	check_refused(dir, ".git");
	tmpdir_write(dir, ".git/index", "DIRC");
	check_refused(dir, ".git");
	tmpdir_write_slice(dir, ".git/index", slice_make("DIRC\0\0\0\2\0\0\0\1tooshort", 20));
	check_refused(dir, ".git");
	unlinkat(dir->fd, ".git/index", 0);
	mkfifoat(dir->fd, ".git/index", 0600);
	check_refused(dir, ".git");
}

static void test_a_git_file_leads_to_the_folder(void **state)
{
	struct tmpdir *dir = *state;
	STR_AUTO git_dir = STR_INIT;
	STR_AUTO expected = STR_INIT;
	struct err err;
	bool found;

	tmpdir_write(dir, ".git", "gitdir: ../else/where\n");
	assert_int_equal(index_git_dir(sys_real(), dir->path, &git_dir, &found, &err), 0);
	assert_true(found);
	str_printf(&expected, "%s/../else/where", dir->path);
	assert_string_equal(git_dir.ptr, expected.ptr);
	tmpdir_write(dir, ".git", "gitdir: /abs\r\n");
	assert_int_equal(index_git_dir(sys_real(), dir->path, &git_dir, &found, &err), 0);
	assert_string_equal(git_dir.ptr, "/abs");
	tmpdir_write(dir, ".git", "something else");
	assert_int_equal(index_git_dir(sys_real(), dir->path, &git_dir, &found, &err), -1);
	unlinkat(dir->fd, ".git", 0);
	mkfifoat(dir->fd, ".git", 0600);
	assert_int_equal(index_git_dir(sys_real(), dir->path, &git_dir, &found, &err), -1);
	unlinkat(dir->fd, ".git", 0);
	assert_int_equal(index_git_dir(sys_real(), dir->path, &git_dir, &found, &err), 0);
	assert_false(found);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_version_2),
		TEST(test_version_3),
		TEST(test_version_4),
		TEST(test_sha256),
		TEST(test_split_index),
		TEST(test_sparse_index),
		TEST(test_a_submodule_is_at_the_path),
		TEST(test_what_is_below),
		TEST(test_no_index_names_nothing),
		TEST(test_what_is_no_index_is_an_error),
		TEST(test_a_git_file_leads_to_the_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
