/*
 * Where the loader has found the libraries of this process, and where it looks for more.
 *
 * For src/store/files/confine.c: libgit2 is loaded when it is first needed, from folders that must
 * still be open to the process then.
 */
#ifndef KOTA_BASE_LIBRARIES_H
#define KOTA_BASE_LIBRARIES_H

#include "base/sys.h"

/* Called with a folder, once or more; the path is the walk's own. */
typedef void (*library_visitor)(void *context, const char *folder);

/*
 * Walks the folders of the libraries that are loaded, and those in which the loader looks for what
 * this program asks for, as far as the C library says. Where the library that is wanted is in none
 * of the latter, also those in the loader's cache, of which there may be many.
 */
void libraries_walk(const struct sys *sys, const char *wanted, library_visitor visit,
		    void *context);

#endif
