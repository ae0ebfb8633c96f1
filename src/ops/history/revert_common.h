/*
 * Putting back what changes have changed: what undo and revert share.
 *
 *	struct revert put;
 *	revert_begin(&put, tool, call, &options, &err);
 *	revert_change(&put, name, &err);          or another of these
 *	revert_finish(&put, w, &err);
 *	revert_end(&put);
 *
 * An entry is put back when it still is what the change left; else the change is refused with the
 * reason, unless the person insists. Where changes are recorded the history
 * says what was; where not, the archive does, for the last change of each key.
 */
#ifndef KOTA_OPS_HISTORY_REVERT_COMMON_H
#define KOTA_OPS_HISTORY_REVERT_COMMON_H

#include "base/map.h"
#include "model/kept_part.h"
#include "ops/common.h"
#include "store/history/history_log.h"

struct revert_refs {
	struct slice *items;
	size_t count;
	size_t cap;
	struct map known; /* those in items */
};

/* What the cold archive keeps of a part that is no entry. */
struct revert_part {
	struct kept_part kept;
	struct slice line; /* that says so */
};

struct revert {
	const struct tool *tool;
	const struct call *call;
	struct change *change;
	bool recorded; /* there is a history, and it is up to date */
	bool force;    /* also what was changed since */
	bool allow_secret;
	const struct archived *records; /* what stands in the archive; NULL: not asked for yet */
	size_t record_count;
	struct map records_by_ref; /* the first that is no mark of undo -> its number */
	struct map records_by_was; /* "category:key" of the entry -> the number of its first */
	size_t *next_record;       /* of the same entry; record_count for none */
	struct revert_part *parts; /* what the cold archive keeps of links and records */
	size_t part_count;
	size_t part_cap;
	struct map part_lines; /* line -> its place in parts */
	bool parts_known;      /* they are read */
	struct slice id;       /* for the reply: the change that it is about; absent for none */
	struct slice subject;
	bool moved; /* the entry in `restored` is the one in `removed` */
	struct revert_refs restored;
	struct revert_refs removed;
	struct revert_refs relations; /* ids of links that were put back or taken away */
	struct revert_refs unlinked;  /* of them those that were taken away */
	struct revert_refs left;      /* files that stay as they are */
};

/* An entry by category and exact spelling. */
struct revert_name {
	enum category category;
	struct slice key;
};

/*
 * Begins the change. ERR_NOT_FOUND, and no store is made, where there is none. On success:
 * revert_end().
 */
int revert_begin(struct revert *put, const struct tool *tool, const struct call *call, bool force,
		 bool allow_secret, struct err *err);

/* Takes back the change of this name; absent is the last one. */
int revert_change(struct revert *put, struct slice name, struct err *err);

/*
 * Makes an entry what it was right after the change of this name; absent: takes back what its last
 * change did to it.
 */
int revert_key(struct revert *put, struct slice key, struct slice name, struct err *err);

/* Commits, and writes the reply. */
int revert_finish(struct revert *put, struct json_writer *w, struct err *err);

void revert_end(struct revert *put);

/* ---- parts, for revert*.c */

/* The entry as it stands, or NULL. */
const struct item *revert_find(const struct revert *put, const struct revert_name *name);

/* Gives the entry this text, or takes it out when that is absent. */
int revert_entry(struct revert *put, const struct revert_name *name, struct slice text,
		 struct err *err);

/* Says that a link is not what the change left; -1. */
int revert_refuse_link(const struct revert *put, struct slice id, struct err *err);

/* "preferences:editor", in the call's arena. */
struct slice revert_ref_of(const struct revert *put, const struct revert_name *name);

/* What stands in the archive, in put->records. */
int revert_load_records(struct revert *put, struct err *err);

/* What stands in the archive under this key: in archive.json, else in the cold archive. */
const struct archived *revert_find_record(const struct revert *put, enum category category,
					  struct slice key);

/* Puts back what the archive has of the last change, of all entries or of those of this key. */
int revert_kept(struct revert *put, const struct ref *only, struct err *err);

/*
 * Names, as left as it is, the note that the change to the entry made where the history does not
 * know of it: in a folder outside the store, or without a history anywhere. before and after are
 * the texts of the entry; absent for none.
 */
void revert_note_stays(struct revert *put, struct slice before, struct slice after);

/* Where the note of an entry is, as its text says; absent where it says nothing. */
struct slice revert_promoted_to(struct slice text, struct arena *arena);

/* What a recorded change did to files without entries: links, notes. The rest stays, and is named.
 */
int revert_files(struct revert *put, const struct log_change *change,
		 const struct revert_name *only, struct err *err);

/* Asks for the very bytes that the files had before the change, where that can be. */
int revert_layouts(struct revert *put, const struct log_change *change, struct err *err);

void revert_add(struct revert_refs *refs, struct slice ref);

#endif
