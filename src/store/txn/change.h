/*
 * A change of the store: begin, decide, commit.
 *
 *	struct change *change;
 *	change_begin(&change, store, &meta, now_ms, &err);
 *	const struct item *item = store_find(store, category, key);
 *	change_put(change, category, key, entry_text, &err);
 *	change_commit(change, &result, &err);
 *	change_end(change);
 *
 * change_begin takes the lock, finishes what a killed process left, reads the files afresh and lets
 * what is due expire as a change of its own. Until change_end the store's view is current and no
 * other process writes. The operations only collect. change_commit checks the limits, archives what
 * no longer fits, and makes everything durable at once. A failed change changes nothing.
 */
#ifndef KOTA_STORE_TXN_CHANGE_H
#define KOTA_STORE_TXN_CHANGE_H

#include "store/txn/change_commit.h"
#include "store/txn/change_ops.h"

/*
 * Begins a change, and creates the store if it does not exist. ERR_BUSY if the lock is not free
 * within five seconds. meta's texts must outlive the change. On success, call change_end().
 */
int change_begin(struct change **out, struct store *store, const struct change_meta *meta,
		 int64_t now_ms, struct err *err);

/*
 * Begins a rehearsal, for dry runs: as change_begin, but it takes no lock, creates no store and
 * writes nothing. The view is made current as for a reader. change_commit() checks the limits and
 * says which entries would be evicted.
 */
int change_rehearse(struct change **out, struct store *store, int64_t now_ms, struct err *err);

/* Reads the files again, after something other than operations has changed them. */
void change_refresh(struct change *change);

/*
 * Makes the changes that wait (group.h) durable, and releases the lock. -1: none of them may be
 * acknowledged. 0 where nothing waits.
 */
int change_flush(struct store *store, struct err *err);

/* Releases the lock, unless changes wait, and the change. change may be NULL. */
void change_end(struct change *change);

/* Ends at the end of the scope: `CHANGE_AUTO change = NULL;` */
static inline void change_end_of(struct change **change)
{
	change_end(*change);
}
#define CHANGE_AUTO __attribute__((cleanup(change_end_of))) struct change *

#endif
