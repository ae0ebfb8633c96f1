/*
 * Putting a store right where nobody has to be asked: what `kota doctor --fix` does.
 *
 * It does what the next change would do before it begins, puts the last text back into files that
 * cannot be believed, and takes rights away from others. No entry changes, nothing expires, nothing
 * is removed that has not been compared and found to be in place; what belongs to somebody else or
 * lies behind a link is left alone. For the command and its test.
 */
#ifndef KOTA_STORE_TXN_REPAIR_H
#define KOTA_STORE_TXN_REPAIR_H

#include "store/view/query.h"

/*
 * Takes the lock, waiting for it as a change does. Gives a file that was emptied or does not
 * parse its last text that could be believed, where there is one, and keeps the other beside it.
 * Finishes a committed journal, also one that is not signed, or was set aside for that, since the
 * person has asked for it; settles displaced and temporary files, completes .gitignore and .kota,
 * writes metadata.json anew where it does not agree, records what is pending where there is a
 * history, and tightens modes. What does not succeed leaves the rest to be done; err then says
 * what failed first.
 */
int repair_store(struct store *store, int64_t now_ms, struct err *err);

/*
 * Names of temporary files, ended by NULL, that nobody misses: repair_store() removes them. Those
 * beside files of entries are compared first. Static storage.
 */
const char *const *repair_temporary_names(void);

/*
 * Calls visit for what should be its owner's alone and is open to others: the name ("" for the
 * folder itself), its mode, and whether it can be tightened here: it is this user's own and stands
 * in the store as itself, under one name.
 */
typedef void (*repair_visitor)(void *context, const char *name, mode_t mode, bool tightens);
void repair_each_open(struct disk *disk, repair_visitor visit, void *context);

/*
 * Records all that waits because it may hold a secret: the person says so. Takes the lock itself.
 * ERR_NO_HISTORY with the reason where there is none, ERR_BUSY as a change would.
 */
int repair_record_held(struct store *store, int64_t now_ms, struct err *err);

#endif
