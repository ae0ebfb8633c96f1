/*
 * The two small files by which a folder is known as a store: .kota, what it is and of which format,
 * and .gitignore, what in it belongs into nobody's version control. For src/store and doctor.
 */
#ifndef KOTA_STORE_FILES_FORMAT_FILES_H
#define KOTA_STORE_FILES_FORMAT_FILES_H

#include "store/files/dir.h"

#define MARK_FORMAT_PREFIX "kota-memory data directory, format "
#define MARK_IGNORE_NAME ".gitignore"

/* Makes those that are missing, whole or not at all, durably; the lock must be held. */
int format_files_make(struct disk *disk, struct err *err);

/*
 * Does .gitignore lack a line of ours? Then that line and those after it, which may depend on it,
 * are appended to *missing. A file that is absent, or not to be read, lacks none.
 */
bool format_files_lack(struct disk *disk, struct str *missing);

/* Adds such lines at the end of .gitignore; all else in it stays. The lock must be held. */
int format_files_complete(struct disk *disk, struct err *err);

#endif
