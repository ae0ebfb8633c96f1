/*
 * How a file looked before a change that is taken back.
 *
 * What is put back says the same as before, but it would stand at the end of its file, and in the
 * look of what is around it. Where the whole file says the same again, and nobody has touched it
 * since, the very bytes that it had come back instead. A wish, and never more: operations alone say
 * what the file is to hold, and a redo after a crash knows nothing of this.
 */
#ifndef KOTA_STORE_SWAP_LAYOUT_H
#define KOTA_STORE_SWAP_LAYOUT_H

#include "store/files/dir.h"

struct layout {
	struct slice text; /* what the file was; absent: no wish */
	uint64_t instead;  /* hash64 of what the change made of it */
};

/*
 * True if two texts of a file hold the same entries, records or links, in whatever order and
 * layout. False when one of them does not parse.
 */
bool layout_same(enum store_file file, struct slice a, struct slice b);

#endif
