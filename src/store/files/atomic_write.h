/*
 * Replacing a file that nobody edits by a shorter text of it: what a purge takes out, what
 * compaction finds twice.
 *
 * Another file, fsync, rename, fsync of the folder: old or new after a crash. For src/store only.
 */
#ifndef KOTA_STORE_FILES_ATOMIC_WRITE_H
#define KOTA_STORE_FILES_ATOMIC_WRITE_H

#include "store/files/dir.h"

/*
 * Replaces dirfd/name; `where` is what comes before the name in a sentence, "archive.cold/". The
 * lock must be held.
 */
int renew_file(struct disk *disk, int dirfd, const char *where, const char *name, struct slice text,
	       struct err *err);

#endif
