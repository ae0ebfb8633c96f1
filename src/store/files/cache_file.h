/*
 * Replacing a file that can be lost without harm: usage.jsonl and metadata.json.
 *
 * Another file and a rename or exchange, without fsync. A link in the file's place is replaced
 * itself and never followed. For src/store only.
 */
#ifndef KOTA_STORE_FILES_CACHE_FILE_H
#define KOTA_STORE_FILES_CACHE_FILE_H

#include "store/files/dir.h"

/*
 * Replaces the file by text; the lock must be held. The mode is 0600, or tighter where the person
 * made it so. With fd not NULL the new file stays open for appending: the caller closes *fd.
 */
int derived_replace(struct disk *disk, const char *name, struct slice text, int *fd,
		    struct err *err);

/*
 * As derived_replace, for a file that is replaced by every change: two files take turns under the
 * names NAME and .NAME.spare, so that none is made and none removed. Both cost ext4 several times
 * what the writing does.
 */
int derived_alternate(struct disk *disk, const char *name, struct slice text, struct err *err);

#endif
