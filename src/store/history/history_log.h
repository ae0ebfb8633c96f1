/*
 * The past of a store: what each change did to which entries, from new to old.
 *
 *	struct past *past;
 *	past_open(&past, store, NULL, &err);
 *	while (past_next(past, &change, &err) == 1) ... change.items[i] ...
 *	past_close(past);
 *
 * For the operations that show the history or put something back. Needs no lock and changes
 * nothing. What is handed out belongs to the past and is valid until its next step. A text that two
 * changes in a row have in common is read once; who is after one entry only narrows the past to its
 * category, and asks for the rest of a change when it matters.
 */
#ifndef KOTA_STORE_HISTORY_HISTORY_LOG_H
#define KOTA_STORE_HISTORY_HISTORY_LOG_H

#include "git/libgit2.h"
#include "model/diff.h"
#include "store/view/query.h"

struct past;

struct past_change {
	struct object_id id;
	const char *author; /* who made it: the person's git name, or kota-memory */
	const char *email;
	bool by_hand;         /* no change of the program: somebody's edit or commit */
	struct slice subject; /* "set preferences:editor" */
	int64_t time_ms;
	int offset_min;      /* of the zone it was made in */
	struct slice tool;   /* memory_set; absent for an edit by hand, likewise below */
	struct slice client; /* name and version */
	struct slice session;
	struct slice change;            /* its id in .pending and the journal */
	const struct difference *items; /* entries and archive records that differ */
	size_t count;
	const char *const *files; /* files without entries that differ: config.json, notes */
	size_t file_count;
};

/* From a change on, NULL for the last one. ERR_NO_HISTORY where there is none, and how to have one.
 */
int past_open(struct past **out, struct store *store, const struct object_id *from,
	      struct err *err);

/*
 * What the files have and no change says, as a change of nobody's without an id: edits by hand, and
 * what could not be recorded. Nothing is recorded by it; what the past was narrowed to does not
 * matter.
 */
int past_unrecorded(struct past *past, struct past_change *out, struct err *err);

/*
 * What differs between a change and a later one, as past_unrecorded() tells it; to NULL: the files
 * as they are.
 */
int past_between(struct past *past, const struct object_id *from, const struct object_id *to,
		 struct past_change *out, struct err *err);

/* 1 and the next change, 0 at the end, -1 on failure. */
int past_next(struct past *past, struct past_change *out, struct err *err);

/*
 * From the next step on only the entries of these categories are looked at, 1 << category each:
 * of other entries, of records and of other files nothing is said.
 */
void past_narrow(struct past *past, unsigned int categories);

/* What past_next() left out of a change because the past is narrowed. */
int past_whole(struct past *past, struct past_change *change, struct err *err);

void past_close(struct past *past);

/* Closed at the end of the scope: `PAST_AUTO past = NULL;` */
static inline void past_close_of(struct past **past)
{
	past_close(*past);
}
#define PAST_AUTO __attribute__((cleanup(past_close_of))) struct past *

/*
 * The change that a text names: some digits of its id. ERR_NOT_FOUND when there is none, or
 * several.
 */
int past_resolve(struct store *store, struct slice name, struct object_id *out, struct err *err);

/*
 * The JSON text of an entry as a change left it, into *out (cleared first): absent is an empty
 * text. key is as spelt.
 */
int past_entry_at(struct store *store, const struct object_id *change, enum category category,
		  struct slice key, struct str *out, struct err *err);

#endif
