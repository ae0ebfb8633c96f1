/*
 * The inside of a purge, for the files of that name.
 */
#ifndef KOTA_STORE_PURGE_INTERNAL_H
#define KOTA_STORE_PURGE_INTERNAL_H

#include "store/change.h"
#include "store/purge.h"
#include "store/view.h"

struct purging {
	struct store *store;
	struct disk *disk;
	const struct purge_key *key;
	struct purge_report *report;
	int64_t now_ms;
};

/* Adds a sentence about where the entry may still be. */
void purge_unreached(struct purging *purging, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Can the files that have to change be read? */
int purge_check_files(struct purging *purging, struct err *err);

/* The files of the store, the cold archive and usage.jsonl. */
int purge_files(struct purging *purging, struct err *err);

/* What stands beside the files; to be done after them. */
int purge_beside(struct purging *purging, struct err *err);

/*
 * Replaces a file by a text, durably, without keeping the one before: temporary file, fsync,
 * rename, fsync of the directory. `where` is for the sentence.
 */
int purge_replace(struct purging *purging, int dirfd, const char *where, const char *name,
		  struct slice text, struct err *err);

/* Calls visit with each name in a directory. A non-zero result ends the walk and is returned. */
typedef int (*purge_visitor)(struct purging *purging, void *context, const char *name,
			     struct err *err);
int purge_walk(struct purging *purging, int dirfd, purge_visitor visit, void *context,
	       struct err *err);

#endif
