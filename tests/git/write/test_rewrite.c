#include "git/write/rewrite.h"

#include "git/gitrepo.h"
#include "git/write/commit.h"
#include "git/write/lock.h"

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

/* Takes the word "secret" out of a.json and of messages, and leaves "broken" versions out. */
static bool concerns(void *context, const char *path)
{
	(void)context;
	return strcmp(path, "a.json") == 0;
}

static enum rewritten without(struct slice text, struct str *out)
{
	const char *found = text.len ? memmem(text.ptr, text.len, "secret", 6) : NULL;

	if (!found)
		return REWRITTEN_NOT;
	str_add(out, slice_make(text.ptr, (size_t)(found - text.ptr)));
	str_add(out, slice_make(found + 6, text.len - (size_t)(found - text.ptr) - 6));
	return REWRITTEN_TEXT;
}

static enum rewritten new_text(void *context, const char *path, struct slice text, struct str *out)
{
	(void)context;
	assert_string_equal(path, "a.json");
	if (memmem(text.ptr, text.len, "broken", 6))
		return REWRITTEN_OUT;
	return without(text, out);
}

static enum rewritten new_message(void *context, struct slice message, struct str *out)
{
	(void)context;
	return without(message, out);
}

static const struct rewriter rewriter = {
	.concerns = concerns, .text = new_text, .message = new_message};

static struct rewrite_counts rewrite(struct gitrepo *r)
{
	struct rewrite_counts counts;
	struct err err;

	if (rewrite_branch(r->repo, &rewriter, &counts, &err) != 0)
		fail_msg("%s", err.text);
	return counts;
}

static void check_at(struct gitrepo *r, int back, const char *message, const char *expected)
{
	struct walk *walk;
	struct commit commit;
	struct object_id blob;
	STR_AUTO text = STR_INIT;
	struct err err;

	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	while (back-- >= 0)
		assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_string_equal(commit.message, message);
	assert_int_equal(repo_file_at(r->repo, &commit.id, "a.json", &blob, &err), 0);
	if (expected) {
		assert_int_equal(repo_blob_read(r->repo, &blob, &text, &err), 0);
		assert_string_equal(text.ptr, expected);
	} else {
		assert_true(object_id_is_none(&blob));
	}
	walk_close(walk);
}

static void test_texts_and_messages(void **state)
{
	struct gitrepo *r = *state;
	struct object_id first = gitrepo_record(r, "a.json", "one\n", "first\n");
	struct rewrite_counts counts;
	struct object_id head;
	struct walk *walk;
	struct commit commit;
	struct err err;

	gitrepo_record(r, "a.json", "two secret\n", "second secret\n");
	gitrepo_record(r, "b.json", "secret\n", "third\n");
	gitrepo_record(r, "a.json", "three\n", "fourth\n");
	counts = rewrite(r);
	assert_int_equal(counts.texts, 1);
	assert_int_equal(counts.commits, 2); /* the third has the second's text */
	check_at(r, 0, "fourth\n", "three\n");
	check_at(r, 1, "third\n", "two \n");
	check_at(r, 2, "second \n", "two \n");
	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		head = commit.id;
		assert_int_equal(commit.time_ms, 1795000000000);
		assert_int_equal(commit.offset_min, 60);
	}
	walk_close(walk);
	assert_true(object_id_equal(&head, &first));
	assert_int_equal(rewrite(r).commits, 0);
}

static void test_versions_that_are_left_out(void **state)
{
	struct gitrepo *r = *state;

	gitrepo_record(r, "a.json", "broken 1", "first\n");
	gitrepo_record(r, "a.json", "good secret", "second\n");
	gitrepo_record(r, "a.json", "broken 2", "third\n");
	assert_int_equal(rewrite(r).texts, 3);
	check_at(r, 0, "third\n", "good ");
	check_at(r, 1, "second\n", "good ");
	check_at(r, 2, "first\n", NULL);
}

