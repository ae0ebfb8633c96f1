/*
 * A category file that a person removed: a deletion by hand of all its entries.
 *
 * They go to the archive, from the last text of the file, as a change of its own that one undo
 * takes back; the file is there again, without entries. For who begins a change.
 */
#ifndef KOTA_STORE_TXN_REMOVED_H
#define KOTA_STORE_TXN_REMOVED_H

#include "store/view/state.h"

/*
 * True if this process saw entries in a file that is gone now, or metadata.json counts some: that
 * is asked once for each time that the file is looked for.
 */
bool removed_any(struct store *store);

/*
 * Archives what was in files that are gone; the lock must be held, the view current. What cannot be
 * done is a notice. Nothing happens where the files may be gone for another reason: in a store that
 * a surrounding repository shares, and while somebody is at work in its own.
 */
void removed_archive(struct store *store);

#endif
