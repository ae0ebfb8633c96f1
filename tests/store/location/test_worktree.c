#include "store/location/worktree.h"

#include "store/location/location.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795249800123)
#define OWN_PLACE "/h/.local/share/kota_memory"

static struct tmpdir dir;

static bool git_runs(const char *script)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "exec >/dev/null 2>&1; export HOME=%s GIT_CONFIG_NOSYSTEM=1 "
		   "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a "
		   "GIT_COMMITTER_EMAIL=a; cd %s && %s",
		   dir.path, dir.path, script);
	return system(command.ptr) == 0;
}

static void git(const char *script)
{
	if (!git_runs(script))
		fail_msg("%s", script);
}

/* "main" is a work tree with a store that is not tracked, "linked" is linked to it. */
static void make_work_trees(void)
{
	if (!git_runs("git --version")) {
		print_message("skipped: needs git (package git)\n");
		skip();
	}
	git("git init -q main && cd main && touch file && git add file && git commit -qm a && "
	    "mkdir -p data/kota_memory && touch data/kota_memory/.kota && "
	    "git worktree add -q ../linked && mkdir ../linked/src");
}

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
	assert_int_equal(chdir("/"), 0);
	tmpdir_remove(&dir);
	fake_sys_release();
	return 0;
}

static const char *home_alone(const char *name)
{
	return strcmp(name, "HOME") == 0 ? "/h" : NULL;
}

/* The place that is found from a folder. */
static struct place find_from(const char *folder)
{
	struct place place;
	struct err err;

	assert_int_equal(fchdir(dir.fd), 0);
	assert_int_equal(chdir(folder), 0);
	if (place_find(&place, fake_sys(), home_alone, NULL, &err) != 0)
		fail_msg("%s: %s", folder, err.text);
	return place;
}

static void finds_in(const char *folder, const char *path, enum place_kind kind)
{
	char whole[PATH_MAX + 64];
	struct place place = find_from(folder);

	snprintf(whole, sizeof whole, "%s/%s", dir.path, path);
	assert_string_equal(place.path, path[0] == '.' || path[0] == '/' ? path : whole);
	assert_int_equal(place.kind, kind);
	place_release(&place);
}

static void has_own_place(const char *folder)
{
	finds_in(folder, OWN_PLACE, PLACE_PERSONAL);
}

static void finds_the_store_of_the_main_work_tree(void **state)
{
	char path[PATH_MAX + 8];
	struct place place;

	(void)state;
	make_work_trees();
	finds_in("linked", "main/data/kota_memory", PLACE_MAIN_WORKTREE);
	finds_in("linked/src", "main/data/kota_memory", PLACE_MAIN_WORKTREE);
	place = find_from("linked/src");
	assert_string_equal(place.why, "the main work tree has it");
	snprintf(path, sizeof path, "%s/main", dir.path);
	assert_string_equal(place.root, path);
	snprintf(path, sizeof path, "%s/linked", dir.path);
	assert_string_equal(place.project, path);
	place_release(&place);
	git("mkdir -p linked/data/kota_memory");
	finds_in("linked", "./data/kota_memory", PLACE_PROJECT);
	finds_in("main", "./data/kota_memory", PLACE_PROJECT);
}

/* What the repository tracks belongs into each work tree, and may be missing on purpose. */
static void passes_over_a_store_that_is_tracked(void **state)
{
	struct place_survey survey = {0};
	struct place place;
	struct err err;

	(void)state;
	make_work_trees();
	git("cd main && git add -f data/kota_memory/.kota");
	has_own_place("linked");
	assert_int_equal(place_survey(&place, &survey, fake_sys(), home_alone, NULL, &err), 0);
	assert_string_equal(survey.items[5].what, "the main work tree");
	assert_string_equal(survey.items[5].verdict, "its repository tracks its data/kota_memory");
	place_survey_release(&survey);
	place_release(&place);
	git("cd main && git rm -q --cached data/kota_memory/.kota");
	finds_in("linked", "main/data/kota_memory", PLACE_MAIN_WORKTREE);
	/* An index that nobody understands may name anything. */
	tmpdir_write(&dir, "main/.git/index", "DIRC nonsense that is no index at all");
	assert_int_equal(place_find(&place, fake_sys(), home_alone, NULL, &err), -1);
	assert_non_null(strstr(err.text, "/main/.git (--dir "));
}

static void has_none_where_the_main_work_tree_has_none(void **state)
{
	(void)state;
	make_work_trees();
	git("rm -r main/data");
	has_own_place("linked");
	git("mkdir main/data && ln -s ../elsewhere main/data/kota_memory");
	{
		struct place place;
		struct err err;

		assert_int_equal(place_find(&place, fake_sys(), home_alone, NULL, &err), -1);
		assert_non_null(strstr(err.text, "main/data/kota_memory is a link: "));
	}
}