static bool concerns_note(void *context, const char *path)
{
	(void)context;
	return strcmp(path, "notes/old/a.md") == 0;
}

static enum rewritten new_note(void *context, const char *path, struct slice text, struct str *out)
{
	(void)context;
	(void)path;
	return slice_starts(text, "broken") ? REWRITTEN_OUT : without(text, out);
}

static void check_file(struct gitrepo *r, const char *path, const char *expected)
{
	char *text = gitrepo_text(r, path);

	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
	free(text);
}

/* Of files in folders; a folder in which nothing is left goes. */
static void test_folders(void **state)
{
	static const struct rewriter of_notes = {
		.concerns = concerns_note, .text = new_note, .message = new_message};
	struct gitrepo *r = *state;
	struct rewrite_counts counts;
	STR_AUTO command = STR_INIT;
	struct err err;

	gitrepo_record(r, "state.json", "{}", "first\n");
	gitrepo_record(r, "notes/old/a.md", "broken", "second\n");
	assert_int_equal(rewrite_branch(r->repo, &of_notes, &counts, &err), 0);
	check_file(r, "notes/old/a.md", NULL);
	gitrepo_record(r, "notes/b.md", "b", "third\n");
	gitrepo_record(r, "notes/old/a.md", "a secret", "fourth\n");
	gitrepo_record(r, "notes/old/a.md", "broken", "fifth\n");
	assert_int_equal(rewrite_branch(r->repo, &of_notes, &counts, &err), 0);
	assert_int_equal(counts.texts, 2);
	check_file(r, "notes/old/a.md", "a ");
	check_file(r, "notes/b.md", "b");
	check_file(r, "state.json", "{}");
	str_printf(&command,
		   "git -C %s fsck --strict --no-dangling >/dev/null 2>&1 && "
		   "git -C %s rev-list --objects HEAD | grep -q notes/old",
		   r->dir.path, r->dir.path);
	if (system("command -v git >/dev/null") == 0)
		assert_int_equal(system(command.ptr), 0);
}

static void test_reflogs_go(void **state)
{
	struct gitrepo *r = *state;

	gitrepo_record(r, "a.json", "secret", "first\n");
	assert_true(tmpdir_has(&r->dir, ".git/logs/refs/heads/main"));
	rewrite(r);
	assert_false(tmpdir_has(&r->dir, ".git/logs/refs/heads/main"));
	assert_false(tmpdir_has(&r->dir, ".git/logs/HEAD"));
	assert_false(tmpdir_has(&r->dir, ".git/index.lock"));
}

static void test_messages_follow_the_commits_that_they_name(void **state)
{
	struct gitrepo *r = *state;
	char digits[OBJECT_ID_DIGITS + 1];
	char message[80];
	struct object_id id = gitrepo_record(r, "a.json", "secret", "first\n");
	struct walk *walk;
	struct commit commit;
	struct err err;

	object_id_text(&id, digits);
	snprintf(message, sizeof message, "undo %s abc\n", digits);
	gitrepo_record(r, "a.json", "2", message);
	rewrite(r);
	assert_int_equal(walk_open(&walk, r->repo, NULL, &err), 0);
	assert_int_equal(walk_next(walk, &commit, &err), 1);
	assert_string_not_equal(commit.message, message);
	object_id_text(&commit.parent, digits);
	snprintf(message, sizeof message, "undo %s abc\n", digits);
	assert_string_equal(commit.message, message);
	walk_close(walk);
}

static void add_name(void *context, const char *name)
{
	str_printf(context, "%s\n", name);
}

static void write_ref(struct gitrepo *r, const char *name, const struct object_id *id)
{
	char text[OBJECT_ID_DIGITS + 1];

	object_id_text(id, text);
	tmpdir_write(&r->dir, name, text);
}

