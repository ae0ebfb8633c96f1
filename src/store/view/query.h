/*
 * What can be asked of an open store. Everything returned is owned by the store and valid until the
 * next refresh, change or close.
 */
#ifndef KOTA_STORE_VIEW_QUERY_H
#define KOTA_STORE_VIEW_QUERY_H

#include "model/settings.h"
#include "store/files/dir.h"
#include "store/items/item.h"

struct store;
struct usage_use;  /* store/log/usage.h */
struct usage_fact; /* likewise */

/* The progress of long work is reported to this; may be NULL. */
const struct progress *store_watcher(const struct store *store);

/* Where the store comes from, as of the last refresh or change. Owned by the store. */
const struct origin *store_origin(const struct store *store);

/* True if a rule may remove what was not used for long. See shared_use_may_judge(). */
bool store_may_judge(const struct store *store);

/*
 * True if this entry, active or archived, was changed by others since the person trusted the store.
 * Always false in a store that no repository tracks: see reviewed.h.
 */
bool store_is_of_others(struct store *store, const struct entry *entry);

/* The store's files, for doctor and for callers that ask whether the store can be changed. */
struct disk *store_disk(struct store *store);

/*
 * The settings in force. Fails with file:line:column if a config.json has an error; reading still
 * works then, but changes and expiry do not.
 */
int store_settings(struct store *store, struct settings *out, struct err *err);

/* All active entries, by category and then in the order of the file. */
const struct item *store_items(const struct store *store, size_t *count);

/*
 * Finds the entry of this key: by its spelling, else by its identity; in the category, or, with
 * CATEGORY_ANY, in the first category that has it. NULL if there is none. Ignores entries that are
 * due.
 */
const struct item *store_find(const struct store *store, int category, struct slice key);

/* The entry of exactly this key, whether it is due or not; NULL if there is none. */
const struct item *store_find_spelt(const struct store *store, enum category category,
				    struct slice key);

/* The entry with exactly this ref, "state:some key", or NULL. Ignores entries that are due. */
const struct item *store_find_ref(const struct store *store, struct slice ref);

/*
 * The records of archive.json, by category and then in the order of the file, followed by those of
 * the cold archive, which is read for this. Leaves out records that exist only for undo.
 */
int store_archive_all(struct store *store, const struct archived **out, size_t *count,
		      struct err *err);

/* The same, including records that exist only for undo. */
int store_archive_whole(struct store *store, const struct archived **out, size_t *count,
			struct err *err);

/* Counts a hit on an active entry at the time of the last refresh. Best effort, never an error. */
void store_hit(struct store *store, struct slice ref);

/* The same for several, in one write. */
void store_hits(struct store *store, const struct slice *refs, size_t count);

/*
 * Records that these were shown without being asked for. This only postpones expiry and counts no
 * hits. Entries that were active within the last day are skipped: expiry counts in months, and
 * otherwise each session would write a line for each entry. Best effort.
 */
void store_shown(struct store *store, const struct item *const *items, size_t count);

/*
 * Records uses at the time of the last refresh or change. False if they could not be written; they
 * do not count then.
 */
bool store_used(struct store *store, const struct usage_use *uses, size_t count);

/*
 * True if the usage of entries is known. False if usage.jsonl could not be read: nothing may be
 * decided by usage then.
 */
bool store_knows_usage(const struct store *store);

/*
 * True if the clock was plausible at the last refresh. Otherwise nothing expires, and the next
 * request that may write starts the time until expiry again for all entries.
 */
bool store_trusts_clock(const struct store *store);

/* What usage.jsonl says of an entry; usage_fact_none() if it says nothing. */
struct usage_fact store_usage_of(const struct store *store, struct slice ref);

/*
 * Replaces what is known of the usage of these active entries. They count as active at the time of
 * the last refresh or change in any case. shown_ms and digest are ignored; a seen_ms of TIME_NONE
 * keeps the time at which the entry was first seen. Best effort.
 */
void store_know_usage(struct store *store, const struct usage_fact *facts, size_t count);

/* Moves what is known of the usage of `from` to `to`, at the time of the last refresh. */
void store_rename_usage(struct store *store, struct slice from, struct slice to);

/* Adds the hits of `from`, which was merged into `to`, to those of `to`. */
void store_join_usage(struct store *store, struct slice from, struct slice to);

/*
 * For work that a process may do once in an interval: how long it still has to wait (0: not at
 * all), and a mark that it was done now.
 */
int64_t store_pace_wait_ms(const struct store *store, int64_t now_ms, int64_t interval_ms);
void store_pace_mark(struct store *store, int64_t now_ms);

/* Sentences about the last refresh or change, for the reply; owned by the store. */
const char *const *store_notices(const struct store *store, size_t *count);

/*
 * Those among them that tell of what was done, by this request or an earlier one whose reply did
 * not say so. They come again until store_notices_told().
 */
const char *const *store_notices_kept(const struct store *store, size_t *count);
void store_notices_told(struct store *store);

/* The size of the store when it was last read. */
struct store_weight {
	int64_t categories[CATEGORY_COUNT]; /* bytes of the file */
	int64_t archive;                    /* bytes of archive.json */
	int64_t total;                      /* their sum, which limits.total_bytes limits */
	int64_t records;                    /* in archive.json */
};

/* A file that could not be read counts as empty. */
void store_weigh(const struct store *store, struct store_weight *out);

/* Frees the records of the cold archive that were read. For store_close(). */
void store_release_cold(struct store *store);

#endif
