/*
 * Opening, making and locking the data directory.
 */
#ifndef KOTA_STORE_FILES_DIR_LOCK_H
#define KOTA_STORE_FILES_DIR_LOCK_H

#include "store/files/dir.h"

/* The file of the lock, and how long a writer waits for others before the store counts as busy. */
#define DISK_LOCK_NAME ".lock"
#define DISK_LOCK_WAIT_MS 5000

/*
 * Opens the directory when it exists; when it does not, dirfd stays -1 and everything reads as
 * absent. Refuses a path that is not a directory and a .kota with a higher format number. *disk
 * owns what it opened: disk_close(). sys must outlive it.
 */
int disk_open(struct disk *disk, const struct sys *sys, const char *path, struct err *err);

/*
 * The same for a store that was looked for: a project's is opened without following a link, and
 * with env (NULL: none) it is found out whether it is the person's own. env must outlive *disk.
 */
int disk_open_at(struct disk *disk, const struct sys *sys, environment env,
		 const struct place *place, struct err *err);

/*
 * The same for a process that confines itself to the store, see store/files/confine.h: when the
 * folder is open, now or later, and it is known where it comes from, before a file in it is read.
 * confine must outlive *disk; NULL is none.
 */
int disk_open_confined(struct disk *disk, const struct sys *sys, environment env,
		       const struct place *place, struct confine *confine, struct err *err);

/* Releases the lock and the directory. */
void disk_close(struct disk *disk);

/* Opens the directory if somebody made it since; true when it is open. */
bool disk_exists(struct disk *disk);

/* The same, by a look at the folder that also serves the lock, which is taken next. */
bool disk_expects_lock(struct disk *disk);

/*
 * True if the folder has no file of this name, or there is no folder. False also when that cannot
 * be told.
 */
bool disk_lacks(const struct disk *disk, const char *name);

/*
 * Opens the directory that the path names now: it may have appeared, gone, or been replaced by
 * another (a checkout, a restored backup) since it was opened. Called before every request, so that
 * nothing is ever written into a directory that nobody can find any more, and so that a store that
 * a newer program has converted meanwhile is not misread.
 */
int disk_reopen(struct disk *disk, struct err *err);

/*
 * True if each name in the open directory still stands for the same file as at the last look. False
 * also when its times cannot tell yet. True when it is not open.
 */
bool disk_names_stand(struct disk *disk);

/*
 * Makes the directory with its parents (0700 for the store itself), .kota and .gitignore where
 * missing, whatever the umask; an existing directory keeps its mode. A no-op where all is there.
 */
int disk_create(struct disk *disk, struct err *err);

/*
 * Checks that this process may change the store. The error says why it may not: read-only, belongs
 * to somebody else, came with a repository and is not trusted.
 */
int disk_writable(struct disk *disk, struct err *err);

/*
 * Takes the lock, waiting at most wait_ms (0: try once); ERR_BUSY when somebody else holds it.
 * Creates the directory and .lock when missing. The order of locks is: this one, then git's.
 */
int disk_lock(struct disk *disk, int64_t wait_ms, struct err *err);

/* Releases the lock; nothing happens when it is not held. */
void disk_unlock(struct disk *disk);

#endif