static void test_holders(void **state)
{
	struct gitrepo *r = *state;
	struct object_id clean = gitrepo_record(r, "a.json", "one", "first\n");
	struct object_id dirty = gitrepo_record(r, "a.json", "secret", "second\n");
	STR_AUTO names = STR_INIT;
	struct err err;
	bool found;

	write_ref(r, ".git/refs/heads/clean", &clean);
	write_ref(r, ".git/refs/tags/dirty", &dirty);
	assert_int_equal(rewrite_finds(r->repo, &rewriter, &found, &err), 0);
	assert_true(found);
	rewrite(r);
	assert_int_equal(rewrite_finds(r->repo, &rewriter, &found, &err), 0);
	assert_false(found);
	assert_int_equal(rewrite_holders(r->repo, &rewriter, add_name, &names, &err), 0);
	assert_string_equal(names.ptr, "refs/tags/dirty\n");
}

/* Files that nobody rewrites, and texts that only an older line of a reflog leads to. */
static bool has_secret(void *context, const char *path, const struct object_id *blob)
{
	struct gitrepo *r = context;
	STR_AUTO text = STR_INIT;
	struct err err;

	(void)path;
	assert_int_equal(repo_blob_read(r->repo, blob, &text, &err), 0);
	return strstr(text.ptr, "secret") != NULL;
}

static void test_holders_of_other_files_and_reflogs(void **state)
{
	struct gitrepo *r = *state;
	struct rewriter looking = rewriter;
	struct object_id clean = gitrepo_record(r, "a.json", "one", "first\n");
	struct object_id other = gitrepo_record(r, "b.json", "secret", "second\n");
	struct object_id dirty = gitrepo_record(r, "a.json", "secret", "third\n");
	char before[OBJECT_ID_DIGITS + 1];
	char after[OBJECT_ID_DIGITS + 1];
	STR_AUTO names = STR_INIT;
	STR_AUTO log = STR_INIT;
	struct err err;

	looking.other = has_secret;
	looking.context = r;
	write_ref(r, ".git/refs/heads/other", &other);
	write_ref(r, ".git/refs/stash", &clean);
	object_id_text(&clean, before);
	object_id_text(&dirty, after);
	str_printf(&log, "%s %s Ada <a@b> 1795000000 +0000\tWIP\n", before, after);
	tmpdir_write(&r->dir, ".git/logs/refs/stash", log.ptr);
	tmpdir_write(&r->dir, ".git/logs/refs/heads/other", log.ptr);
	rewrite(r);
	assert_int_equal(rewrite_holders(r->repo, &looking, add_name, &names, &err), 0);
	assert_string_equal(names.ptr, "refs/heads/other\nthe reflog of refs/stash\n");
}

/* The same text of one file is another thing behind the commit "turn". */
struct turning {
	struct object_id turn;
	struct object_id behind[8];
	size_t behind_count;
	size_t seen;
	bool turned;
};

static size_t enter(void *context, const struct object_id *commit, const struct object_id *parents,
		    size_t count)
{
	struct turning *turning = context;

	turning->turned = false;
	for (size_t i = 0; i < count; i++) {
		for (size_t b = 0; b < turning->behind_count; b++)
			turning->turned = turning->turned ||
					  object_id_equal(&turning->behind[b], &parents[i]);
	}
	turning->turned = turning->turned || object_id_equal(&turning->turn, commit);
	if (turning->turned)
		turning->behind[turning->behind_count++] = *commit;
	turning->seen++;
	return turning->turned;
}

static enum rewritten till_the_turn(void *context, const char *path, struct slice text,
				    struct str *out)
{
	const struct turning *turning = context;

	(void)path;
	return turning->turned ? REWRITTEN_NOT : without(text, out);
}

static enum rewritten no_message(void *context, struct slice message, struct str *out)
{
	(void)context;
	(void)message;
	(void)out;
	return REWRITTEN_NOT;
}

