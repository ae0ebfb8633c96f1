/*
 * Following one entry into the past, wherever it was.
 *
 *	struct follow follow;
 *	follow_open(&follow, call, "key", args->key, NULL, &err);
 *	while (follow_next(&follow, &change, &told, &err) == 1) ... *told ...
 *	follow_close(&follow);
 *
 * From new to old, those changes that are about the entry. One that moved it is told, and from then
 * on it is looked for where it came from: another category, another key, the archive. For the
 * operations on the history. What is handed out is valid until the next step.
 */
#ifndef KOTA_OPS_HISTORY_ENTRY_HISTORY_H
#define KOTA_OPS_HISTORY_ENTRY_HISTORY_H

#include "ops/history/change_summary.h"

struct follow {
	const struct call *call;
	struct history_log *log;
	struct log_filter filter;
	struct object_id until; /* the walk ends before this change; none: at the beginning */
	int category;           /* where the entry is now; CATEGORY_ANY until it was seen */
	struct slice key;       /* as spelt there */
	struct slice ref;       /* what it is called now, or was last; absent until it was seen */
	struct str identity;    /* what equal keys have in common */
	struct arena places;
	struct arena step;
};

/*
 * Opens the log from a change on, NULL for the last one. The key is one in use, else whatever the
 * log has; view and log must be fresh. Errors as common_parse_ref() and history_log_open().
 */
int follow_open(struct follow *out, const struct call *call, const char *param, struct slice key,
		const struct object_id *from, struct err *err);

/* What is not recorded yet, when it is about the entry: 1, else 0; -1 on failure. Comes first. */
int follow_unrecorded(struct follow *follow, struct log_change *change, const struct told **told,
		      struct err *err);

/* 1 and the next change that is about the entry with what it did to it; 0 at the end; -1. */
int follow_next(struct follow *follow, struct log_change *change, const struct told **told,
		struct err *err);

/* ERR_NOT_FOUND for a key that neither the store nor its past has. */
int follow_refuse(const struct follow *follow, const char *param, struct err *err);

/* Closes it; zeroes are none. */
void follow_close(struct follow *follow);

/* Closed at the end of the scope: `FOLLOW_AUTO follow = {0};` */
#define FOLLOW_AUTO __attribute__((cleanup(follow_close))) struct follow

#endif
