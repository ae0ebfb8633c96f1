/*
 * Reading one file of the store, if it changed since it was read last.
 */
#ifndef KOTA_STORE_VIEW_LOADER_H
#define KOTA_STORE_VIEW_LOADER_H

#include "store/view/state.h"

/* Reads the file again if it changed; true when it did. A broken one counts as changed once. */
bool loader_read(struct store *store, enum store_file file);

/*
 * The parsed file, or, where that cannot be believed, the last text that could; NULL when it is
 * absent or there is none. Owned by the store.
 */
const struct json *loader_document(const struct loaded *file);

/*
 * Reads the file before the others, and lets it be read again with them, when what is made of it is
 * built. Owned by the store.
 */
const struct loaded *loader_look(struct store *store, enum store_file file);

/*
 * Takes a text and its document for the file's, which is about to get it under this lock, and is
 * what it is on the disk until then. Both are taken over.
 */
void loader_foresee(struct store *store, enum store_file file, struct str *text, struct json *doc);

/* Frees what was read of it. */
void loader_forget(struct loaded *file);

#endif
