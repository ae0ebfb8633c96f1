#include "support/pastcall.h"

#include "git/walk.h"
#include "store/history/commit_message.h"
#include "store/history/history.h"
#include "store/history/history_log.h"
#include "store/history/tracked.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>

static struct repo *repo_of(struct teststore *t)
{
	struct repo *repo;
	struct err err;

	if (history_repo(t->store, &repo, &err) != 0)
		fail_msg("%s", err.text);
	return repo;
}

struct object_id pastcall_change(struct teststore *t, size_t n)
{
	struct walk *walk;
	struct commit commit;
	struct err err;

	assert_int_equal(walk_open(&walk, repo_of(t), NULL, &err), 0);
	for (size_t i = 0; i <= n; i++)
		assert_int_equal(walk_next(walk, &commit, &err), 1);
	walk_close(walk);
	return commit.id;
}

size_t pastcall_count(struct teststore *t)
{
	struct walk *walk;
	struct commit commit;
	struct err err;
	size_t count = 0;

	assert_int_equal(walk_open(&walk, repo_of(t), NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1)
		count++;
	walk_close(walk);
	return count;
}

void pastcall_log_is(struct teststore *t, const char *expected)
{
	STR_AUTO text = STR_INIT;
	struct walk *walk;
	struct commit commit;
	struct err err;

	assert_int_equal(walk_open(&walk, repo_of(t), NULL, &err), 0);
	while (walk_next(walk, &commit, &err) == 1) {
		struct slice subject = message_subject(commit.message);

		if (slice_is(subject, "begin"))
			break;
		str_add(&text, subject);
		str_addc(&text, '\n');
	}
	walk_close(walk);
	assert_string_equal(text.ptr, expected);
}

static void fill_in(struct teststore *t, struct str *out, const char *arguments, size_t n)
{
	struct object_id id = pastcall_change(t, n);
	char text[OBJECT_ID_DIGITS + 1];
	const char *place = strstr(arguments, "%s");

	assert_non_null(place);
	object_id_text(&id, text);
	str_add(out, slice_make(arguments, (size_t)(place - arguments)));
	str_adds(out, text);
	str_adds(out, place + 2);
}

void pastcall_replies(struct teststore *t, const char *command, const char *arguments, size_t n,
		      const char *part)
{
	STR_AUTO text = STR_INIT;

	fill_in(t, &text, arguments, n);
	toolcall_reply_has(t, command, text.ptr, part);
}

void pastcall_refused(struct teststore *t, const char *command, const char *arguments, size_t n,
		      enum err_code code, const char *part)
{
	STR_AUTO text = STR_INIT;

	fill_in(t, &text, arguments, n);
	toolcall_refused_with(t, command, text.ptr, code, part);
}

struct tree {
	struct teststore *t;
	size_t files;
};

static int check_file(void *context, const char *path, const struct object_id *blob)
{
	struct tree *tree = context;
	STR_AUTO recorded = STR_INIT;
	char *there = tmpdir_read(&tree->t->dir, path);
	struct err err;

	assert_int_equal(repo_blob_read(repo_of(tree->t), blob, &recorded, &err), 0);
	assert_non_null(there);
	assert_string_equal(recorded.ptr, there);
	free(there);
	tree->files++;
	return 0;
}

static int count_file(void *context, const char *name)
{
	struct tree *tree = context;

	(void)name;
	tree->files--;
	return 0;
}

void pastcall_check_tree(struct teststore *t)
{
	struct tree tree = {t, 0};
	struct object_id head;
	struct err err;

	assert_int_equal(repo_head(repo_of(t), &head, &err), 0);
	assert_int_equal(repo_files(repo_of(t), &head, check_file, &tree, &err), 0);
	assert_int_equal(tracked_walk(store_disk(t->store), true, count_file, &tree, &err), 0);
	assert_int_equal(tree.files, 0);
}
