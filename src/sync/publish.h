/*
 * What a store on several machines tells of itself beside its entries: files of its own that are
 * put in place as a change "sync", which a kill leaves done or not begun.
 */
#ifndef KOTA_SYNC_PUBLISH_H
#define KOTA_SYNC_PUBLISH_H

#include "git/repo.h"

struct store;

/*
 * Records the text as the file `name` of the store, in a commit of the subject `verb`, and sets
 * *head to it. The lock must be held, the view be current, *head the branch's.
 */
int publish_file(struct store *store, struct repo *repo, const char *verb, const char *name,
		 struct slice text, struct object_id *head, struct err *err);

/*
 * Brings activity.json up to date where what was used here since then (TIME_NONE: ever) says
 * something new by much: most times nothing is done. As publish_file(); nothing either in a store
 * without a remote. What was used before the last sync was told by that, or was not worth it; told
 * again when an entry comes back from elsewhere, machines would answer each other.
 */
int publish_use(struct store *store, struct repo *repo, int64_t since_ms, struct object_id *head,
		struct err *err);

#endif
