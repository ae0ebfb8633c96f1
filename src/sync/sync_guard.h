/*
 * The checks before a merge is put in place, and before anything leaves the machine.
 */
#ifndef KOTA_SYNC_SYNC_GUARD_H
#define KOTA_SYNC_SYNC_GUARD_H

#include "store/txn/change_commit.h"
#include "sync/whole_merge.h"

/*
 * Finds the entries that are active in the commit, and neither active nor archived in the files.
 * Their refs are appended to *gone, a line each; *active is how many entries the commit has.
 */
int guard_gone(struct repo *repo, const struct object_id *commit, const struct file_list *files,
	       struct str *gone, size_t *gone_count, size_t *active, struct err *err);

/* Raises *held, initialised, to what the commit holds: the number of entries, and their bytes. */
int guard_held(struct repo *repo, const struct object_id *commit, struct held *held,
	       struct err *err);

/* Two stores that have never met. */
struct guard_meeting {
	size_t here;  /* entries */
	size_t there; /* entries */
	size_t both;  /* keys that have another value there than here */
};

/* Counts the entries of two commits; files that cannot be read count as empty. */
int guard_meet(struct repo *repo, const struct object_id *here, const struct object_id *there,
	       struct guard_meeting *out, struct err *err);

/*
 * Checks that the commits after `from` (none: all) up to `to` add no secret. ERR_BAD_VALUE names
 * the first one.
 */
int guard_secrets(struct repo *repo, const struct object_id *from, const struct object_id *to,
		  struct err *err);

#endif
