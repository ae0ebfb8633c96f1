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

/* Who is told; NULL is nobody. */
const struct progress *store_watcher(const struct store *store);

/* Where the store comes from, as of the last refresh or change. Owned by the store. */
const struct origin *store_origin(const struct store *store);

/*
 * True if this entry, active or archived, was changed by others since the person trusted the store.
 * Always false in a store that no repository tracks: see reviewed.h.
 */
bool store_is_of_others(struct store *store, const struct entry *entry);

/* The files below, for doctor and for who asks whether the store can be changed. */
struct disk *store_disk(struct store *store);

/*
 * Settings in force: fails with file:line:column when a config.json has an error; reads go on
 * then, changes and expiry do not.
 */
int store_settings(struct store *store, struct settings *out, struct err *err);

/* All active entries, by category and then in the order of the file. */
const struct item *store_items(const struct store *store, size_t *count);

/*
 * The entry of this key: equal spelling first, else equal identity; in the category, or, with
 * CATEGORY_ANY, in the first category that has it. NULL when there is none; entries that are due
 * do not count.
 */
const struct item *store_find(const struct store *store, int category, struct slice key);

/* The entry with exactly this ref, "state:some key", or NULL; one that is due does not count. */
const struct item *store_find_ref(const struct store *store, struct slice ref);

/*
 * The records of archive.json, by category and then in the order of the file, followed by those of
 * the cold archive, which is read for this. What is there only so that a change can be undone is
 * left out.
 */
int store_archive_all(struct store *store, const struct archived **out, size_t *count,
		      struct err *err);

/* The same with what is there only so that a change can be undone. */
int store_archive_whole(struct store *store, const struct archived **out, size_t *count,
			struct err *err);

/* Counts a hit on an active entry at the time of the last refresh. Best effort, never an error. */
void store_hit(struct store *store, struct slice ref);

/* The same for several, in one write. */
void store_hits(struct store *store, const struct slice *refs, size_t count);

/*
 * These were shown without being asked for one by one: activity for expiry alone, and no hits. A
 * day is near enough for what counts in months, and spares the file a line an entry for each
 * session: what was active within one is left out. Best effort.
 */
void store_shown(struct store *store, const struct item *const *items, size_t count);

/*
 * Records uses at the time of the last refresh or change. False when they could not be written;
 * they do not count then.
 */
bool store_used(struct store *store, const struct usage_use *uses, size_t count);

/*
 * True if it is known how entries were used. False when usage.jsonl could not be read: then nobody
 * can say what was wanted, and nothing may be decided on that.
 */
bool store_knows_usage(const struct store *store);

/*
 * True if the clock could be believed at the last refresh. Else nothing expires, and the days of
 * all entries begin anew with the next request that may write that down.
 */
bool store_trusts_clock(const struct store *store);

/* What usage.jsonl says of an entry, beside its text; nothing where it says nothing. */
struct usage_fact store_usage_of(const struct store *store, struct slice ref);

/*
 * What is known of the use of active entries is this from now on; they count as active at the time
 * of the last refresh or change all the same. shown_ms and digest are not looked at, and a seen_ms
 * of TIME_NONE leaves when the entry was first seen as it is. Best effort.
 */
void store_know_usage(struct store *store, const struct usage_fact *facts, size_t count);

/* Everything known of the use of `from` now belongs to `to`, at the time of the last refresh. */
void store_rename_usage(struct store *store, struct slice from, struct slice to);

/*
 * The hits of `from`, which was merged into `to`, are hits of `to` from now on. What is known of
 * their texts stays.
 */
void store_join_usage(struct store *store, struct slice from, struct slice to);

/*
 * For what may be done once in an interval by one process: how long it still has to wait, 0 when it
 * may go on; and that it has been done.
 */
int64_t store_pace_wait_ms(const struct store *store, int64_t now_ms, int64_t interval_ms);
void store_pace_mark(struct store *store, int64_t now_ms);

/* Sentences about the last refresh or change that the reply should carry; owned by the store. */
const char *const *store_notices(const struct store *store, size_t *count);

/* How much the store holds, as it was read last. */
struct store_weight {
	int64_t categories[CATEGORY_COUNT]; /* bytes of the file */
	int64_t archive;                    /* bytes of archive.json */
	int64_t total;                      /* what limits.total_bytes is for: all of these */
	int64_t records;                    /* in archive.json */
};

/* A file that could not be read counts as empty. */
void store_weigh(const struct store *store, struct store_weight *out);

/* Frees the records of the cold archive that were read. For store_close(). */
void store_release_cold(struct store *store);

#endif
