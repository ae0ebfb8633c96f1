/*
 * The tip of the branch, when a power cut, a prune or a failing disk has taken it.
 *
 * Without it git reads nothing of the branch, and nothing can be recorded. Most often what it stood
 * upon is still there: the reflog says what the branch was before, and where that is gone too, the
 * objects that are left say which commits there are. The store's lock must be held for tip_mend().
 */
#ifndef KOTA_GIT_WRITE_TIP_H
#define KOTA_GIT_WRITE_TIP_H

#include "git/repo.h"

/*
 * Moving a branch, for src/git.
 *
 * Done here and not by the library, which makes the lock of a branch before it has a text: a
 * process killed in between would leave a lock that nobody can tell from a stranger's. Only one
 * process may do this at a time: the store's lock must be held.
 */

struct branch_move {
	const char *name;      /* "refs/heads/main" */
	struct object_id from; /* none: there is no such branch yet */
	struct object_id to;
	int64_t time_ms; /* for the reflog */
	int offset_min;
	bool unlogged;  /* no line in the reflogs: they are about to go */
	bool unflushed; /* it need not be durable */
};

/*
 * Durable when it is done, unless that is not asked for. ERR_BUSY, and the branch as it was, when
 * it is not at from any more or somebody else is about to move it.
 */
int branch_move(struct repo *repo, const struct branch_move *move, struct err *err);

/*
 * True if the branch is complete: the last commit with its files, and the commits before it. True
 * also when the branch has none yet. False, with the reason in *why, when something is missing.
 */
bool tip_is_whole(struct repo *repo, struct err *why);

/*
 * Sets the branch to the last commit that is whole, or to none where there is none, and takes out
 * of the reflogs and puts aside of the index what names missing objects. Nothing where the tip is
 * whole. *mended says whether anything was done.
 */
int tip_mend(struct repo *repo, bool *mended, struct err *err);

/*
 * Where a branch is, by a file that may hold anything: one that names no commit is put aside as
 * branch.unreadable, and the branch is what git had of it before, or none.
 */
int tip_read(struct repo *repo, const char *branch, struct object_id *now, struct err *err);

#endif
