/*
 * Repairs that need no decision: what `kota doctor --fix` does.
 *
 * It does what the next change would do first, restores the last sound text of damaged files, and
 * removes access rights of other users. No entry changes and nothing expires. Nothing is removed
 * unless its content was found in its place. Files of other users and behind links are left alone.
 * For the command and its test.
 */
#ifndef KOTA_STORE_TXN_REPAIR_H
#define KOTA_STORE_TXN_REPAIR_H

#include "store/view/query.h"

/*
 * Takes the lock, waiting for it as a change does. Then: restores the last sound text of a file
 * that was emptied or does not parse, and keeps the damaged one beside it; finishes a committed
 * journal, even an unsigned one, since the person has asked for it; settles displaced and temporary
 * files; completes .gitignore and .kota; rewrites a metadata.json that is wrong; records what is
 * pending if there is a history; tightens modes. A step that fails does not stop the others; err
 * has the first failure.
 */
int repair_store(struct store *store, int64_t now_ms, struct err *err);

/*
 * Names of temporary files that repair_store() removes, ended by NULL. Those beside files of
 * entries are compared with them first. Static storage.
 */
const char *const *repair_temporary_names(void);

/*
 * Calls visit for each file that other users can access: its name ("" for the folder itself), its
 * mode, and whether the mode can be tightened, which is so if the file belongs to this user and is
 * neither a link nor has a second name.
 */
typedef void (*repair_visitor)(void *context, const char *name, mode_t mode, bool tightens);
void repair_each_open(struct disk *disk, repair_visitor visit, void *context);

/*
 * Records everything that waits because it may hold a secret, as the person has asked for. Takes
 * the lock. ERR_NO_HISTORY with the reason if there is no history, ERR_BUSY as for a change.
 */
int repair_record_held(struct store *store, int64_t now_ms, struct err *err);

#endif
