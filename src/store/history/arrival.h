/*
 * Putting in place what was merged with the store of another machine.
 *
 * The commit exists; its files replace those of the store, and then the branch moves to it. Until
 * all of that is done .sync says so, and whoever takes the lock next continues: a kill leaves the
 * state before or after. A person's edit in between is merged, never overwritten. The lock must be
 * held.
 */
#ifndef KOTA_STORE_HISTORY_ARRIVAL_H
#define KOTA_STORE_HISTORY_ARRIVAL_H

#include "store/history/history_state.h"

/*
 * Says durably that the store is to become as commit `to` has it; it is as `from`, the branch's,
 * has it, but for edits. From here on it will, see arrival_finish().
 */
int arrival_begin(struct store *store, const struct object_id *from, const struct object_id *to,
		  struct err *err);

/*
 * Puts the missing files in place, then moves the branch. Does nothing if nothing has arrived.
 * After a failure it can be retried at any time.
 */
int arrival_finish(struct store *store, struct err *err);

#endif
