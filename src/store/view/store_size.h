/*
 * How much the store holds, as the view has read it.
 */
#ifndef KOTA_STORE_VIEW_STORE_SIZE_H
#define KOTA_STORE_VIEW_STORE_SIZE_H

#include "store/view/query.h"

struct store_weight {
	int64_t categories[CATEGORY_COUNT]; /* bytes of the file */
	int64_t archive;                    /* bytes of archive.json */
	int64_t total;                      /* what limits.total_bytes is for: all of these */
	int64_t records;                    /* in archive.json */
};

/* At the last refresh; a file that could not be read counts as empty. */
void store_weigh(const struct store *store, struct store_weight *out);

#endif
