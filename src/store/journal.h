/*
 * The redo journal: a change of several files, written down whole before the first is touched.
 *
 * `.journal` holds the operations and who made them. Its name appears by a rename whose directory
 * fsync is the commit point of the change; it goes when all files are durable. The lock must be
 * held throughout. For apply.c; doctor reads it.
 */
#ifndef KOTA_STORE_JOURNAL_H
#define KOTA_STORE_JOURNAL_H

#include "base/arena.h"
#include "store/apply.h"

struct journal {
	bool found;
	int64_t at_ms;
	struct op *ops;
	size_t count;
	struct change_meta meta;
	struct arena arena; /* owns all of it */
};

/*
 * Writes the journal and makes it durable. On failure *committed says whether it may be in force
 * nevertheless.
 */
int journal_commit(struct disk *disk, const struct op *ops, size_t count,
		   const struct change_meta *meta, int64_t now_ms, bool *committed,
		   struct err *err);

/*
 * Reads the journal; none is success with found false. One that cannot be read or is not valid is
 * an error. On success: journal_release().
 */
int journal_read(struct journal *out, struct disk *disk, struct err *err);

/* Frees the operations and their texts. */
void journal_release(struct journal *journal);

/* Removes what a killed process left of a journal that never was in force. */
void journal_tidy(struct disk *disk);

/* Takes the journal away, durably. All that it is about has to be durable before. */
int journal_remove(struct disk *disk, struct err *err);

#endif
