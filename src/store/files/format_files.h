/*
 * The two small files by which a folder is known as a store: .kota, what it is and of which format,
 * and .gitignore, what in it belongs into nobody's version control. For src/store and doctor.
 */
#ifndef KOTA_STORE_FILES_FORMAT_FILES_H
#define KOTA_STORE_FILES_FORMAT_FILES_H

#include "store/files/dir.h"

#define MARK_FORMAT_PREFIX "kota-memory data directory, format "
#define MARK_IGNORE_NAME ".gitignore"

/*
 * How git is to merge the files of a store that a repository tracks, and the line of .gitignore
 * that lets git have that file.
 */
#define MARK_ATTRIBUTES_NAME ".gitattributes"
#define MARK_ATTRIBUTES_EXCEPTION "!" MARK_ATTRIBUTES_NAME

/* Its lines, ended by NULL. */
extern const char *const format_attributes[];

/*
 * Makes those that are missing, whole or not at all, durably; in a new store that lies in a
 * repository the attributes, too. The lock must be held.
 */
int format_files_make(struct disk *disk, struct err *err);

/*
 * True if .gitignore lacks a line of ours. That line and those after it, which may depend on it,
 * are appended to *missing. A file that is absent or cannot be read lacks none.
 */
bool format_files_lack(struct disk *disk, struct str *missing);

/* Adds such lines at the end of .gitignore; all else in it stays. The lock must be held. */
int format_files_complete(struct disk *disk, struct err *err);

#endif
