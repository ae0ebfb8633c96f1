/*
 * The project that a folder belongs to, and the store in it.
 *
 * Nothing here opens a repository: plain stats, and a read or two of the small files by which git
 * knows a linked work tree. All paths are real, so links on the way do not matter. For src/store
 * and `kota init`.
 */
#ifndef KOTA_STORE_LOCATION_PROJECT_H
#define KOTA_STORE_LOCATION_PROJECT_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "store/location/place.h"

#include <stdbool.h>

/* Where the store of a project is, below one of its folders. */
#define PROJECT_PATH PROJECT_FOLDER "/" PROJECT_STORE

struct project {
	char *here;  /* the folder that was asked about */
	char *start; /* the same; for a folder inside a store the one that has the store */
	/*
	 * The root of the work tree: the nearest folder with a `.git`, at or above start. NULL when
	 * there is none before a folder that belongs to somebody else.
	 */
	char *top;
};

/*
 * Finds the project of a folder; where there is no such folder, or it is closed to this user,
 * *found is false. Release with project_release().
 */
int project_find(struct project *out, const struct sys *sys, const char *folder, bool *found,
		 struct err *err);

/* Frees the paths, leaves an empty project. */
void project_release(struct project *project);

enum project_store {
	PROJECT_STORE_NONE,
	PROJECT_STORE_FOLDER,
	PROJECT_STORE_LINKED /* `data` or `kota_memory` is a link: it is not to be followed */
};

/*
 * Finds the store in this folder itself. If it is linked, *link (cleared first) gets the path of
 * the link.
 */
int project_store_in(const struct sys *sys, const char *folder, enum project_store *out,
		     struct str *link, struct err *err);

/*
 * The first store from start up to top, or in start alone where there is no top. *folder is what
 * has it, NULL when there is none; the caller frees it. *link as above when it is a linked one.
 */
int project_store(const struct project *project, const struct sys *sys, char **folder,
		  struct str *link, struct err *err);

#endif