/* Without the way back anybody could name anybody's work tree. */
static void does_not_believe_a_forged_pointer(void **state)
{
	static const char *const forged[] = {
		"gitdir: %s/main/.git/worktrees/linked\n",
		"gitdir: ../main/.git/worktrees/linked\n",
		"gitdir: ../main/.git/worktrees/../worktrees/linked\n",
		"gitdir: %s/main/.git/worktrees/none\n",
		"gitdir: %s/main/.git\n",
		"gitdir: \n",
		"",
	};

	(void)state;
	make_work_trees();
	git("mkdir -p clone/src");
	for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
		STR_AUTO text = STR_INIT;
		const char *hole = strstr(forged[i], "%s");

		str_add(&text, slice_make(forged[i],
					  hole ? (size_t)(hole - forged[i]) : strlen(forged[i])));
		if (hole)
			str_printf(&text, "%s%s", dir.path, hole + 2);
		tmpdir_write(&dir, "clone/.git", text.ptr);
		has_own_place("clone");
		has_own_place("clone/src");
	}
	/* A link to a file that is believed is another file. */
	assert_int_equal(unlinkat(dir.fd, "clone/.git", 0), 0);
	assert_int_equal(symlinkat("../linked/.git", dir.fd, "clone/.git"), 0);
	has_own_place("clone");
}

static void says_what_it_does_not_believe(void **state)
{
	struct worktree worktree;
	char root[PATH_MAX + 8];
	struct err err;

	(void)state;
	make_work_trees();
	git("mkdir clone && cp linked/.git clone/.git");
	snprintf(root, sizeof root, "%s/clone", dir.path);
	assert_int_equal(worktree_find(&worktree, fake_sys(), root, &err), 0);
	assert_string_equal(worktree.doubts, "it does not know this work tree");
	worktree_release(&worktree);
	snprintf(root, sizeof root, "%s/linked", dir.path);
	assert_int_equal(worktree_find(&worktree, fake_sys(), root, &err), 0);
	assert_null(worktree.doubts);
	worktree_release(&worktree);
	assert_null(worktree.main);
}

/* git worktree add --relative-paths */
static void reads_relative_pointers(void **state)
{
	(void)state;
	make_work_trees();
	tmpdir_write(&dir, "linked/.git", "gitdir: ../main/.git/worktrees/linked\n");
	tmpdir_write(&dir, "main/.git/worktrees/linked/gitdir", "../../../../linked/.git\n");
	finds_in("linked/src", "main/data/kota_memory", PLACE_MAIN_WORKTREE);
}

static void does_not_wait_for_a_pointer(void **state)
{
	(void)state;
	make_work_trees();
	git("cd main/.git/worktrees/linked && rm gitdir && mkfifo gitdir");
	has_own_place("linked");
	git("cd main/.git/worktrees/linked && rm gitdir && head -c 100000 /dev/zero >gitdir");
	has_own_place("linked");
	git("cd main/.git/worktrees/linked && rm gitdir && ln -s /dev/stdin gitdir");
	has_own_place("linked");
}

/* A bare repository has no main work tree, a submodule's is not the surrounding one. */
static void knows_what_is_no_linked_work_tree(void **state)
{
	(void)state;
	make_work_trees();
	git("git clone -q --bare main bare.git && mkdir -p data/kota_memory && "
	    "cd bare.git && git worktree add -q ../of_bare");
	has_own_place("of_bare");
	git("cd main && git -c protocol.file.allow=always submodule add -q ../bare.git sub && "
	    "git commit -qm b && cd sub && mkdir src");
	has_own_place("main/sub");
	has_own_place("main/sub/src");
	git("cd main/sub && git worktree add -q ../../of_sub");
	has_own_place("of_sub");
}

static void never_crosses_an_owner(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: only root can give folders to another user\n");
		skip();
	}
	make_work_trees();
	assert_int_equal(fchownat(dir.fd, "main", 12345, 12345, 0), 0);
	has_own_place("linked");
	assert_int_equal(fchownat(dir.fd, "linked", 12345, 12345, 0), 0);
	has_own_place("linked");
	assert_int_equal(fchownat(dir.fd, "main/.git/worktrees/linked", 12345, 12345, 0), 0);
	finds_in("linked", "main/data/kota_memory", PLACE_MAIN_WORKTREE);
}

/* Whatever cannot be seen: that store, or an error, and never another store. */
static void does_not_choose_another_store_after_a_failure(void **state)
{
	static const int numbers[] = {EIO, ENOMEM};
	unsigned failures = 0;

	(void)state;
	make_work_trees();
	assert_int_equal(chdir(dir.path), 0);
	assert_int_equal(chdir("linked/src"), 0);
	for (unsigned n = 1;; n++) {
		struct place place = {0};
		struct err err;
		int result;

		fake_sys_reset(NOW);
		fake_sys_fail(FAKE_ANY, n, numbers[n % 2], FAKE_ONCE);
		result = place_find(&place, fake_sys(), home_alone, NULL, &err);
		if (result == 0 && !strstr(place.path, "/main/data/kota_memory"))
			fail_msg("with call %u failing: %s", n, place.path);
		failures += result != 0;
		place_release(&place);
		if (fake_sys_hits() == 0)
			break;
	}
	assert_true(failures >= 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(finds_the_store_of_the_main_work_tree),
		TEST(passes_over_a_store_that_is_tracked),
		TEST(has_none_where_the_main_work_tree_has_none),
		TEST(does_not_believe_a_forged_pointer),
		TEST(says_what_it_does_not_believe),
		TEST(reads_relative_pointers),
		TEST(does_not_wait_for_a_pointer),
		TEST(knows_what_is_no_linked_work_tree),
		TEST(never_crosses_an_owner),
		TEST(does_not_choose_another_store_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
