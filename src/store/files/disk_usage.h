/*
 * How many bytes files of the store have, for who tells how large it is.
 *
 * A look, not a promise: nothing is locked, and what cannot be looked at counts as nothing.
 */
#ifndef KOTA_STORE_FILES_DISK_USAGE_H
#define KOTA_STORE_FILES_DISK_USAGE_H

#include "store/files/dir.h"

/* Bytes of a file in the store's folder, or that a link there leads to; 0 when it is none. */
int64_t size_of_file(struct disk *disk, const char *name);

/* Bytes of all regular files in a folder of the store, and below it. Links are not followed. */
int64_t size_of_folder(struct disk *disk, const char *name);

#endif
