/*
 * A look at what the library is about to read, before it opens a repository.
 *
 * The library opens whatever it is told to, and waits: for ever at a FIFO, as long as it takes at a
 * file without end. What lies in a repository that came from somewhere else is not to be trusted
 * with that. So every file that the library would open by itself must be a regular one, and those
 * that it reads whole have at most 1 MiB. The person's own configuration is not looked at.
 *
 * For repo.c. ERR_NO_HISTORY with a sentence that names the file.
 */
#ifndef KOTA_GIT_GUARD_H
#define KOTA_GIT_GUARD_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

/*
 * Looks at the repository at DIR/.git, which may be a folder or a file that names one, and at the
 * patterns in DIR. Nothing there is fine.
 */
int guard_own(const struct sys *sys, const char *dir, struct err *err);

/*
 * Looks at the repository that the library would find above DIR, an absolute path without links,
 * and at the patterns on the way down to DIR. None is fine.
 */
int guard_around(const struct sys *sys, const char *dir, struct err *err);

/*
 * The paths that a git configuration names and that the library opens by itself: files that it
 * includes, and files with patterns.
 *
 * Pure. It reads the text as git does, but believes every condition of an include: which of them
 * holds is the library's business. For guard.c and reads.c.
 */

enum config_path {
	CONFIG_INCLUDE,  /* include.path, includeIf.*.path: more configuration */
	CONFIG_PATTERNS, /* core.excludesFile, core.attributesFile */
	CONFIG_WORK_TREE /* core.worktree: a folder */
};

/* A non-zero result ends the reading. The value is good until the visitor returns. */
typedef int (*config_visitor)(void *context, enum config_path what, const char *value);

/*
 * Calls visit with each such path, in the order of the text. -1 when the text cannot be understood,
 * else 0, or what the visitor returned.
 */
int config_paths(struct slice text, config_visitor visit, void *context);

#endif
