/*
 * A fresh repository in a fresh directory, for the tests of src/git.
 *
 * For tests only. What cannot be done ends the test by cmocka's assertions. The environment is
 * cleared of what would let git's own settings of the machine in.
 */
#ifndef KOTA_TESTS_GITREPO_H
#define KOTA_TESTS_GITREPO_H

#include "git/walk.h"
#include "git/write/commit.h"
#include "support/tmpdir.h"

struct gitrepo {
	struct tmpdir dir;
	struct repo *repo;
};

/* cmocka's set-up and tear-down: *state is a struct gitrepo with a repository just made. */
int gitrepo_set_up(void **state);
int gitrepo_tear_down(void **state);

/* Keeps the machine's and the user's git settings out. */
void gitrepo_isolate(const struct tmpdir *dir);

/* Records one file with this text (NULL: it goes) as a commit of its own; returns its id. */
struct object_id gitrepo_record(struct gitrepo *r, const char *path, const char *text,
				const char *message);

/* The text of a file in the last commit; NULL when it has none. The caller frees it. */
char *gitrepo_text(struct gitrepo *r, const char *path);

#endif
