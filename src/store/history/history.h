/*
 * The history of a store: each change a commit, hand edits commits of their own.
 *
 *	history_open(store);        under the lock, before anything is changed
 *	... changes ...
 *	history_record(store);      under the lock, before it is released
 *
 * In between it is the witness of every text that is put in place, see change_observer.h. Nothing
 * here fails: where a history is not wanted, does not work or is in use by others, changes are made
 * all the same. Where one is wanted .pending has them until they are recorded; what they overwrite
 * meanwhile goes to the cold archive, see change_commit.c. The library behind it is loaded with the
 * first change, never by a read.
 */
#ifndef KOTA_STORE_HISTORY_HISTORY_H
#define KOTA_STORE_HISTORY_HISTORY_H

#include "store/history/history_state.h"

struct history *history_new(struct store *store);

void history_free(struct history *history);

/*
 * Checks that the repository in the store, and what is kept for it, may be used. One that came with
 * a repository could have anything in its settings; one behind a link is somebody else's. -1 with
 * the reason; else *id is what .git is, and absent is fine.
 */
int history_may_open(const struct disk *disk, struct file_id *id, struct err *why);

/*
 * Decides whether there is one, and opens or makes it. The settings must be loaded. That a
 * repository is there and cannot be used is a notice, each time.
 */
void history_open(struct store *store);

/*
 * Fails, with what to do, where what was acknowledged may be in a log that is broken: no change may
 * come upon it. As history_open() found it.
 */
int history_check(const struct store *store, struct err *err);

/* Who is told how far things are has changed: see store_watch(). */
void history_watch(struct store *store);

/* True if a power cut left something for the next writer to repair. Looks only once. */
bool history_is_torn(struct store *store);

/* True if there is a history to record in, as history_open() saw it. */
bool history_is_on(const struct store *store);

/* True if a history is wanted. If it does not work now, changes are recorded when it does. */
bool history_is_wanted(const struct store *store);

/*
 * Records what is pending, of whatever process, and hand edits before it. False when it cannot be
 * recorded now, which is a notice: then it stays in .pending.
 */
bool history_record(struct store *store);

/* True if there is work to do while no change waits. */
bool history_may_rest(const struct store *store);

/* Does it, under the lock: see object_log_rest() and pack_merge_step(). */
void history_rest(struct store *store);

/*
 * True if all earlier changes are recorded and a change could be recorded now. Records what waits.
 */
bool history_works(struct store *store);

/*
 * True if the last commit has the entry `key`, as spelt, with exactly this text: never one with a
 * secret that was written by hand.
 */
bool history_has(struct store *store, enum category category, struct slice key, struct slice text);

/* Reads the settings and opens the history under the lock. Fails when there is none, and says why.
 */
int history_prepare(struct store *store, struct err *err);

/* Records all that is pending, also what would wait because it may hold a secret. */
int history_record_all(struct store *store, struct err *err);

/*
 * As history_record(), and what people have edited since the last change of ours: for who goes by
 * what the history says while the lock is held.
 */
bool history_catch_up(struct store *store);

/*
 * Mends what is known to be nobody's work: takes locks away that a killed git left and, in a
 * repository of our own, sets a branch whose tip is gone to the last commit that is whole. For who
 * was asked to by the person, under the lock; history_catch_up() is to follow.
 */
int history_mend(struct store *store, struct err *err);

/*
 * Adds to why the history cannot be read that nothing else is lost by it, and what to do. Always
 * returns -1.
 */
int history_cannot_read(struct err *err);

/*
 * For who reads the history: the repository, opened if need be and owned by the store. Where there
 * is none ERR_NO_HISTORY, with how to turn it on. Needs no lock and changes nothing.
 */
int history_repo(struct store *store, struct repo **out, struct err *err);

/* As last_text_finder says. The library is loaded only for this: no text is looked for that is
 * sound. */
bool history_find_last(struct store *store, enum store_file file, struct slice cached,
		       int64_t cached_ms, struct str *out);

#endif
