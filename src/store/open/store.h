/*
 * One open store: what a reader sees.
 *
 *	struct store *store;
 *	store_open(&store, sys, env, path, &err);
 *	store_refresh(store, now_ms, &err);          once per request
 *	const struct item *items = store_items(store, &count);
 *	...
 *	store_close(store);
 *
 * Readers take no lock: they see the old or the new file, and parsed files are kept as long as a
 * stat says that they are still the same. Everything returned is owned by the store and valid until
 * the next refresh, change or close. A file that does not parse is reported as a notice and counts
 * as empty; the others go on working. A store that does not exist reads as empty and is not
 * created. To write: store/txn/change.h.
 */
#ifndef KOTA_STORE_OPEN_STORE_H
#define KOTA_STORE_OPEN_STORE_H

#include "lookup/lookup.h"
#include "model/entry.h"
#include "model/archive_record.h"
#include "model/settings.h"
#include "store/files/dir.h"
#include "store/location/location.h"

struct store;
struct usage_use;  /* store/log/usage.h */
struct usage_fact; /* likewise */

/* An active entry with all that is known of it. */
struct item {
	struct entry entry;
	struct slice ref;      /* category:key */
	struct slice identity; /* what equal keys have in common (normalize_key) */
	int64_t created_ms;    /* never TIME_NONE: the moment it was first seen when not written */
	int64_t updated_ms;    /* likewise */
	int64_t accessed_ms;   /* TIME_NONE when never looked up */
	int64_t active_ms;     /* last activity, what expiry and eviction go by */
	int64_t hits;
	int64_t uses;         /* times that it went into an answer */
	int64_t used_ms;      /* the last of them; TIME_NONE when never */
	int64_t reviews;      /* uses, and what was counted before the store counted them */
	int64_t cross_domain; /* uses in a context with other tags */
	bool due;             /* expired but still in the file: counts as archived */
};

/* An archived entry. */
struct archived {
	struct record record;
	struct slice ref; /* category:key@time */
	bool cold;        /* from the cold archive */
};

/* Opens the store at place; see disk_open_at() for what is refused. sys and env must outlive it. */
int store_open_at(struct store **out, const struct sys *sys, environment env,
		  const struct place *place, struct err *err);

/* The same for a process that confines itself to it; see disk_open_confined(). */
int store_open_confined(struct store **out, const struct sys *sys, environment env,
			const struct place *place, struct confine *confine, struct err *err);

/* The same for a path that the person named. */
int store_open(struct store **out, const struct sys *sys, environment env, const char *path,
	       struct err *err);

/*
 * The folder of the store, if this process has made it where the person had named one that was not
 * there: said once, then NULL. Owned by the store.
 */
const char *store_take_made(struct store *store);

/*
 * A memory was stored: a notice says when the last one of the same project went to another store.
 */
void store_note_destination(struct store *store);

/*
 * From now on the store is only looked at: nothing is written, no use is counted, and what is due
 * counts as archived but stays in its file.
 */
void store_hands_off(struct store *store);

/* Frees the view with all that it handed out, and closes the directory; NULL is none. */
void store_close(struct store *store);

/*
 * From now on who waits is told how far reading, indexing and the like are; NULL: nobody. It must
 * outlive the store, or be taken back.
 */
void store_watch(struct store *store, const struct progress *progress);

/* Who is told; NULL is nobody. */
const struct progress *store_watcher(const struct store *store);

/* Where the store comes from, as of the last refresh or change. Owned by the store. */
const struct origin *store_origin(const struct store *store);

/*
 * Was this entry, active or archived, changed by others since the person trusted the store? Only
 * ever in a store that a repository tracks: see reviewed.h.
 */
bool store_is_of_others(struct store *store, const struct entry *entry);

/* The files below, for doctor and for who asks whether the store can be changed. */
struct disk *store_disk(struct store *store);

/*
 * Settings in force: fails with file:line:column when a config.json has an error; reads go on
 * then, changes and expiry do not.
 */
int store_settings(struct store *store, struct settings *out, struct err *err);

/*
 * Makes the view current at now_ms. What is due to expire is archived as a change of its own when
 * the lock is free, else it is marked `due`. Fails only when the directory itself cannot be read.
 */
int store_refresh(struct store *store, int64_t now_ms, struct err *err);

/* The same, with hands off for as long as it takes: for who copies a store. */
int store_look(struct store *store, int64_t now_ms, struct err *err);

/* Could the file be read? ERR_BAD_DATA with file:line:column when not; then it counts as empty. */
int store_check_file(struct store *store, enum store_file file, struct err *err);

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

/*
 * Asks the lookup index (built when needed) and turns the answer into an entry or a record: exactly
 * one of item and archived is not NULL when lookup.found. The also list is given as refs.
 */
struct store_answer {
	struct lookup_answer lookup;
	const struct item *item;
	const struct archived *archived;
	struct slice also[LOOKUP_ALSO_MAX];
	size_t also_count;
};
void store_lookup(struct store *store, struct slice query, int category,
		  struct store_answer *answer);

/* Counts a hit on an active entry at the time of the last refresh. Best effort, never an error. */
void store_hit(struct store *store, struct slice ref);

/* The same for several, in one write. */
void store_hits(struct store *store, const struct slice *refs, size_t count);

/*
 * These were shown without being asked for one by one: activity, but no hits. A day is near enough
 * for what counts in months, and spares the file a line an entry for each session: what was active
 * within one is left out. Best effort.
 */
void store_shown(struct store *store, const struct item *const *items, size_t count);

/*
 * Records uses at the time of the last refresh or change. False when they could not be written;
 * they do not count then.
 */
bool store_used(struct store *store, const struct usage_use *uses, size_t count);

/*
 * Is it known how entries were used? Not when usage.jsonl could not be read: then nobody can say
 * what was wanted and what was not, and nothing may be decided on that.
 */
bool store_knows_usage(const struct store *store);

/* Are changes recorded in a history? Known with the first change, or attempt at one. */
bool store_keeps_history(const struct store *store);

/*
 * Could the clock be believed at the last refresh? Else nothing expires, and the days of all
 * entries begin anew with the next request that may write that down.
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

#endif
