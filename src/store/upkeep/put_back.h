/*
 * Brings an expired entry back when it is asked for.
 */
#ifndef KOTA_STORE_UPKEEP_PUT_BACK_H
#define KOTA_STORE_UPKEEP_PUT_BACK_H

#include "store/txn/change.h"

/*
 * Makes an archived entry active again, as a change of its own by the tool and client in meta.
 * Returns false, and changes nothing, if the lock is taken, if the category is full, or if a read
 * may not change this store. Items and records from before are no longer valid afterwards.
 */
bool store_put_back(struct store *store, const struct archived *archived,
		    const struct change_meta *meta);

#endif
