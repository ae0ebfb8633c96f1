/*
 * Restores the layout of a file when a change is undone.
 *
 * A restored entry has its old content, but it would be at the end of its file, in the style of its
 * neighbours. If the whole file means the same again as before the change, and nobody has touched
 * it since, it gets the exact bytes that it had. This is only a hint: the operations alone
 * determine the content, and a redo after a crash ignores the layout.
 */
#ifndef KOTA_STORE_SWAP_LAYOUT_H
#define KOTA_STORE_SWAP_LAYOUT_H

#include "store/files/dir.h"

struct layout {
	struct slice text; /* what the file was; absent: no hint */
	uint64_t instead;  /* hash64 of what the change made of it */
};

/*
 * True if two texts of a file have the same entries, records or links, in any order and layout.
 * False if one of them does not parse.
 */
bool layout_same(enum store_file file, struct slice a, struct slice b);

#endif
