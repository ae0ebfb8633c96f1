/*
 * What was merged with the store of another machine, being put in place.
 *
 * The commit is made, and its files are to replace those of the store; then the branch moves to it.
 * .sync says so until all of it is done: whoever takes the lock next goes on, so that a kill leaves
 * the state before or after. A person's edit that comes in between is merged, never replaced. The
 * lock must be held.
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
 * Puts the files in place that are not there yet, then moves the branch. Nothing where nothing
 * arrives. After a failure it can be tried again at any time.
 */
int arrival_finish(struct store *store, struct err *err);

#endif
