/*
 * Replacing a file of the store, whatever editors do to it meanwhile.
 *
 * The policy above the exchange of one file: what an editor has written to the displaced file is
 * taken in first, and a replacement that an edit has overtaken is tried again.
 */
#ifndef KOTA_STORE_SWAP_REPLACE_H
#define KOTA_STORE_SWAP_REPLACE_H

#include "store/swap/exchange.h"

/*
 * Replaces the file, trying again where edits race, and merges what an editor has written to the
 * displaced file. ERR_BUSY when they do not stop. *written (unless written is NULL) is as above,
 * and stays as it was when nothing was tried.
 */
int replace_file(struct disk *disk, enum store_file file, const struct rewrite *rewrite,
		 int64_t now_ms, bool *written, struct err *err);

#endif
