/*
 * Carrying out the operations of a change.
 */
#ifndef KOTA_STORE_TXN_CHANGE_COMMIT_H
#define KOTA_STORE_TXN_CHANGE_COMMIT_H

#include "store/txn/change_ops.h"

/* What happened; owned by the change, valid until change_end. */
struct change_result {
	const struct slice *evicted; /* refs that had to make room */
	size_t evicted_count;
	struct slice archived; /* ref of the record of change_archive_copy(), else absent */
};

/*
 * Checks the limits and makes the change durable. Without operations it does nothing. *result may
 * be NULL. After an error the change can only be ended.
 */
int change_commit(struct change *change, struct change_result *result, struct err *err);

#endif
