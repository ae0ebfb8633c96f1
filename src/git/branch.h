/*
 * Moving a branch, for commit.c and rewrite.c.
 *
 * Done here and not by the library, which makes the lock of a branch before it has a text: a
 * process killed in between would leave a lock that nobody can tell from a stranger's. Only one
 * process may do this at a time: the store's lock must be held.
 */
#ifndef KOTA_GIT_BRANCH_H
#define KOTA_GIT_BRANCH_H

#include "git/repo.h"

struct branch_move {
	const char *name;      /* "refs/heads/main" */
	struct object_id from; /* none: there is no such branch yet */
	struct object_id to;
	int64_t time_ms; /* for the reflog */
	int offset_min;
	bool unlogged; /* no line in the reflogs: they are about to go */
};

/*
 * Durable when it is done. ERR_BUSY, and the branch as it was, when it is not at from any more or
 * somebody else is about to move it.
 */
int branch_move(struct repo *repo, const struct branch_move *move, struct err *err);

#endif
