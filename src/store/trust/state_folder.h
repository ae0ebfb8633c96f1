/*
 * The person's state folder: what kota knows of the stores on this machine, and the key that it
 * signs with. Nothing of it lies in a store.
 *
 * $XDG_STATE_HOME/kota-memory, else ~/.local/state/kota-memory. A folder counts only if it is
 * absolute, belongs to the effective user and cannot be written by group or others. XDG_STATE_HOME
 * may have been set by whoever wrote the project: it counts only outside the work tree of the
 *store, too. Where a folder does not exist yet, all this is asked of the nearest one above it that
 *does.
 *
 * Read a file, change it and replace it under the lock, and no process loses what another added:
 *
 *	state_folder_open(sys, env, work_tree, true, &dirfd, err);
 *	state_folder_lock(sys, dirfd, &lock, err);
 *	state_file_read(sys, dirfd, "stores.json", MAX, &text, &found, err);
 *	state_file_replace(sys, dirfd, "stores.json", new_text, err);
 *	state_folder_unlock(sys, &lock);
 *	file_close(sys, &dirfd);
 *
 * Whoever holds the lock of a store may take this one, never the other way round.
 */
#ifndef KOTA_STORE_TRUST_STATE_FOLDER_H
#define KOTA_STORE_TRUST_STATE_FOLDER_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "store/location/location.h"

/*
 * Opens the folder. work_tree is the root of the work tree in which the store was found, a real
 * path, or NULL. With make a folder that is missing is made, 0700 and durably; without, *dirfd is
 * -1 then and that is success. The caller closes *dirfd.
 *
 * An error says in one sentence why there is no such folder: callers go on without one.
 */
int state_folder_open(const struct sys *sys, environment env, const char *work_tree, bool make,
		      int *dirfd, struct err *err);

/* The folder as the environment names it, unchecked; NULL without a home. The caller frees it. */
char *state_folder_path(environment env);

/* Takes the lock of the folder, waiting 5 s at most; then ERR_BUSY. state_folder_unlock() ends it.
 */
int state_folder_lock(const struct sys *sys, int dirfd, int *lock_fd, struct err *err);

/* Releases the lock; nothing happens for -1, which *lock_fd is afterwards. */
void state_folder_unlock(const struct sys *sys, int *lock_fd);

/*
 * Reads a file of the folder of at most max bytes. Absent is success with *found false and an empty
 * text. A link, or a file that is not the user's alone to write, is an error (BAD_DATA).
 */
int state_file_read(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		    bool *found, struct err *err);

/*
 * Replaces the file by one of mode 0600 with this text, whole and durably, or leaves it as it was.
 * The lock must be held.
 */
int state_file_replace(const struct sys *sys, int dirfd, const char *name, struct slice text,
		       struct err *err);

#endif
