/*
 * Expiry: moving what nobody used for too long to the archive, as a change of its own. For
 * src/store only.
 */
#ifndef KOTA_STORE_TXN_EXPIRE_H
#define KOTA_STORE_TXN_EXPIRE_H

#include "store/view/query.h"

/*
 * Archives every entry that is due, in one change (reason expiry); the lock must be held and the
 * view current, and is current again afterwards. What cannot be moved stays in its file, marked due,
 * and a notice says why: expiry never stands in the way of the operation that it precedes.
 */
void expire_due(struct store *store);

#endif
