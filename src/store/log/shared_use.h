/*
 * activity.json: when the entries of a store on several machines were last used on any of them.
 *
 * A member a ref, {"preferences:editor": "2026-11-20"}: a day is all that is told of anybody's
 * habits. The file travels with the store and is merged by the later day; hits and uses never
 * leave their machine. Beside it stands when this machine was synced last, in .synced: after a
 * week nothing is known of the others any more. Zeroes are a store that is on one machine.
 */
#ifndef KOTA_STORE_LOG_SHARED_USE_H
#define KOTA_STORE_LOG_SHARED_USE_H

#include "base/map.h"
#include "store/files/dir.h"

#define SHARED_USE_NAME "activity.json"

/* Begins the line of .synced that tells when. */
#define SYNCED_AT_PREFIX "synced: "

struct shared_use {
	struct stat_cache cache; /* at activity.json */
	struct file_id id;
	struct file_id synced_id; /* of .synced */
	struct map days;          /* ref -> the day's first moment, milliseconds since 1970 */
	struct arena arena;
	int64_t synced_ms;
	bool known;    /* read, and its stat tells of the next change */
	unsigned read; /* how often something else was found */
};

/*
 * Brings it up to date where the store has a remote, else leaves it empty. A file that cannot be
 * read counts as empty: what a rule would take out then is in the archive of each machine.
 */
void shared_use_refresh(struct shared_use *use, struct disk *disk);

/* The day on which the entry was used anywhere; TIME_NONE. */
int64_t shared_use_ms(const struct shared_use *use, struct slice ref);

/*
 * True if a rule may remove entries from the store for not being used. False where a repository
 * shares the store, and where it has a remote and was not synced for a week.
 */
bool shared_use_may_judge(const struct shared_use *use, const struct origin *origin,
			  int64_t now_ms);

/* Frees it, leaves an empty one. */
void shared_use_release(struct shared_use *use, const struct sys *sys);

#endif
