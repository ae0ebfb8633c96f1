/*
 * Lock files as git makes them, NAME.lock beside NAME, but recognisable as ours.
 *
 * For src/git, and for callers that ask whether a recording could begin. The store's lock must be
 * held: no living process of ours holds a lock file then, so one of ours was left by a killed
 * process and is taken over. Our lock file is a dangling symbolic link. A link appears together
 * with its text, even if the process dies or the power fails, and git only looks at the name. On
 * file systems without links it is a small file.
 */
#ifndef KOTA_GIT_WRITE_LOCK_H
#define KOTA_GIT_WRITE_LOCK_H

#include "git/repo.h"

/*
 * path ends in ".lock"; the link is kept at spare, on the same file system, while it is not in use.
 * ERR_BUSY if another program holds the lock, ERR_NO_HISTORY if it cannot be taken.
 */
int lock_take(const struct sys *sys, const char *path, const char *spare, struct err *err);

/* Releases the lock. */
void lock_drop(const struct sys *sys, const char *path, const char *spare);

/*
 * Takes .git/index.lock as git does, and keeps git gc from running: objects are written before
 * anything refers to them, and gc --prune=now would remove them. ERR_BUSY if another program holds
 * the lock or git gc is running.
 */
int repo_lock_index(const struct repo *repo, struct err *err);

/* Releases both. */
void repo_unlock_index(const struct repo *repo);

/*
 * True if a killed git left the lock file at this path: it belongs to the user, it is older than a
 * minute, no process has it open, and no git runs in the store's folder. False if that cannot be
 * determined.
 */
bool lock_is_left(const struct repo *repo, const char *path);

/* Calls visit with the path of each existing lock file that would block a recording. */
void lock_each(struct repo *repo, void (*visit)(void *context, const char *path), void *context);

/*
 * Checks that a recording could begin now; another process may still be faster. ERR_BUSY as in
 * repo_lock_index().
 */
int repo_busy(const struct repo *repo, struct err *err);

#endif
