/*
 * metadata.json: counts and bytes at a glance, derived and never believed.
 *
 * {version: 2, updatedAt, lastCleanup, counts: {category: n}, bytes: {total, metadata, categories:
 * {category: n}, archives: {category: n}}, archives: {counts: {category: n}, total}}. bytes.total
 * is the sum of all bytes listed beside it: categories, archives and metadata. archives.total is
 * the sum of its counts. A time that is not known is null.
 *
 * Replaced by a rename after the commit point, without fsync: it is rebuilt when torn, missing or
 * stale. A link in its place is replaced itself, never followed.
 */
#ifndef KOTA_STORE_TXN_METADATA_H
#define KOTA_STORE_TXN_METADATA_H

#include "store/files/dir.h"

struct store;

struct metadata {
	int64_t updated_ms;
	int64_t cleanup_ms; /* last expiry run; TIME_NONE: never */
	int64_t counts[CATEGORY_COUNT];
	int64_t bytes[CATEGORY_COUNT]; /* size of the category files */
	int64_t archive_counts[CATEGORY_COUNT];
	int64_t archive_bytes[CATEGORY_COUNT]; /* bytes of the records in archive.json */
};

/* Reads lastCleanup out of the file; TIME_NONE when there is none or it cannot be read. */
int64_t metadata_last_cleanup(struct disk *disk);

/* How many entries of a category it says there are; -1 when it cannot be read. Only a hint. */
int64_t metadata_count_of(struct disk *disk, enum category category);

enum metadata_state {
	METADATA_ABSENT,
	METADATA_FINE,
	METADATA_STALE,  /* torn or wrong */
	METADATA_BLOCKED /* something else has its name */
};

/*
 * Compares the file with what it should say. Times are left out; its own size has to be right, too.
 */
enum metadata_state metadata_compare(struct disk *disk, const struct metadata *should);

/* Writes the file; the lock must be held. bytes.metadata is the file's own size. */
int metadata_write(struct disk *disk, const struct metadata *metadata, struct err *err);

/*
 * Writes the file from the store's view; the lock must be held. cleaned: an expiry run has just
 * taken place. The file is derived, so a failure is only a notice.
 */
void metadata_update(struct store *store, bool cleaned);

/*
 * Writes it if it is missing, torn or differs from the view. Does nothing while a file of entries
 * cannot be read, since its entries cannot be counted, or if something else has its name.
 */
void metadata_mend(struct store *store);

#endif