static void test_what_goes_depends_on_the_commits_before(void **state)
{
	struct gitrepo *r = *state;
	struct turning turning = {.seen = 0};
	const struct rewriter till = {.concerns = concerns,
				      .text = till_the_turn,
				      .message = no_message,
				      .context = &turning,
				      .enter = enter};
	struct rewrite_counts counts;
	struct err err;

	gitrepo_record(r, "a.json", "one secret", "first\n");
	turning.turn = gitrepo_record(r, "a.json", "two", "turn\n");
	gitrepo_record(r, "a.json", "one secret", "third\n");
	assert_int_equal(rewrite_branch(r->repo, &till, &counts, &err), 0);
	assert_int_equal(turning.seen, 3);
	check_at(r, 0, "third\n", "one secret");
	check_at(r, 2, "first\n", "one ");
}

static void add_message(void *context, const struct object_id *commit, const char *message)
{
	(void)commit;
	str_adds(context, message);
}

static void test_all_messages(void **state)
{
	struct gitrepo *r = *state;
	STR_AUTO all = STR_INIT;
	struct err err;

	assert_int_equal(rewrite_messages(r->repo, add_message, &all, &err), 0);
	assert_int_equal(all.len, 0);
	gitrepo_record(r, "a.json", "1", "first\n");
	gitrepo_record(r, "a.json", "2", "second\n");
	assert_int_equal(rewrite_messages(r->repo, add_message, &all, &err), 0);
	assert_string_equal(all.ptr, "first\nsecond\n");
}

/* What a killed process left is not in the way, and nothing is left behind. */
static void test_the_lock_of_the_branch(void **state)
{
	struct gitrepo *r = *state;
	struct err err;
	STR_AUTO lock = STR_INIT;
	STR_AUTO spare = STR_INIT;

	gitrepo_record(r, "a.json", "secret", "first\n");
	str_printf(&lock, "%s/.git/refs/heads/main.lock", r->dir.path);
	str_printf(&spare, "%s/.git/spare", r->dir.path);
	assert_int_equal(lock_take(sys_real(), lock.ptr, spare.ptr, &err), 0);
	assert_int_equal(rewrite(r).commits, 1);
	check_at(r, 0, "first\n", "");
	assert_false(tmpdir_has(&r->dir, ".git/refs/heads/main.lock"));
}

static void test_refusals(void **state)
{
	struct gitrepo *r = *state;
	struct rewrite_counts counts;
	struct err err;

	gitrepo_record(r, "a.json", "secret", "first\n");
	tmpdir_write(&r->dir, ".git/index.lock", "");
	assert_int_equal(rewrite_branch(r->repo, &rewriter, &counts, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
	assert_int_equal(unlinkat(r->dir.fd, ".git/index.lock", 0), 0);
	assert_int_equal(mkdirat(r->dir.fd, ".git/worktrees", 0700), 0);
	assert_int_equal(mkdirat(r->dir.fd, ".git/worktrees/x", 0700), 0);
	assert_int_equal(rewrite_check(r->repo, &err), -1);
	assert_non_null(strstr(err.text, "work trees"));
	check_at(r, 0, "first\n", "secret");
}

static void test_a_branch_without_a_commit(void **state)
{
	struct gitrepo *r = *state;

	assert_int_equal(rewrite(r).commits, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, gitrepo_set_up, gitrepo_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_texts_and_messages),
		TEST(test_versions_that_are_left_out),
		TEST(test_folders),
		TEST(test_reflogs_go),
		TEST(test_messages_follow_the_commits_that_they_name),
		TEST(test_holders),
		TEST(test_holders_of_other_files_and_reflogs),
		TEST(test_what_goes_depends_on_the_commits_before),
		TEST(test_all_messages),
		TEST(test_the_lock_of_the_branch),
		TEST(test_refusals),
		TEST(test_a_branch_without_a_commit),
	};

	return cmocka_run_group_tests_name("rewrite", tests, NULL, NULL);
}
