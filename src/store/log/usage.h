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

/* Usage before the first read; disk must outlive it. */
struct usage *usage_new(struct disk *disk);

/* Frees it and drops lines that wait to be written. usage may be NULL. */
void usage_free(struct usage *usage);

/*
 * Brings the facts up to date: reads what was appended since, or the whole file if it was replaced.
 * A missing file counts as empty. After a failure, for example a link or a directory in its place,
 * nothing is known.
 */
int usage_refresh(struct usage *usage, struct err *err);

/* The last since line: when recording began. since_ms is TIME_NONE if there is none. */
struct usage_epoch usage_epoch(const struct usage *usage);

/* True if the file could be read. Otherwise the activity of entries is unknown. */
bool usage_is_known(const struct usage *usage);

/* What is known of a ref, or NULL; valid until the next refresh or append. */
const struct usage_fact *usage_find(const struct usage *usage, struct slice ref);

/* The newest time in the file; of the since lines only the last counts. TIME_NONE if empty. */
int64_t usage_newest_ms(const struct usage *usage);

/*
 * What changed, for caches. While usage_upheavals() returns the same number, only the refs changed
 * that usage_next_touched() returns one by one, until it returns false. Otherwise any fact may have
 * changed. A ref is valid until the next refresh or append.
 */
uint64_t usage_upheavals(const struct usage *usage);
bool usage_next_touched(struct usage *usage, struct slice *ref);

/*
 * Appends, in one write, that these entries were looked up (USAGE_HIT) or shown (USAGE_SHOWN); a
 * new file begins with a since line. Best effort.
 */
void usage_count(struct usage *usage, enum usage_kind kind, const struct slice *refs, size_t count,
		 int64_t now_ms);

/* Appends uses in one write. False if they could not be written; they do not count then. */
bool usage_used(struct usage *usage, const struct usage_use *uses, size_t count, int64_t now_ms);

/* Adds a seen line to a batch; at_ms TIME_NONE leaves the time out. */
void usage_note_seen(struct usage *usage, struct slice ref, uint64_t digest, int64_t at_ms);

/* Adds everything known of a ref to the batch, which replaces what was known before. */
void usage_note_fact(struct usage *usage, const struct usage_fact *fact);

/* Writes the batch at once; a new file begins at now_ms. Best effort. */
void usage_flush_seen(struct usage *usage, int64_t now_ms);

/* Appends a since line that outranks older times, since the clock was wrong. Best effort. */
void usage_begin_again(struct usage *usage, int64_t now_ms);

/* Moves what is known of `from` to `to`, for a renamed key. Best effort. */
void usage_rename(struct usage *usage, struct slice from, struct slice to, int64_t now_ms);

/*
 * Moves the hits of `from` to `to`, for a merged entry. When each was seen, and with which text,
 * does not change. Best effort.
 */
void usage_join(struct usage *usage, struct slice from, struct slice to, int64_t now_ms);

/*
 * Rewrites the file with one line a ref if it has become much larger than that. The lock must be
 * held. Lines that are appended meanwhile are kept. Drops refs for which keep() is false.
 */
int usage_compact(struct usage *usage, bool (*keep)(void *context, struct slice ref), void *context,
		  struct err *err);

/* The same in any case; size[] is the size of the file before and after (0: none). */
int usage_compact_now(struct usage *usage, bool (*keep)(void *context, struct slice ref),
		      void *context, int64_t size[2], struct err *err);

#endif
