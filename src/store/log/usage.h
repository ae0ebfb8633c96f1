/*
 * usage.jsonl: what was looked up and when, kept apart from the files under version control.
 *
 * Lines: {"since":TIME[,"outranks":true]} when recording began (the last one counts) ·
 * {"hit":REF,"at":TIME} · {"shown":REF,"at":TIME} told at the beginning of a session: activity,
 * but no hit · {"use":REF,"at":TIME[,"crossed":true]} it went into an answer ·
 * {"seen":REF,"digest":HEX[,"at":TIME]} the entry's text as last seen; at is when it was first seen
 * without times of its own, or found changed by hand · compacted:
 * {"ref":REF,"hits":N,"last":TIME,"uses":N,"crossed":N,"used":TIME,"seen":TIME,"digest":HEX} says
 * all that is known of the ref, lines before it are void; members of other names outlive later
 * compactions as they stand. Lines that do not parse are skipped, and numbers without meaning count
 * as 0.
 *
 * A hit is no acknowledged write: one O_APPEND write of one line, not fsynced, without the lock;
 * it is repeated when the file was replaced by a compaction meanwhile, and counted twice at worst.
 * Failing to write is not an error for a reader. Anything but a regular file in its place is
 * refused without blocking, and a link is not followed.
 */
#ifndef KOTA_STORE_LOG_USAGE_H
#define KOTA_STORE_LOG_USAGE_H

#include "store/files/dir.h"
#include "store/log/usage_facts.h"

#define USAGE_FILE_NAME "usage.jsonl"

struct usage;

/* Usage that nothing has been read of yet; disk must outlive it. */
struct usage *usage_new(struct disk *disk);

/* Frees it; lines that wait to be written are dropped. NULL is none. */
void usage_free(struct usage *usage);

/*
 * Brings the facts up to date: reads what was appended since, all of it when the file is another
 * one. A missing file is an empty one. After a failure (a link, FIFO or directory in its place is
 * one) nothing is known.
 */
int usage_refresh(struct usage *usage, struct err *err);

/* From when usage counts: the last since line; since_ms is TIME_NONE when there is none. */
struct usage_epoch usage_epoch(const struct usage *usage);

/* True if the file could be read. Else entries may have been active unseen. */
bool usage_is_known(const struct usage *usage);

/* What is known of a ref, or NULL; valid until the next refresh or append. */
const struct usage_fact *usage_find(const struct usage *usage, struct slice ref);

/* The newest time in the file, of the since lines the last; TIME_NONE when empty. */
int64_t usage_newest_ms(const struct usage *usage);

/*
 * A number that changes when more becomes known, or less, than hits and looks at single entries:
 * then everything is to be asked anew. Of those usage_next_touched() hands out one ref after the
 * other; false when there is none left. A ref is valid until the next refresh or append.
 */
uint64_t usage_upheavals(const struct usage *usage);
bool usage_next_touched(struct usage *usage, struct slice *ref);

/* Appends a hit; begins the file with a since line when it is new. Best effort. */
void usage_hit(struct usage *usage, struct slice ref, int64_t now_ms);

/* The same for several, in one write. */
void usage_hits(struct usage *usage, const struct slice *refs, size_t count, int64_t now_ms);

/* Appends, in one write, that these were shown. Best effort. */
void usage_shown(struct usage *usage, const struct slice *refs, size_t count, int64_t now_ms);

/* Appends uses with one write. False when they could not be written, and do not count. */
bool usage_used(struct usage *usage, const struct usage_use *uses, size_t count, int64_t now_ms);

/* A batch of seen lines for one write; at_ms TIME_NONE leaves the time out. */
void usage_note_seen(struct usage *usage, struct slice ref, uint64_t digest, int64_t at_ms);

/* All that is known of a ref, into the same batch; what was known before is void. */
void usage_note_fact(struct usage *usage, const struct usage_fact *fact);

/* Writes the batch in one go; begins the file at now_ms when it is new. Best effort. */
void usage_flush_seen(struct usage *usage, int64_t now_ms);

/* Appends a since line that outranks older times: the clock cannot be believed. Best effort. */
void usage_begin_again(struct usage *usage, int64_t now_ms);

/* What is known of `from` is added to what is known of `to` (a renamed key). Best effort. */
void usage_rename(struct usage *usage, struct slice from, struct slice to, int64_t now_ms);

/*
 * The hits of `from` are added to those of `to` and taken from it (a merged entry); when it was
 * seen, and with what text, stays known of each. Best effort.
 */
void usage_join(struct usage *usage, struct slice from, struct slice to, int64_t now_ms);

/*
 * Rewrites the file with one line a ref when it has grown well beyond that; the lock must be held.
 * What is appended meanwhile is carried over. Refs that keep() refuses are dropped.
 */
int usage_compact(struct usage *usage, bool (*keep)(void *context, struct slice ref), void *context,
		  struct err *err);

/* The same however little it has grown; *size is that of the file before and after (0: none). */
int usage_compact_now(struct usage *usage, bool (*keep)(void *context, struct slice ref),
		      void *context, int64_t size[2], struct err *err);

#endif
