/*
 * Packing: a repository of ours does not grow without bound.
 *
 * Three loose objects come with each change, which take some kilobytes each. Once there are some
 * hundreds, all of them are put into one pack, which takes a tenth or less, and then the loose
 * files go. What nobody refers to is packed like the rest: it may be staged, or about to be
 * committed. So nothing is ever lost here, whoever works in the repository meanwhile, and no lock
 * of git's is needed. Packs are left as they are: to make one of many costs seconds, under the
 * store's lock, and saves nothing. The store's lock must be held.
 */
#ifndef KOTA_GIT_PACK_H
#define KOTA_GIT_PACK_H

#include "git/repo.h"

/* Are there about five hundred loose objects? Looks into a few of their 256 folders. */
bool pack_is_due(struct repo *repo);

/* Loose objects, all of them; as many as can be read. */
size_t pack_loose_count(struct repo *repo);

/* Bytes that the objects take on the disk, loose and packed. */
int64_t pack_disk_bytes(struct repo *repo);

/*
 * Packs. All that goes is in a pack that is durable. After a failure or a kill at any moment there
 * may be more files than needed, which the next packing takes away; never fewer.
 */
int pack_run(struct repo *repo, struct err *err);

#endif
