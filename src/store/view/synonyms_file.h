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
struct wordbook;

/* The synonyms as they are now, NULL when there are none; valid until the next call. */
const struct synonyms *wordbook_synonyms(struct store *store);

/* NULL is none. */
void wordbook_free(struct wordbook *wordbook, const struct sys *sys);

#endif
