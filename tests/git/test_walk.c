#include "git/walk.h"

#include "git/gitrepo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char letter(const struct object_id *before, const struct object_id *after)
{
	return object_id_is_none(before) ? '+' : object_id_is_none(after) ? '-' : '~';
}

/* All commits from new to old: "subject: +a ~b/c; ". */
static void tell(struct gitrepo *r, struct str *out)
{
	struct walk *walk;
	struct commit commit;
	struct err err;
	int step;

	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	while ((step = walk_next(walk, &commit, &err)) == 1) {
		const struct file_change *files;
		size_t count;

		if (walk_changes(walk, &files, &count, &err) != 0)
			fail_msg("%s", err.text);
		str_printf(out, "%s:", commit.message);
		for (size_t i = 0; i < count; i++)
			str_printf(out, " %c%s", letter(&files[i].before, &files[i].after),
				   files[i].path);
		str_adds(out, "; ");
	}
	assert_int_equal(step, 0);
	walk_close(walk);
}

static void each_commit_names_its_files(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO told = STR_INIT;

	gitrepo_record(r, "b.json", "1", "one");
	gitrepo_record(r, "notes/a.md", "1", "two");
	gitrepo_record(r, "a.json", "1", "three");
	gitrepo_record(r, "b.json", "2", "four");
	gitrepo_record(r, "notes/deep/er.md", "1", "five");
	gitrepo_record(r, "notes/a.md", "2", "six");
	gitrepo_record(r, "notes/deep/er.md", NULL, "seven");
	gitrepo_record(r, "a.json", NULL, "eight");
	tell(r, &told);
	assert_string_equal(told.ptr, "eight: -a.json; seven: -notes/deep/er.md; six: ~notes/a.md; "
				      "five: +notes/deep/er.md; four: ~b.json; three: +a.json; "
				      "two: +notes/a.md; one: +b.json; ");
}

/* In a tree a folder stands where its name with a slash would: "a-b" is before the folder "a". */
static void a_folder_is_told_from_a_file_of_its_name(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO told = STR_INIT;

	gitrepo_record(r, "a-b", "1", "one");
	gitrepo_record(r, "a", "1", "two");
	gitrepo_record(r, "a", NULL, "three");
	gitrepo_record(r, "a/x", "1", "four");
	gitrepo_record(r, "a-b", "2", "five");
	gitrepo_record(r, "a0", "2", "six");
	tell(r, &told);
	assert_string_equal(told.ptr, "six: +a0; five: ~a-b; four: +a/x; three: -a; two: +a; "
				      "one: +a-b; ");
}

/* What is asked twice is the same, and the end of the walk is where it was. */
static void changes_may_be_asked_for_again_or_not_at_all(void **state)
{
	struct gitrepo *r = *state;
	const struct file_change *files;
	const struct file_change *again;
	struct commit commit;
	struct walk *walk;
	struct err err;
	size_t count;

	gitrepo_record(r, "a", "1", "one");
	gitrepo_record(r, "b", "1", "two");
	gitrepo_record(r, "c", "1", "three");
	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_int_equal(walk_changes(walk, &files, &count, &err), 0);
	assert_int_equal(walk_changes(walk, &again, &count, &err), 0);
	assert_ptr_equal(files, again);
	assert_int_equal(count, 1);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_int_equal(walk_changes(walk, &files, &count, &err), 0);
	assert_int_equal(count, 1);
	assert_string_equal(files[0].path, "a");
	assert_int_equal(walk_next(walk, &commit, &err), 0);
	walk_close(walk);
}

/* A tree that is not there fails the walk, and is not taken for an empty one. */
static void a_missing_tree_is_an_error(void **state)
{
	struct gitrepo *r = *state;
	const struct file_change *files;
	STR_AUTO command = STR_INIT;
	struct commit commit;
	struct walk *walk;
	struct err err;
	size_t count;

	if (system("git --version >/dev/null 2>&1") != 0)
		skip();
	gitrepo_record(r, "notes/a.md", "1", "one");
	gitrepo_record(r, "notes/a.md", "2", "two");
	str_printf(&command,
		   "cd %s && t=$(git rev-parse HEAD~1:notes) && "
		   "rm -f .git/objects/$(echo $t | cut -c1-2)/$(echo $t | cut -c3-)",
		   r->dir.path);
	assert_int_equal(system(command.ptr), 0);
	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_int_equal(walk_changes(walk, &files, &count, &err), -1);
	assert_int_equal(err.code, ERR_NO_HISTORY);
	walk_close(walk);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, gitrepo_set_up, gitrepo_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_commit_names_its_files),
		TEST(a_folder_is_told_from_a_file_of_its_name),
		TEST(changes_may_be_asked_for_again_or_not_at_all),
		TEST(a_missing_tree_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
