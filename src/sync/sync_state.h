/*
 * What this machine knows of a store's remote: in the person's state folder, not in the store,
 * which somebody else may have written.
 */
#ifndef KOTA_SYNC_SYNC_STATE_H
#define KOTA_SYNC_SYNC_STATE_H

#include "git/libgit2.h"
#include "store/files/dir.h"

struct sync_state {
	struct str url; /* empty: there is no remote */
	struct str branch;
	struct object_id synced; /* the remote's branch when both sides were last equal */
	int64_t synced_ms;       /* TIME_NONE: never */
	struct str last_error;   /* of the last try; empty when it went well */
	/* For this module: the files of the store in the state folder. */
	struct str folder; /* path, absolute */
	int dirfd;
	int lock;
};

/*
 * Reads it for a store that is registered as the person's own, and takes the lock of its syncs.
 * ERR_BUSY if another sync is running. On success the caller closes it.
 */
int sync_state_open(struct sync_state *out, const struct disk *disk, struct err *err);

/* Writes it, durably. */
int sync_state_save(const struct sync_state *state, const struct disk *disk, struct err *err);

/* Forgets the remote. */
int sync_state_forget(struct sync_state *state, const struct disk *disk, struct err *err);

/* The path of the git directory for the transport. */
void sync_state_git_folder(const struct sync_state *state, const struct disk *disk,
			   struct str *out);

void sync_state_close(struct sync_state *state, const struct disk *disk);

#endif
