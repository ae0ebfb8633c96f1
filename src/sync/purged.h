/*
 * purged.jsonl: which entries were purged, for the other machines of the store.
 *
 * A line a purge, {"at":TIME,"id":HEX}. The id is an HMAC-SHA-256 of "category:key", the key
 * normalised, under the id of the history's first commit: it names no entry, but who guesses a key
 * can check the guess.
 */
#ifndef KOTA_SYNC_PURGED_H
#define KOTA_SYNC_PURGED_H

#include "git/repo.h"

struct store;
struct purge_key;
struct purge_report;

/*
 * Adds the entry that was purged, under all its names, to the list of a store that has a remote;
 * nothing else. Takes the lock.
 */
int purged_note(struct store *store, const struct purge_key *key, const struct purge_report *report,
		struct err *err);

/* *news: does the list of `theirs` have lines that the one of `ours` has not? */
int purged_look(struct repo *repo, const struct object_id *theirs, const struct object_id *ours,
		bool *news, struct err *err);

/*
 * Purges what these lines name, as far as it was ever here; *followed says how many entries that
 * were. The lock must be free.
 */
int purged_follow(struct store *store, struct repo *repo, const struct object_id *theirs,
		  const struct object_id *ours, size_t *followed, struct err *err);

#endif
