/*
 * The inside of a purge, for the files of that name.
 */
#ifndef KOTA_STORE_PURGE_PURGE_INTERNAL_H
#define KOTA_STORE_PURGE_PURGE_INTERNAL_H

#include "git/repo.h"
#include "store/purge/purge.h"
#include "store/purge/purge_set.h"
#include "store/txn/change.h"
#include "store/view/snapshot.h"

/* A commit that took a key of the set from the entry. */
struct purge_event {
	struct object_id commit;
	size_t key; /* position in the set */
};

struct purging {
	struct store *store;
	struct disk *disk;
	struct purge_set *set;
	struct purge_event *events;
	size_t event_count;
	size_t event_cap;
	struct purge_report *report;
	int64_t now_ms;
	bool begun; /* something was changed, now or by an interrupted purge */
};

/* Adds a sentence on where the entry may still be. */
void purge_unreached(struct purging *purging, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- purge_names.c */

/*
 * Adds the earlier names of the entry to the set, and the commits that took them from it. A moved
 * entry is recognised by its time of creation and its value, a merged one by "merged_from" and the
 * links of that kind, in commits and in records of the archive.
 */
int purge_names_find(struct purging *purging, struct err *err);

/* Sets which names are ended, by the files as they are now. */
void purge_names_now(struct purging *purging);

/* The same at the beginning of the history. */
void purge_names_at_first(struct purging *purging);

/* ---- purge_files.c and the like */

/* Checks that the files to be changed can be read. */
int purge_check_files(struct purging *purging, struct err *err);

/* Purges the files of the store, the cold archive and usage.jsonl, then the files beside them. */
int purge_files(struct purging *purging, struct err *err);

/* The repository of the store; NULL unless this program made it. */
struct repo *purge_own_repository(struct store *store);

/* Purges the history, and reports what it cannot reach in the repository. */
int purge_history(struct purging *purging, struct err *err);

/* Sets found[c] for each category in which the history has the key. */
int purge_history_knows(struct store *store, struct slice key, bool found[CATEGORY_COUNT],
			struct err *err);

/*
 * Replaces a file by a text, durably, without keeping the one before. where says which folder of
 * the store it is in, for messages: "archive.cold/", or "" for the store itself.
 */
int purge_replace(struct purging *purging, int dirfd, const char *where, const char *name,
		  struct slice text, struct err *err);

/* Calls visit with each name in a directory, sorted, but for "." and "..". A non-zero result ends
 * the walk and is returned. */
typedef int (*purge_visitor)(struct purging *purging, void *context, const char *name,
			     struct err *err);
int purge_walk(struct purging *purging, int dirfd, purge_visitor visit, void *context,
	       struct err *err);

#endif
