/*
 * This machine's name among those that share a store. Each of its commits has it, so that the
 * history shows which machine made them.
 *
 * It is kept in the file that says that the store has a remote, which is not shared.
 */
#ifndef KOTA_STORE_HISTORY_HOST_H
#define KOTA_STORE_HISTORY_HOST_H

#include "store/files/dir.h"

/*
 * Notes in the store that it has a remote, this machine's name, and the day of the last sync
 * (TIME_NONE: never). The name is the host's with four random digits; it stays the same, unless the
 * store came from another host. Writes nothing that is there already.
 */
int host_mark(struct disk *disk, int64_t synced_ms, struct err *err);

/* Its name in the arena; absent where the store has no remote. */
struct slice host_slice(const struct disk *disk, struct arena *arena);

/* Appends the name of this machine; false where the store has no remote. */
bool host_name(const struct disk *disk, struct str *out);

#endif
