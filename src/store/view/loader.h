/*
 * Reading one file of the store, if it changed since it was read last.
 */
#ifndef KOTA_STORE_VIEW_LOADER_H
#define KOTA_STORE_VIEW_LOADER_H

#include "store/view/state.h"

/* Reads the file again if it changed; true when it did. A broken one counts as changed once. */
bool loader_read(struct store *store, enum store_file file);

/* The parsed file, or NULL when it is absent or broken. Owned by the store. */
const struct json *loader_document(const struct loaded *file);

/* Frees what was read of it. */
void loader_forget(struct loaded *file);

#endif
