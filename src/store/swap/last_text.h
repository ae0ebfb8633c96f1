/*
 * Which text of a file can be believed, and `.NAME.last`, the last one that a change made.
 *
 * A text that does not parse, or an empty one where there were entries, is a slip and no deletion:
 * readers go on from the last text that can be believed, and writers refuse. Where a history
 * records each change, that text is in it; elsewhere a copy stands beside the file. The copy is
 * written without a flush: it may be lost, and then the text is.
 */
#ifndef KOTA_STORE_SWAP_LAST_TEXT_H
#define KOTA_STORE_SWAP_LAST_TEXT_H

#include "store/files/dir.h"

#define SIBLING_LAST "last"

/*
 * True if this text of the file can be believed: it parses, and is an object. *count (NULL: not
 * asked) gets the number of its entries, records or links. A blank text says nothing: false.
 */
bool last_text_is_sound(enum store_file file, struct slice text, size_t *count);

/*
 * Keeps the text, which a file of this identity has, as the last one of the file, unless it is kept
 * already; best effort. Only in a store that is the person's own, or that the person named.
 */
void last_text_keep(struct disk *disk, enum store_file file, const struct file_id *id,
		    struct slice text);

/*
 * Reads what was kept, into *text (cleared first), and when it was written. False when there is
 * none that is sound, or none that may be believed in this store.
 */
bool last_text_read(struct disk *disk, enum store_file file, struct str *text, int64_t *at_ms);

#endif
