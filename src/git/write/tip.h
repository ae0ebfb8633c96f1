/*
 * Repairs the tip of the branch after a power cut, a prune or a failing disk.
 *
 * Without the tip git cannot read the branch, and nothing can be recorded. Mostly its parents still
 * exist: the reflog has the earlier tips, and if that is gone too, the remaining objects show which
 * commits there are. The store's lock must be held for tip_mend().
 */
#ifndef KOTA_GIT_WRITE_TIP_H
#define KOTA_GIT_WRITE_TIP_H

#include "git/repo.h"

/*
 * Moving a branch, for src/git.
 *
 * Not done by the library, which creates the lock file of a branch before it writes to it: if the
 * process is killed in between, nobody can tell whose lock it is. Only one process may do this at a
 * time: the store's lock must be held.
 */

struct branch_move {
	const char *name;      /* "refs/heads/main" */
	struct object_id from; /* none: the branch does not exist yet */
	struct object_id to;
	int64_t time_ms; /* for the reflog */
	int offset_min;
	bool unlogged;  /* no line in the reflogs, which are about to be removed */
	bool unflushed; /* it need not be durable */
};

/*
 * Moves the branch, durably unless unflushed. ERR_BUSY, with the branch unchanged, if it is no
 * longer at from or another program is about to move it.
 */
int branch_move(struct repo *repo, const struct branch_move *move, struct err *err);

/*
 * True if the branch is complete: the last commit with its files, and the commits before it; true
 * also for a branch that never had commits. False, with the reason in *why, if something is
 * missing.
 */
bool tip_is_whole(struct repo *repo, struct err *why);

/*
 * Sets the branch to the last complete commit, or to none if there is none. Removes lines that name
 * missing objects from the reflogs, and sets an index aside that does. Does nothing if the tip is
 * complete. *mended: was anything done?
 */
int tip_mend(struct repo *repo, bool *mended, struct err *err);

/*
 * True if the repository in DIR/.git was made by repo_create() and cannot be opened or read because
 * its HEAD is gone, or says nothing that git understands; *why then says so.
 */
bool head_is_lost(const struct sys *sys, const char *dir, struct err *why);

/*
 * Puts such a HEAD on the branch that moved last, "main" if none is known. What it said stays
 * beside it as HEAD.unreadable. Does nothing to any other.
 */
int head_mend(const struct sys *sys, const char *dir, struct err *err);

/*
 * Reads where a branch is. A file that names no commit is set aside as branch.unreadable; the
 * branch is then what git's packed references say, or none.
 */
int tip_read(struct repo *repo, const char *branch, struct object_id *now, struct err *err);

#endif
