/*
 * Merging packs: a long history is in a few packs, however many were written.
 *
 * Packs are merged as git repack --geometric=2 does it: each of ours is to have at least twice as
 * many objects as all smaller ones together, so that their number grows with the logarithm of the
 * history. To copy a large pack takes seconds, so it is done in steps, one with each change. How
 * far it is stands in .git/kota-merge, for the next process to go on; nothing of it counts until
 * the new pack is whole, durable and in its place. Only then the old ones go. The contents are
 * copied as they are, one pack behind the other: a difference says how far back its other text is,
 * and that stays so.
 *
 *	pack_merge_begin(repo, &err);           where packs have been written
 *	pack_merge_step(repo, &more, &err);     now and then
 *
 * Where a person keeps an index of many packs (git multi-pack-index) nothing is merged: it names
 * the packs. For src/git and the history; the store's lock must be held.
 */
#ifndef KOTA_GIT_WRITE_PACK_MERGE_H
#define KOTA_GIT_WRITE_PACK_MERGE_H

#include "git/repo_state.h"

/* Chooses what is to be merged, where nothing is being merged yet. */
int pack_merge_begin(struct repo *repo, struct err *err);

/*
 * Goes on with it: reads and writes about a megabyte. *more says whether there is something left.
 * After a failure it is begun anew some time later, and nothing is lost.
 */
int pack_merge_step(struct repo *repo, bool *more, struct err *err);

/* Gives it up; nothing is left of it. */
int pack_merge_abandon(struct repo *repo, struct err *err);

#endif
