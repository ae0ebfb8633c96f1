/*
 * The name of this machine among those that a store is kept on: in each of its commits, so that who
 * looks at the history knows which are of this one.
 *
 * It stands in the file that says that the store has a remote, which is not shared.
 */
#ifndef KOTA_STORE_HISTORY_HOST_H
#define KOTA_STORE_HISTORY_HOST_H

#include "store/files/dir.h"

/*
 * Says in the store that it has a remote, and what this machine is called: the host's name and four
 * random digits. What is there stays, unless the store came from another host.
 */
int host_mark(struct disk *disk, struct err *err);

/* Its name in the arena; absent where the store has no remote. */
struct slice host_slice(const struct disk *disk, struct arena *arena);

/* Appends the name of this machine; false where the store has no remote. */
bool host_name(const struct disk *disk, struct str *out);

#endif
