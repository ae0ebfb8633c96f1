/*
 * The paths that a git configuration names and that the library opens by itself: files that it
 * includes, and files with patterns.
 *
 * Pure. It reads the text as git does, but believes every condition of an include: which of them
 * holds is the library's business. For guard.c and reads.c.
 */
#ifndef KOTA_GIT_CONFIG_PATHS_H
#define KOTA_GIT_CONFIG_PATHS_H

#include "base/slice.h"

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
