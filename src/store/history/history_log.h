/*
 * The log of a store: what each change did to which entries, from new to old.
 *
 *	struct history_log *log;
 *	history_log_open(&log, store, NULL, &err);
 *	while (history_log_next(log, &change, &err) == 1) ... change.items[i] ...
 *	history_log_close(log);
 *
 * For the operations that show the history or put something back. Needs no lock and changes
 * nothing. What is handed out belongs to the log and is valid until its next step. A text that two
 * changes in a row have in common is read once; who is after one entry only narrows the log to its
 * category, and asks for the rest of a change when it matters.
 */
#ifndef KOTA_STORE_HISTORY_HISTORY_LOG_H
#define KOTA_STORE_HISTORY_HISTORY_LOG_H

#include "store/history/log_change.h"
#include "store/view/query.h"

struct history_log;

/*
 * Opens the log at a change; NULL: at the pending changes, newest first, followed by the last
 * commit. ERR_NO_HISTORY without a history, with how to turn one on. If the history cannot be read,
 * the pending changes are returned, and then history_log_next() fails.
 */
int history_log_open(struct history_log **out, struct store *store, const struct object_id *from,
		     struct err *err);

/*
 * Edits by hand: what is in the files and in no change, pending ones included, as a change without
 * an id or author. Records nothing; narrowing the log does not affect it. The log must be opened
 * from NULL.
 */
int history_log_unrecorded(struct history_log *log, struct log_change *out, struct err *err);

/*
 * What differs between a change and a later one, in the form of history_log_unrecorded(); to NULL:
 * the current files.
 */
int history_log_between(struct history_log *log, const struct object_id *from,
			const struct object_id *to, struct log_change *out, struct err *err);

/* The entries that a caller asks for; refs and keys as a message or a file spells them. */
struct log_filter {
	bool (*concerns)(void *context, enum category category, struct slice key);
	void *context;
	const struct object_id *stop; /* a change that is told in any case */
};

/*
 * From the next step on the log may skip changes that do not concern these entries: whole runs of
 * changes whose messages name other entries, if none of these entries differs between the ends. The
 * filter stays the caller's and may change from step to step.
 */
void history_log_expect(struct history_log *log, const struct log_filter *filter);

/* 1 and the next change, 0 at the end, -1 on failure. */
int history_log_next(struct history_log *log, struct log_change *out, struct err *err);

/*
 * From the next step on only entries of these categories are reported, 1 << category each: no other
 * entries, no records and no other files.
 */
void history_log_narrow(struct history_log *log, unsigned int categories);

/* What history_log_next() left out of a change because the log is narrowed. */
int history_log_whole(struct history_log *log, struct log_change *change, struct err *err);

void history_log_close(struct history_log *log);

/* Closed at the end of the scope: `HISTORY_LOG_AUTO log = NULL;` */
static inline void history_log_close_of(struct history_log **log)
{
	history_log_close(*log);
}
#define HISTORY_LOG_AUTO __attribute__((cleanup(history_log_close_of))) struct history_log *

/*
 * Finds the change whose id begins with the text. ERR_NOT_FOUND if there is none, or several.
 */
int history_log_resolve(struct store *store, struct slice name, struct object_id *out,
			struct err *err);

/*
 * The JSON text of an entry as a change left it, into *out (cleared first): absent is an empty
 * text. key is as spelt.
 */
int history_log_entry_at(struct store *store, const struct object_id *change,
			 enum category category, struct slice key, struct str *out,
			 struct err *err);

#endif
