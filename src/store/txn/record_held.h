/*
 * Recording what waits because it may hold a secret.
 */
#ifndef KOTA_STORE_TXN_RECORD_HELD_H
#define KOTA_STORE_TXN_RECORD_HELD_H

#include "store/view/query.h"

/*
 * Records all that waits, secrets as well: the person says so. Takes the lock itself.
 * ERR_NO_HISTORY with the reason where there is none, ERR_BUSY as a change would.
 */
int history_record_held(struct store *store, int64_t now_ms, struct err *err);

#endif
