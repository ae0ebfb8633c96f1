/*
 * What editors write to a file after it was displaced, and what interrupted processes leave.
 *
 * Units that only the person touched are taken over, units that only we touched stay. The lock
 * must be held throughout. For exchange.c and apply.c.
 */
#ifndef KOTA_STORE_SWAP_DISPLACED_H
#define KOTA_STORE_SWAP_DISPLACED_H

#include "store/files/resolve.h"

/*
 * Deals with a temporary file that an interrupted process left: what was to become the file goes,
 * what came out of it becomes the displaced file.
 */
int settle_leftover(const struct path *path, struct err *err);

/*
 * Compares the displaced file with what is known of it and merges what an editor has written to it
 * since. Where both touched a unit the person's text wins, because it may be the newer one, and
 * ours is kept in the cold archive. What is not valid JSON is kept under another name, and so is
 * what comes from before a power cut. A file that itself does not parse now is left for another
 * time.
 */
int settle_displaced(const struct path *path, enum store_file file, int64_t now_ms,
		     struct err *err);

#endif
