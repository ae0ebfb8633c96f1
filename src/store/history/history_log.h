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
 * From a change on. From NULL: those that wait first, newest first, and then from the last commit
 * on. ERR_NO_HISTORY where there is none, and how to have one; where one is there that cannot be
 * read, and changes wait, these are told, and then history_log_next() fails.
 */
int history_log_open(struct history_log **out, struct store *store, const struct object_id *from,
		     struct err *err);

/*
 * What the files have and no change says, those that wait included, as a change of nobody's without
 * an id: edits by hand. Nothing is recorded by it; what the log was narrowed to does not matter.
 * The log must be opened from NULL.
 */
int history_log_unrecorded(struct history_log *log, struct log_change *out, struct err *err);

/*
 * What differs between a change and a later one, as history_log_unrecorded() tells it; to NULL: the
 * files as they are.
 */
int history_log_between(struct history_log *log, const struct object_id *from,
			const struct object_id *to, struct log_change *out, struct err *err);

/* Which entries somebody is after; refs and keys are as a message or a file spells them. */
struct log_filter {
	bool (*concerns)(void *context, enum category category, struct slice key);
	void *context;
	const struct object_id *stop; /* a change that is told in any case */
};

/*
 * From the next step on changes that do not concern these entries may be left out: whole runs of
 * them, where the words of each name other entries and none of these differs between the ends. The
 * filter is the caller's, who keeps it, and may answer otherwise from step to step.
 */
void history_log_expect(struct history_log *log, const struct log_filter *filter);

/* 1 and the next change, 0 at the end, -1 on failure. */
int history_log_next(struct history_log *log, struct log_change *out, struct err *err);

/*
 * From the next step on only the entries of these categories are looked at, 1 << category each:
 * of other entries, of records and of other files nothing is said.
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
 * The change that a text names: some digits of its id. ERR_NOT_FOUND when there is none, or
 * several.
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
