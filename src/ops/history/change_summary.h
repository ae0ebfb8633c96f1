/*
 * What a change did, told entry by entry.
 *
 *	struct telling telling;
 *	tell(&telling, &change, call->arena);
 *	telling_write(w, &telling, call);
 *
 * The history knows which entries and records differ; here they are put together: an entry that
 * went and a record of it that came is one that was archived, an entry that went at one place and
 * came at another was moved. For the operations on the history. Texts point into the change.
 */
#ifndef KOTA_OPS_HISTORY_CHANGE_SUMMARY_H
#define KOTA_OPS_HISTORY_CHANGE_SUMMARY_H

#include "store/history/history_log.h"
#include "tool/tool.h"

#define DEEDS(X)                                                                                   \
	X(ADDED, "added")                                                                          \
	X(CHANGED, "changed")                                                                      \
	X(DELETED, "deleted")                                                                      \
	X(ARCHIVED, "archived")                                                                    \
	X(RESTORED, "restored")                                                                    \
	X(MOVED, "moved")                                                                          \
	X(RECORD_ADDED, "record_added")                                                            \
	X(RECORD_CHANGED, "record_changed")                                                        \
	X(RECORD_REMOVED, "record_removed")

/* Digits by which replies name a change: enough for any store, few enough to read. */
#define TOLD_ID_DIGITS 12

enum deed {
#define X(id, name) DEED_##id,
	DEEDS(X)
#undef X
		DEED_COUNT
};

extern const char *const told_deed_names[DEED_COUNT];

struct told {
	enum deed deed;
	enum category category; /* where the entry is now, or was last */
	struct slice key;
	int from_category; /* where it came from; CATEGORY_ANY when from no other place */
	struct slice from_key;
	struct slice record; /* the key of the record that came or went with it; absent: none */
	struct slice reason; /* of that record */
	struct slice
		before; /* JSON text of the entry, or the record; absent when it was not there */
	struct slice after;
};

struct telling {
	struct told *items; /* entries by category, then records */
	size_t count;
};

/* What it tells lives in the arena, and as long as the change. */
void tell(struct telling *out, const struct log_change *change, struct arena *arena);

/* Members of an open object: which change, when, by whom, through what. */
void told_write_change(struct json_writer *w, const struct log_change *change);

/* A member "items": the entries that a change is about, with what was and what is. */
void told_write_items(struct json_writer *w, const struct told *items, size_t count);

/* Members "files" and "unreadable", where there is something to say. */
void told_write_files(struct json_writer *w, const struct log_change *change);

#endif
