#include "git/authors.h"

#include "git/gitrepo.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 5000

static struct authors find(struct gitrepo *r, const char *path, size_t max)
{
	struct authors authors;
	struct err err;

	if (authors_find(&authors, r->repo, path, max, &err) != 0)
		fail_msg("%s", err.text);
	return authors;
}

static void record(struct gitrepo *r, const char *path, const char *text, const char *author,
		   int64_t time_ms)
{
	struct recorded_file file = {.path = path};
	struct commit_spec spec = {.files = &file,
				   .count = 1,
				   .message = "m",
				   .author = author,
				   .email = "a@b",
				   .time_ms = time_ms};
	struct recording *recording;
	struct object_id id;
	struct err err;

	if (repo_blob_write(r->repo, slice_of(text), &file.blob, &err) != 0 ||
	    recording_begin(&recording, r->repo, &err) != 0 ||
	    recording_add(recording, &spec, &id, &err) != 0 ||
	    recording_finish(recording, &err) != 0)
		fail_msg("%s", err.text);
}

static void test_authors_of_a_folder(void **state)
{
	struct gitrepo *r = *state;
	struct authors authors;

	record(r, "data/kota_memory/a.json", "1", "Alice", 1000000);
	record(r, "data/kota_memory/a.json", "2", "Bob", 2000000);
	record(r, "data/kota_memory/b.json", "1", "Alice", 3000000);
	record(r, "data/other", "1", "Carol", 4000000);
	record(r, "data/kota_memory2", "1", "Dave", 5000000);
	authors = find(r, "data/kota_memory", MAX);
	assert_int_equal(authors.count, 2);
	assert_string_equal(authors.list[0].name, "Alice <a@b>");
	assert_int_equal(authors.list[0].commits, 2);
	assert_int_equal(authors.list[0].last_ms, 3000000);
	assert_string_equal(authors.list[1].name, "Bob <a@b>");
	assert_int_equal(authors.list[1].commits, 1);
	assert_int_equal(authors.looked_at, 5);
	assert_true(authors.whole);
	authors_release(&authors);
}

static void test_no_more_commits_than_asked_for(void **state)
{
	struct gitrepo *r = *state;
	struct authors authors;
	char text[8];

	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof text, "%d", i);
		record(r, "s/a", text, i < 2 ? "Early" : "Late", (i + 1) * 1000000);
	}
	authors = find(r, "s", 3);
	assert_int_equal(authors.count, 1);
	assert_string_equal(authors.list[0].name, "Late <a@b>");
	assert_int_equal(authors.looked_at, 3);
	assert_false(authors.whole);
	authors_release(&authors);
}

static void test_no_commit_and_no_such_path(void **state)
{
	struct gitrepo *r = *state;
	struct authors authors = find(r, "s", MAX);

	assert_int_equal(authors.count, 0);
	assert_true(authors.whole);
	authors_release(&authors);
	record(r, "a", "1", "Alice", 1000000);
	authors = find(r, "s", MAX);
	assert_int_equal(authors.count, 0);
	authors_release(&authors);
}

/* Runs git in the repository; false without it. */
static bool git(const struct gitrepo *r, const char *script)
{
	STR_AUTO command = STR_INIT;

	str_printf(&command,
		   "exec >/dev/null 2>&1; set -e; cd %s; export GIT_AUTHOR_EMAIL=a@b "
		   "GIT_COMMITTER_NAME=c GIT_COMMITTER_EMAIL=c@c\n%s",
		   r->dir.path, script);
	return system(command.ptr) == 0;
}

/* Who merges did not write it. */
static void test_merged_branches_are_looked_at(void **state)
{
	struct gitrepo *r = *state;
	struct authors authors;

	if (!git(r, "git --version")) {
		print_message("skipped: needs git (package git)\n");
		skip();
	}
	record(r, "s/a", "1", "Alice", 1000000);
	if (!git(r, "git reset -q --hard; git checkout -q -b side; echo evil >s/b; git add s/b; "
		    "GIT_AUTHOR_NAME=Mallory git commit -qm side; git checkout -q main; "
		    "echo x >x; git add x; GIT_AUTHOR_NAME=Alice git commit -qm main; "
		    "GIT_AUTHOR_NAME=Merger git merge -q --no-ff -m merge side"))
		fail_msg("git failed");
	authors = find(r, "s", MAX);
	assert_int_equal(authors.count, 2);
	assert_string_equal(authors.list[0].name, "Mallory <a@b>");
	assert_string_equal(authors.list[1].name, "Alice <a@b>");
	assert_int_equal(authors.list[1].commits, 1);
	authors_release(&authors);
}

/* The oldest commit of a shallow clone has a parent that is not there. */
static void test_a_shallow_clone_says_that_there_was_more(void **state)
{
	struct gitrepo *r = *state;
	struct authors authors;
	struct repo *shallow;
	char path[PATH_MAX + 16];
	struct err err;

	record(r, "s/a", "1", "Alice", 1000000);
	record(r, "s/a", "2", "Bob", 2000000);
	if (!git(r, "git clone -q --depth 1 \"file://$PWD/.git\" shallow; test -f "
		    "shallow/.git/shallow")) {
		print_message("skipped: needs git (package git)\n");
		skip();
	}
	snprintf(path, sizeof path, "%s/shallow", r->dir.path);
	assert_int_equal(repo_open(&shallow, sys_real(), path, &err), 0);
	assert_int_equal(authors_find(&authors, shallow, "s", MAX, &err), 0);
	assert_int_equal(authors.count, 1);
	assert_false(authors.whole);
	authors_release(&authors);
	repo_close(shallow);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_authors_of_a_folder),
		TEST(test_no_more_commits_than_asked_for),
		TEST(test_no_commit_and_no_such_path),
		TEST(test_merged_branches_are_looked_at),
		TEST(test_a_shallow_clone_says_that_there_was_more),
	};

	return cmocka_run_group_tests_name("authors", tests, NULL, NULL);
}
