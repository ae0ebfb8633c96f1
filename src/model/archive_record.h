/*
 * Archive records: entries taken out of service, with the reason.
 *
 * In archive.json a record is an element of the array of its category:
 * {"key":"K@TIME","originalKey":"K","archivedAt":TIME,"reason":R,"entry":{...}}. In a cold file it
 * is one line of the same with "category" first. Pure functions; slices point into the document or
 * the arena.
 */
#ifndef KOTA_MODEL_ARCHIVE_RECORD_H
#define KOTA_MODEL_ARCHIVE_RECORD_H

#include "model/entry.h"

#define REASONS(X)                                                                                 \
	X(EXPIRY, "expiry")                                                                        \
	X(STATE_CLEAR, "state_clear")                                                              \
	X(EVICTED, "evicted")                                                                      \
	X(REPLACED, "replaced")                                                                    \
	X(MERGED, "merged")                                                                        \
	X(FADED, "faded")                                                                          \
	X(PRUNED, "pruned")                                                                        \
	X(STALE, "stale")                                                                          \
	X(DELETED, "deleted")                                                                      \
	X(CONFLICT, "conflict")                                                                    \
	X(SUPERSEDED, "superseded")                                                                \
	X(ADDED, "added") /* no text: its times do not say when the entry came */

enum reason {
#define X(id, name) REASON_##id,
	REASONS(X)
#undef X
		REASON_COUNT
};

/* The name; static storage. */
const char *reason_name(enum reason reason);

struct record {
	enum category category;
	struct slice key;          /* K@TIME, perhaps with #2: what identifies the record */
	struct slice original_key; /* K */
	struct slice reason;       /* as written; a person may have written anything */
	bool undo;                 /* only kept to undo a change, see record_compose_undo() */
	struct slice text;         /* the whole record's JSON text, exact bytes */
	int64_t archived_ms;       /* TIME_NONE when missing or unreadable */
	struct entry entry;        /* what was archived; its key is original_key */
};

/*
 * Reads a record. False when node is not one (not an object, no entry, neither key nor
 * originalKey); missing parts are derived from the others: the key from originalKey and archivedAt,
 * the originalKey from what stands before the last "@" of the key.
 */
bool record_read(struct record *out, enum category category, const struct json *doc, uint32_t node,
		 struct arena *arena);

/*
 * Reads a line of a cold file, which says its category itself. False also where it says none.
 */
bool record_read_line(struct record *out, const struct json *doc, uint32_t line,
		      struct arena *arena);

/* True if it may answer a lookup. Deleted, replaced and merged ones never do. */
bool record_answers(const struct record *record);

/* Appends K@TIME, with #n behind it when n > 1. */
void record_key(struct str *out, struct slice key, int64_t archived_ms, int n);

/*
 * Appends the compact JSON text of a record. record_key is from record_key(); a bare entry
 * becomes {"value": ...}, NULL null.
 */
void record_compose(struct str *out, struct slice record_key, struct slice key, int64_t archived_ms,
		    enum reason reason, const struct entry *entry);

/* The same record with its category, for a line of a cold file (no newline). */
void record_compose_cold(struct str *out, enum category category, struct slice record_text);

/*
 * As record_compose_cold, with "undo": what a change overwrote in an entry that stays in service,
 * kept so that the change can be undone. It is no archived entry and is not listed as one.
 */
void record_compose_undo(struct str *out, enum category category, struct slice record_text);

#endif
