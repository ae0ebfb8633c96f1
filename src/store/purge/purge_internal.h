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

/* A commit by which a key of the set ceased to be a name of the entry. */
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
	bool begun; /* something has changed, now or by a purge that was interrupted */
};

/* Adds a sentence about where the entry may still be. */
void purge_unreached(struct purging *purging, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- purge_names.c */

/*
 * Adds the names that the entry had before to the set, and the commits by which it lost them. What
 * was moved is known by its time of creation and its value, what was merged by "merged_from" and
 * the links of that kind; by commits, and by records of the archive.
 */
int purge_names_find(struct purging *purging, struct err *err);

/* Sets what is ended to what it is in the files as they are. */
void purge_names_now(struct purging *purging);

/* Likewise at the beginning of the history. */
void purge_names_at_first(struct purging *purging);

/* ---- purge_files.c and the like */

/* Checks that the files that have to change can be read. */
int purge_check_files(struct purging *purging, struct err *err);

/* The files of the store, the cold archive and usage.jsonl. */
int purge_files(struct purging *purging, struct err *err);

/* What stands beside the files; to be done after them. */
int purge_beside(struct purging *purging, struct err *err);

/* The repository of the store; NULL where there is none that this program made. */
struct repo *purge_own_repository(struct store *store);

/* Takes it out of the history, and names what of the repository it does not reach. */
int purge_history(struct purging *purging, struct err *err);

/* *found[c] for each category in which the history knows the key. */
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
