/*
 * Sweeping: really removing what nothing in a repository refers to any more.
 *
 * All that branches, tags, HEAD, the index and the remaining reflogs lead to is put into one pack,
 * and then every other file of objects goes, whatever its age: loose objects, packs but those that
 * are marked to be kept, and what git derives from them. For who has rewritten the history and
 * means it. The store's lock must be held, and nothing may be pending.
 */
#ifndef KOTA_GIT_WRITE_GC_H
#define KOTA_GIT_WRITE_GC_H

#include "git/repo.h"

/*
 * What is killed in between can be done again. Refused, with nothing changed, where a link or a
 * file leads from the repository to objects of another: see object_folders_check(). *kept says how
 * many packs stay because they are marked, or lie with another repository.
 */
int sweep(struct repo *repo, size_t *kept, struct err *err);

#endif
