/*
 * What the git library reads outside the repository of a store.
 *
 * For src/store/files/confine.c, which leaves these paths open. Found without the library, which
 * costs too much to load for this. What a repository says of other paths counts only where it can
 * be nothing but a repository: it may have come from elsewhere.
 */
#ifndef KOTA_GIT_READS_H
#define KOTA_GIT_READS_H

#include "base/err.h"
#include "base/sys.h"

#include <stdbool.h>

/* Called with a file or a folder, which need not be there; the path is the walk's own. */
typedef void (*reads_visitor)(void *context, const char *path);

/* The name of the library's file. */
const char *reads_library(void);

/*
 * The person's own settings of git with the files that they include or name. home and config_home
 * (XDG_CONFIG_HOME) may be NULL or empty.
 */
void reads_of_person(const struct sys *sys, const char *home, const char *config_home,
		     reads_visitor visit, void *context);

/*
 * The repositories that surround a folder, which is absolute and without links: their git folders,
 * common folders of linked work trees, folders of alternates, and the files that say what the
 * nearest one ignores.
 */
void reads_around(const struct sys *sys, const char *folder, reads_visitor visit, void *context);

/* True if there is such a repository that this process may not read. folder is as above. */
bool reads_closed_around(const struct sys *sys, const char *folder);

/* ERR_NO_HISTORY: says so. Always -1. */
int reads_refuse_around(const char *folder, struct err *err);

/*
 * The folders of a repository whose work tree this is, where they lie elsewhere: those that a
 * `.git` file leads to go to `own`, alternates to `visit`. A `.git` folder is none of these.
 */
void reads_of_store(const struct sys *sys, const char *folder, reads_visitor own,
		    reads_visitor visit, void *context);

#endif
