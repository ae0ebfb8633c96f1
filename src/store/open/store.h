/*
 * One open store: what a reader sees.
 *
 *	struct store *store;
 *	store_open(&store, sys, env, path, &err);
 *	store_refresh(store, now_ms, &err);          once per request
 *	const struct item *items = store_items(store, &count);
 *	...
 *	store_close(store);
 *
 * Readers take no lock: they see the old or the new file, and parsed files are kept as long as a
 * stat says that they are still the same. Everything returned is owned by the store and valid until
 * the next refresh, change or close. A file that does not parse is reported as a notice and counts
 * as empty; the others go on working. A store that does not exist reads as empty and is not
 * created. To write: store/txn/change.h.
 */
#ifndef KOTA_STORE_OPEN_STORE_H
#define KOTA_STORE_OPEN_STORE_H

#include "store/location/place.h"
#include "store/txn/refresh.h"
#include "store/view/entry_lookup.h"
#include "store/view/query.h"

/* Opens the store at place; see disk_open_at() for what is refused. sys and env must outlive it. */
int store_open_at(struct store **out, const struct sys *sys, environment env,
		  const struct place *place, struct err *err);

/* The same for a process that confines itself to it; see disk_open_confined(). */
int store_open_confined(struct store **out, const struct sys *sys, environment env,
			const struct place *place, struct confine *confine, struct err *err);

/* The same for a path that the person named. */
int store_open(struct store **out, const struct sys *sys, environment env, const char *path,
	       struct err *err);

/*
 * The folder of the store, if the person named one that did not exist and this process created it:
 * returned once, then NULL. Owned by the store.
 */
const char *store_take_made(struct store *store);

/*
 * A memory was stored: a notice says when the last one of the same project went to another store.
 */
void store_note_destination(struct store *store);

/*
 * Makes the store read-only from now on: nothing is written, no use is counted, and what is due
 * counts as archived but stays in its file.
 */
void store_hands_off(struct store *store);

/* Frees the view with all that it handed out, and closes the directory; NULL is ignored. */
void store_close(struct store *store);

/*
 * Reports the progress of reading, indexing and the like from now on; NULL: to nobody. *progress
 * must outlive the store, or be unset before.
 */
void store_watch(struct store *store, const struct progress *progress);

/*
 * Checks that the file could be read, or that its last text is known. ERR_BAD_DATA with
 * file:line:column when not; then it counts as empty.
 */
int store_check_file(struct store *store, enum store_file file, struct err *err);

/* Checks that the file can be changed, which it cannot if only its last text is known. */
int store_check_change(struct store *store, enum store_file file, struct err *err);

/*
 * Makes durable what only the log of the history has, and goes on with merging packs: while no
 * request is there, and at the end. Does nothing if another process has the lock. Failures are
 * ignored, since the next change does it.
 */
void store_rest(struct store *store);

#endif
