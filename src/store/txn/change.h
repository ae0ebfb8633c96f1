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
 * what is due expire as a change of its own; until change_end the store's view is current and
 *nobody else writes. The operations only collect; change_commit checks the limits, archives what
 *has to go, and makes everything durable at once. A failed change changes nothing.
 */
#ifndef KOTA_STORE_TXN_CHANGE_H
#define KOTA_STORE_TXN_CHANGE_H

#include "store/txn/change_commit.h"
#include "store/txn/change_ops.h"

/*
 * Begins a change; creates the store when it does not exist. ERR_BUSY when the lock is not to be
 * had within five seconds. meta's texts must outlive the change. On success: change_end().
 */
int change_begin(struct change **out, struct store *store, const struct change_meta *meta,
		 int64_t now_ms, struct err *err);

/*
 * A rehearsal: as change_begin, but it takes no lock, creates no store and writes nothing. The view
 * is made current as for a reader; change_commit() checks the limits, says what would have to make
 * room, and leaves everything as it is. For dry runs, which are to say what the change would do.
 */
int change_rehearse(struct change **out, struct store *store, int64_t now_ms, struct err *err);

/* The files were changed otherwise than by operations: reads them again, counts anew. */
void change_refresh(struct change *change);

/* Releases the lock and the change. NULL is allowed. */
void change_end(struct change *change);

/* Ends at the end of the scope: `CHANGE_AUTO change = NULL;` */
static inline void change_end_of(struct change **change)
{
	change_end(*change);
}
#define CHANGE_AUTO __attribute__((cleanup(change_end_of))) struct change *

#endif
