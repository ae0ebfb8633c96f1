/*
 * Replacing a file of the store, whatever editors do to it meanwhile.
 *
 * An editor may still write to the file that a replacement displaced. Before the next one, what it
 * has written since is merged: units that only the person touched are taken over, units that only
 * we touched stay. Where both touched a unit the person's text wins, because it may be the newer
 * one, and ours is kept in the cold archive. What is not valid JSON is kept under another name, and
 * so is what comes from before a power cut. The lock must be held throughout. For store/txn and
 * store/purge.
 */
#ifndef KOTA_STORE_SWAP_DISPLACED_H
#define KOTA_STORE_SWAP_DISPLACED_H

#include "store/swap/exchange.h"

/*
 * Replaces the file, trying again where edits race, after what interrupted processes and editors
 * have left was taken in. ERR_BUSY when the edits do not stop. *written (unless written is NULL)
 * says whether the new text may be in place; it stays as it was when nothing was tried.
 */
int replace_file(struct disk *disk, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, bool *written, struct err *err);

/*
 * Takes in what interrupted processes and editors have left, without replacing anything. What
 * concerns that file alone is no failure: a link that leads nowhere, a directory in the place of a
 * temporary file, a file that does not parse. Whoever changes it says so.
 */
int displaced_absorb(struct disk *disk, enum store_file file, int64_t now_ms, struct err *err);

#endif
