/*
 * Which names the index of a git repository holds at or below a path.
 *
 * This decides whether a store came with a repository. It reads the index file alone: the
 * repository may be hostile, and the library would read its settings first and take 5 ms to load.
 * Versions 2 to 4, SHA-1 and SHA-256, split and sparse indexes are understood; whoever asks treats
 * an index that is not as one that names everything.
 */
#ifndef KOTA_GIT_INDEX_NAMES_H
#define KOTA_GIT_INDEX_NAMES_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

#include <stdbool.h>

/*
 * Called for each name at or below the path: `below` is what follows "PATH/", or empty for the path
 * itself (a submodule, a file in its place, a folder of a sparse index that has not been expanded).
 * A non-zero result ends the walk.
 */
typedef int (*index_visitor)(void *context, struct slice below);

/*
 * Walks the names at or below `path`, which is relative to the work tree, without a slash at either
 * end. A git_dir without an index names nothing. ERR_BAD_DATA when the index cannot be understood
 * or is closed to this user, ERR_IO when reading it failed.
 */
int index_names_walk(const struct sys *sys, const char *git_dir, const char *path,
		     index_visitor visit, void *context, struct err *err);

/* Sets *named to whether there is any such name. Fails as index_names_walk(). */
int index_names_below(const struct sys *sys, const char *git_dir, const char *path, bool *named,
		      struct err *err);

/*
 * The git folder of a work tree: ROOT/.git, or where a `.git` file there points. *found is false
 * when there is no ".git"; one that is neither a folder nor a valid `.git` file is an error.
 */
int index_git_dir(const struct sys *sys, const char *root, struct str *git_dir, bool *found,
		  struct err *err);

#endif
