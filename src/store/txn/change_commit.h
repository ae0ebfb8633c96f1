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

/* How changes that waited were made. */
struct settled {
	bool read_again; /* the view is another than it was: somebody edited a file meanwhile */
	bool recorded;   /* they are in the history, where there is one */
};

/*
 * Makes the changes that wait (group.h) durable and records them; the lock is kept. -1: none of
 * them may be acknowledged.
 */
int commit_settle(struct store *store, struct settled *settled, struct err *err);

/*
 * Checks the limits and makes the change durable; where changes may wait (group.h) it may do so,
 * and is durable when change_flush() has succeeded. Without operations it does nothing. *result may
 * be NULL. After an error the change can only be ended.
 */
int change_commit(struct change *change, struct change_result *result, struct err *err);

/*
 * As change_commit(), of a change without operations after a merge was put in place: entries and
 * records are evicted where there are more than the limits allow and than either side held. What is
 * pinned stays, and nothing is refused.
 */
int change_fit_arrived(struct change *change, const struct held *held, struct change_result *result,
		       struct err *err);

#endif
