/*
 * Records of what a change takes out of service or overwrites. For src/store only.
 */
#ifndef KOTA_STORE_TXN_ARCHIVE_OPS_H
#define KOTA_STORE_TXN_ARCHIVE_OPS_H

#include "store/txn/change_internal.h"

enum shelter {
	SHELTER_ARCHIVE, /* archive.json */
	SHELTER_COLD,    /* the cold archive */
	SHELTER_UNDO     /* the cold archive, marked as no archived entry */
};

/*
 * Adds the record of an item, under a key that no other record has. Returns the record's ref, which
 * lives as long as the change.
 */
struct slice shelter_item(struct change *change, const struct item *item, enum reason reason,
			  enum shelter shelter);

/*
 * Keeps what putting entry_text over old overwrites, so that the change can be undone. What the
 * change records anyway, and a put that changes nothing but the time, need no copy. With history on
 * the log does this, and it is not called.
 */
void shelter_overwritten(struct change *change, const struct item *old, struct slice entry_text);

#endif
