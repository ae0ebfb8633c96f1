/*
 * Making room: what has to go so that the limits hold.
 */
#ifndef KOTA_STORE_TXN_ENFORCE_LIMITS_H
#define KOTA_STORE_TXN_ENFORCE_LIMITS_H

#include "store/txn/change_ops_internal.h"

/*
 * Adds what must be moved so that the limits hold after the change: entries of categories that
 * are over their number, then oldest archive records to the cold archive, then least recently
 * active entries. ERR_STORE_FULL with limit and size when nothing more can move. What a person
 * wrote over a limit stays: a change only makes up for what it adds, and an entry that is larger
 * than limits.entry_bytes is named by a notice instead of making others go. What is taken back may
 * go over limits.total_bytes rather than evict an entry.
 */
int fit_limits(struct change *change, struct err *err);

/*
 * The same for a merge that is in place: adds what must be moved of a store that was within its
 * limits on both sides. What either side held before stays, also over a limit, and so does what is
 * pinned, and everything while the settings are broken. Nothing is refused.
 */
int fit_arrived(struct change *change, const struct held *held, struct err *err);

#endif
