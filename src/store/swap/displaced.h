/*
 * Replaces a file of the store while editors may be writing to it.
 *
 * An editor may still write to the file that a replacement displaced. Before the next replacement,
 * such late edits are merged: members that only the person changed are taken over, members that
 * only we changed stay. If both changed a member, the person's text wins, because it may be the
 * newer one, and ours goes to the cold archive. Text that is not valid JSON is kept under another
 * name, and so is text from before a power cut. The lock must be held throughout. For store/txn and
 * store/purge.
 */
#ifndef KOTA_STORE_SWAP_DISPLACED_H
#define KOTA_STORE_SWAP_DISPLACED_H

#include "store/swap/exchange.h"

/*
 * Absorbs what interrupted processes and editors have left, then replaces the file, and tries again
 * if an edit comes between. ERR_BUSY if the edits do not stop. *written says whether the new text
 * may be in place, and is untouched if nothing was tried; written may be NULL.
 */
int replace_file(struct disk *disk, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, bool *written, struct err *err);

/*
 * Absorbs what interrupted processes and editors have left, without replacing anything. Problems of
 * this file alone are not failures: a dangling link, a directory in place of a temporary file, a
 * file that does not parse. The next change of the file reports them.
 */
int displaced_absorb(struct disk *disk, enum store_file file, int64_t now_ms, struct err *err);

#endif
