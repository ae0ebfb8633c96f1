#include "git/reads.h"

#include "git/gitrepo.h"
#include "support/fake_sys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tmpdir dir;
static struct str seen; /* a path a line, "own " before those for changing */

static void note(void *context, const char *path)
{
	(void)context;
	str_printf(&seen, "%s\n", path);
}

static void note_own(void *context, const char *path)
{
	(void)context;
	str_printf(&seen, "own %s\n", path);
}

static int set_up(void **state)
{
	(void)state;
	tmpdir_make(&dir);
	str_init(&seen);
	str_adds(&seen, "");
	fake_sys_reset(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tmpdir_remove(&dir);
	str_release(&seen);
	fake_sys_release();
	return 0;
}

static void folder(const char *name)
{
	assert_int_equal(mkdirat(dir.fd, name, 0700), 0);
}

static const char *path_of(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", dir.path, name);
	return path;
}

/* Is this line among those seen? The name begins in the directory. */
static bool has(const char *before, const char *name)
{
	STR_AUTO line = STR_INIT;
	STR_AUTO all = STR_INIT;

	str_printf(&line, "\n%s%s\n", before, path_of(name));
	str_printf(&all, "\n%s", seen.ptr);
	return strstr(all.ptr, line.ptr) != NULL;
}

#define assert_reads(name) assert_true(has("", name))
#define assert_not_read(name) assert_false(has("", name))

static void look_at_person(void)
{
	str_clear(&seen);
	str_adds(&seen, "");
	reads_of_person(fake_sys(), dir.path, NULL, note, NULL);
}

/* ---- the person's settings */

static void test_places_of_settings(void **state)
{
	(void)state;
	look_at_person();
	assert_int_equal(seen.len, 0);
	tmpdir_write(&dir, ".gitconfig", "[user]\n");
	folder(".config");
	folder(".config/git");
	folder("xdg");
	folder("xdg/git");
	look_at_person();
	assert_reads(".gitconfig");
	assert_reads(".config/git");
	str_clear(&seen);
	reads_of_person(fake_sys(), dir.path, path_of("xdg"), note, NULL);
	assert_reads(".gitconfig");
	assert_reads("xdg/git");
	assert_not_read(".config/git");
	str_clear(&seen);
	reads_of_person(fake_sys(), NULL, "", note, NULL);
	assert_int_equal(seen.len, 0);
}

static void test_files_that_settings_name(void **state)
{
	(void)state;
	tmpdir_write(&dir, ".gitconfig",
		     "[user]\n\tname = path = none\n"
		     "[include]\n\tpath = ~/mine ; a remark\n"
		     "[INCLUDE]\n  Path=\"odd \\\"name\\\" # here\"   \n"
		     "[includeIf \"gitdir:~/projects/]\"] path = work/config\n"
		     "[core]\n\texcludesFile = /ignored/by/all\n\tattributesfile = attrs\n"
		     "\teditor = vim\n"
		     "[include \"of another kind\"]\n[other]\n\tpath = not\n");
	tmpdir_write(&dir, "mine", "[include]\npath = ./deeper\n");
	tmpdir_write(&dir, "deeper", "[user]\n");
	tmpdir_write(&dir, "odd \"name\" # here", "[user]\n");
	folder("work");
	tmpdir_write(&dir, "work/config", "[user]\n");
	tmpdir_write(&dir, "not", "[user]\n");
	look_at_person();
	assert_reads("mine");
	assert_reads("./deeper");
	assert_reads("odd \"name\" # here");
	assert_reads("work/config");
	assert_reads("attrs");
	assert_non_null(strstr(seen.ptr, "\n/ignored/by/all\n"));
	assert_not_read("not");
	assert_not_read("vim");
	assert_not_read("none");
}

static void test_settings_without_an_end(void **state)
{
	(void)state;
	tmpdir_write(&dir, ".gitconfig", "[include]\npath = ~/.gitconfig\n");
	look_at_person();
	assert_reads(".gitconfig");
	tmpdir_write(&dir, ".gitconfig", "[include\npath = \n[\n[]\n=\npath\n\"\\");
	look_at_person();
	assert_reads(".gitconfig");
}

/* ---- repositories */

static void make_repository(const char *name)
{
	STR_AUTO path = STR_INIT;

	folder(name);
	str_printf(&path, "%s/objects", name);
	folder(path.ptr);
	str_adds(&path, "/pack");
	folder(path.ptr);
	str_clear(&path);
	str_printf(&path, "%s/objects/info", name);
	folder(path.ptr);
	str_clear(&path);
	str_printf(&path, "%s/HEAD", name);
	tmpdir_write(&dir, path.ptr, "ref: refs/heads/main\n");
}

static void look_around(const char *name)
{
	str_clear(&seen);
	str_adds(&seen, "");
	reads_around(fake_sys(), path_of(name), note, NULL);
}

static void test_a_folder_around(void **state)
{
	(void)state;
	folder("project");
	folder("project/data");
	folder("project/data/store");
	make_repository("project/.git");
	look_around("project/data/store");
	assert_reads("project/.git");
	assert_reads("project/.gitignore");
	assert_reads("project/data/.gitignore");
	assert_reads("project/data/.gitattributes");
	assert_not_read("project");
	assert_not_read(".gitignore");
	/* One around that. */
	make_repository(".git");
	look_around("project/data/store");
	assert_reads("project/.git");
	assert_reads(".git");
	assert_not_read(".gitignore");
	/* What is there to be served itself is not around it. */
	look_around("project");
	assert_not_read("project/.git");
}

static void test_a_linked_work_tree(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	folder("main");
	make_repository("main/.git");
	folder("main/.git/worktrees");
	folder("main/.git/worktrees/tree");
	tmpdir_write(&dir, "main/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n");
	tmpdir_write(&dir, "main/.git/worktrees/tree/commondir", "../..\n");
	folder("tree");
	folder("tree/store");
	str_printf(&text, "gitdir: %s\n", path_of("main/.git/worktrees/tree"));
	tmpdir_write(&dir, "tree/.git", text.ptr);
	look_around("tree/store");
	assert_reads("tree/.git");
	assert_reads("main/.git/worktrees/tree");
	assert_reads("main/.git/worktrees/tree/../..");
}

/* Whoever wrote the repository must not open other folders by calling them one. */
static void test_what_is_no_repository(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	folder("keys");
	tmpdir_write(&dir, "keys/id", "secret");
	folder("project");
	folder("project/store");
	str_printf(&text, "gitdir: %s\n", path_of("keys"));
	tmpdir_write(&dir, "project/.git", text.ptr);
	look_around("project/store");
	assert_not_read("keys");
	unlinkat(dir.fd, "project/.git", 0);
	make_repository("project/.git");
	str_clear(&text);
	str_printf(&text, "%s\n", path_of("keys"));
	tmpdir_write(&dir, "project/.git/objects/info/alternates", text.ptr);
	tmpdir_write(&dir, "project/.git/commondir", text.ptr);
	look_around("project/store");
	assert_reads("project/.git");
	assert_not_read("keys");
}

static void test_alternates(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	folder("project");
	folder("project/store");
	make_repository("project/.git");
	make_repository("big");
	make_repository("bigger");
	str_printf(&text, "# a remark\n%s\n", path_of("big/objects"));
	tmpdir_write(&dir, "project/.git/objects/info/alternates", text.ptr);
	tmpdir_write(&dir, "big/objects/info/alternates", "../../bigger/objects\n");
	tmpdir_write(&dir, "bigger/objects/info/alternates", "../../big/objects\n");
	look_around("project/store");
	assert_reads("big/objects");
	assert_reads("big/objects/../../bigger/objects");
	assert_not_read("big");
}

static void look_at_store(const char *name)
{
	str_clear(&seen);
	str_adds(&seen, "");
	reads_of_store(fake_sys(), path_of(name), note_own, note, NULL);
}

static void test_a_store_that_is_a_work_tree(void **state)
{
	STR_AUTO text = STR_INIT;

	(void)state;
	folder("store");
	look_at_store("store");
	assert_string_equal(seen.ptr, "");
	make_repository("elsewhere");
	str_printf(&text, "gitdir: %s\n", path_of("elsewhere"));
	tmpdir_write(&dir, "store/.git", text.ptr);
	look_at_store("store");
	assert_true(has("own ", "elsewhere"));
	unlinkat(dir.fd, "store/.git", 0);
	make_repository("store/.git");
	str_clear(&text);
	str_printf(&text, "%s\n", path_of("elsewhere/objects"));
	tmpdir_write(&dir, "store/.git/objects/info/alternates", text.ptr);
	look_at_store("store");
	assert_reads("elsewhere/objects");
	assert_null(strstr(seen.ptr, "own "));
}

static void test_closed_around(void **state)
{
	(void)state;
	folder("project");
	folder("project/store");
	assert_false(reads_closed_around(fake_sys(), path_of("project/store")));
	make_repository("project/.git");
	assert_false(reads_closed_around(fake_sys(), path_of("project/store")));
	fake_sys_fail(FAKE_OPENAT, 1, EACCES, FAKE_ALWAYS);
	assert_true(reads_closed_around(fake_sys(), path_of("project/store")));
	/* The modes of its folder are another matter: that was so from the beginning. */
	fake_sys_fail(FAKE_FSTATAT, 2, EACCES, FAKE_ONCE);
	assert_false(reads_closed_around(fake_sys(), path_of("project/store")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_places_of_settings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_files_that_settings_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_settings_without_an_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_folder_around, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_linked_work_tree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_is_no_repository, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_alternates, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_store_that_is_a_work_tree, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_closed_around, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
