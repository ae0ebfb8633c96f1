/*
 * The person's state folder: what kota knows of the stores on this machine, and the key that it
 * signs with. None of it is in a store.
 *
 * $XDG_STATE_HOME/kota-memory, else ~/.local/state/kota-memory. A folder counts only if it is
 * absolute, belongs to the effective user, and cannot be written by group or others. XDG_STATE_HOME
 * may have been set by whoever wrote the project, so it also has to be outside the work tree around
 * the store. If a folder does not exist yet, the nearest one above it that does has to pass.
 *
 * Read a file, change it and replace it under the lock, and no process loses what another added:
 *
 * state_folder_open(sys, env, work_tree, true, &dirfd, err); state_folder_lock(sys, dirfd, &lock,
 * err); state_file_read(sys, dirfd, "stores.json", MAX, &text, &found, err); file_replace(sys,
 * dirfd, "stores.json", new_text, 0600, FILE_DURABLE, NULL, err); state_folder_unlock(sys, &lock);
 * file_close(sys, &dirfd);
 *
 * Take the lock of a store before this one, never after it.
 */
#ifndef KOTA_STORE_TRUST_STATE_FOLDER_H
#define KOTA_STORE_TRUST_STATE_FOLDER_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"
#include "store/location/location.h"

/*
 * The code for errno value `number` of a call for the folder or a file in it: IO if a later call
 * may succeed (also once there is space again), another one if the folder must not be used.
 */
enum err_code state_error_code(int number);

/*
 * True for a temporary error. Callers then must not go on as if there were no folder, or no such
 * file.
 */
static inline bool state_error_passes(const struct err *err)
{
	return err->code == ERR_IO || err->code == ERR_BUSY;
}

/*
 * Opens the folder. work_tree is the root of the work tree in which the store was found, a real
 * path, or NULL. With make a folder that is missing is made, 0700 and durably; without, *dirfd is
 * -1 then and that is success. The caller closes *dirfd.
 *
 * An error says in one sentence why there is no such folder. Callers go on without one, unless
 * state_error_passes().
 */
int state_folder_open(const struct sys *sys, environment env, const char *work_tree, bool make,
		      int *dirfd, struct err *err);

/* The folder as the environment names it, unchecked; NULL without a home. The caller frees it. */
char *state_folder_path(environment env);

/* Takes the lock of the folder; ERR_BUSY after 5 s. Released by state_folder_unlock(). */
int state_folder_lock(const struct sys *sys, int dirfd, int *lock_fd, struct err *err);

/* Releases the lock; nothing happens for -1, which *lock_fd is afterwards. */
void state_folder_unlock(const struct sys *sys, int *lock_fd);

/*
 * Reads a file of the folder of at most max bytes. Absent is success with *found false and an empty
 * text. A link, or a file that is not the user's alone to write, is an error (BAD_DATA), and so is
 * one that the user may not read.
 */
int state_file_read(const struct sys *sys, int dirfd, const char *name, size_t max, struct str *out,
		    bool *found, struct err *err);

#endif
