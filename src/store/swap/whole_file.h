/*
 * Replacing a file of the store as it is, and not entry by entry: settings, synonyms, and files of
 * entries that do not parse.
 */
#ifndef KOTA_STORE_SWAP_WHOLE_FILE_H
#define KOTA_STORE_SWAP_WHOLE_FILE_H

#include "store/files/dir.h"

struct whole_file {
	const char *file_name;
	struct slice before; /* what it is taken to be; empty for one that is absent */
	struct slice after;  /* what it is to be */
	bool keeps;          /* the old text stays beside the file, unless it is blank */
};

/*
 * Replaces the file durably, if it still is what it was before: else ERR_BUSY. The lock must be
 * held. Nothing is recorded.
 */
int whole_file_replace(struct disk *disk, const struct whole_file *file, struct err *err);

#endif
