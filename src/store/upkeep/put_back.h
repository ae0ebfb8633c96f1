/*
 * What has expired and is wanted after all.
 */
#ifndef KOTA_STORE_UPKEEP_PUT_BACK_H
#define KOTA_STORE_UPKEEP_PUT_BACK_H

#include "store/txn/change.h"

/*
 * Puts an archived entry back into service, as a change of its own of
 * this tool and client. It counts as active now. Returns false, and does nothing, where that would
 * take a wait for the lock, a place that another entry has, or more than a read may do to the
 * store. Afterwards items and records from before are no longer valid.
 */
bool store_put_back(struct store *store, const struct archived *archived,
		    const struct change_meta *meta);

#endif
