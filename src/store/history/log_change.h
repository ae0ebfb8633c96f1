/*
 * A change as the log of a store reports it. See history_log.h.
 */
#ifndef KOTA_STORE_HISTORY_LOG_CHANGE_H
#define KOTA_STORE_HISTORY_LOG_CHANGE_H

#include "git/libgit2.h"
#include "model/diff.h"

struct log_change {
	struct object_id id; /* none: it is pending, or an edit */
	bool waits;          /* pending: recorded when the history works again */
	const char *author;  /* who made it: the person's git name, or kota-memory */
	const char *email;
	bool by_hand;         /* not by this program: a person's edit or commit */
	struct slice subject; /* "set preferences:editor" */
	int64_t time_ms;
	int offset_min;      /* of the zone it was made in */
	struct slice tool;   /* memory_set; absent for an edit by hand, likewise below */
	struct slice client; /* name and version */
	struct slice session;
	struct slice host;              /* the machine, in a store with a remote */
	struct slice change;            /* its id in .pending and the journal */
	const struct difference *items; /* entries and archive records that differ */
	size_t count;
	const char *const *files; /* files without entries that differ: config.json, notes */
	size_t file_count;
};

#endif
