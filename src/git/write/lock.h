/*
 * Lock files as git has them, NAME.lock beside NAME, that can be told from those of others.
 *
 * For src/git, and for who asks whether a recording could begin; while the store's lock is held:
 * then no living process of ours holds one, and one that says it is ours was left by a killed
 * process and is taken over. It is a link that leads nowhere, because a link appears with its text
 * at once, whenever the process dies or the power goes; git knows no lock but by its name. Where
 * the file system has no links it is a small file.
 */
#ifndef KOTA_GIT_WRITE_LOCK_H
#define KOTA_GIT_WRITE_LOCK_H

#include "git/repo.h"

/*
 * path ends in ".lock"; spare is where the link waits between two times, on the same file system.
 * ERR_BUSY when somebody else holds it, ERR_NO_HISTORY when it cannot be.
 */
int lock_take(const struct sys *sys, const char *path, const char *spare, struct err *err);

void lock_drop(const struct sys *sys, const char *path, const char *spare);

/*
 * Takes .git/index.lock as git's programs do, and holds git gc off: objects are written before
 * anything names them, and a gc --prune=now would take them away. ERR_BUSY when another program has
 * the lock, or a git gc is at work.
 */
int repo_lock_index(const struct repo *repo, struct err *err);

void repo_unlock_index(const struct repo *repo);

/*
 * True if the lock file at this path was left by a git that was killed: it is the user's own and
 * older than a minute, no process has it open, and no git is at work in the folder of the store.
 * False where that cannot be known.
 */
bool lock_is_left(const struct repo *repo, const char *path);

/* Calls visit with the path of each lock file that holds up a recording, if it is there. */
void lock_each(struct repo *repo, void (*visit)(void *context, const char *path), void *context);

/*
 * Checks that a recording could begin now; another process may still come first. ERR_BUSY as
 * repo_lock_index().
 */
int repo_busy(const struct repo *repo, struct err *err);

#endif
