/*
 * synonyms.json: what the person says means the same. For src/store only.
 *
 * Read again when it changes. One that is broken is a notice and counts as empty.
 */
#ifndef KOTA_STORE_VIEW_SYNONYMS_FILE_H
#define KOTA_STORE_VIEW_SYNONYMS_FILE_H

#include "text/synonyms.h"

struct store;
struct sys;
struct synonyms_file;

/* The synonyms as they are now, NULL when there are none; valid until the next call. */
const struct synonyms *synonyms_file_read(struct store *store);

/* Frees what was read; NULL is nothing. For snapshot.c. */
void synonyms_file_free(struct synonyms_file *file, const struct sys *sys);

#endif
