/*
 * Removes the objects of a repository that nothing refers to.
 *
 * Packs everything that is reachable from branches, tags, HEAD, the index and the remaining reflogs
 * into one pack. Then removes every other object file of any age: loose objects, packs that are not
 * marked to be kept, and what git derives from them. For use after a rewrite of the history. The
 * store's lock must be held, and nothing may be pending.
 */
#ifndef KOTA_GIT_WRITE_GC_H
#define KOTA_GIT_WRITE_GC_H

#include "git/repo.h"

/*
 * May be repeated after a kill. Fails, with nothing changed, if a link or a file leads from the
 * repository to the objects of another one: see object_folders_check(). *kept is the number of
 * packs that stay because they are marked or belong to another repository.
 */
int sweep(struct repo *repo, size_t *kept, struct err *err);

#endif
