/*
 * When entries were last active, and which of them are due. For src/store only.
 *
 * That depends on the files, on usage and on the clock. It is computed for all entries of a
 * category when its file was read again, and for one entry when only that one was used: a lookup
 * does not cost a walk through all entries.
 */
#ifndef KOTA_STORE_VIEW_ACTIVITY_H
#define KOTA_STORE_VIEW_ACTIVITY_H

#include "store/view/state.h"

/* Brings times, hits, who is due, and store->clock_trusted up to date. */
void activity_update(struct store *store);

#endif
