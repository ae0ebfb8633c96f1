/*
 * Changes that wait for one flush.
 *
 * Where requests stand behind each other, a change that puts entries into one category file, and
 * is recorded, need not be made durable before the next is begun. It waits: the view has it, the
 * lock is kept, the disk knows nothing of it, and nobody may hear of it before commit_settle()
 * (change_commit.h) has made all that wait durable, together. Each stays a change of its own. A
 * kill before that leaves none of them.
 */
#ifndef KOTA_STORE_TXN_GROUP_H
#define KOTA_STORE_TXN_GROUP_H

#include "store/view/state.h"

struct change;

/* May changes wait from now on? Those that wait go on waiting either way. */
void group_admit(struct store *store, bool admit);

/* How many changes wait. While any does the lock is held. */
size_t group_waits(const struct store *store);

/* How many changes have come to wait so far. */
uint64_t group_joined(const struct store *store);

/*
 * Did making them durable or recording them fail, of the changes number from < n <= to as
 * group_joined() counted them? The last time that it did; *err says why.
 */
bool group_failed(const struct store *store, uint64_t *from, uint64_t *to, struct err *err);

/* Frees it; nothing may wait. */
void group_free(struct store *store);

/* True if a change that waits puts an entry under this key, as it is spelt. */
bool group_puts(const struct store *store, enum category category, struct slice key);

/*
 * Lets the change wait, if it is of a kind that can: then it is owned here, and the view has it.
 * Its first count operations are to be carried out, the others are copies of what is overwritten,
 * for where it cannot be recorded.
 */
bool group_take(struct change *change, size_t count);

/*
 * Makes what waits durable. *touched, which has STORE_FILE_ARCHIVE + 1 elements, says which files
 * have to be read again for that. 0 where nothing waits.
 */
int group_apply(struct store *store, bool *touched, struct err *err);

/*
 * Says whether the history has what was just made. Where it has not, what waits fails with that as
 * the reason, since its replies are composed already and cannot warn; and nothing waits until a
 * change is recorded.
 */
void group_recorded(struct store *store, bool recorded);

/* Lines for the cold archive, of what the changes that wait have overwritten. */
void group_add_spare(const struct store *store, struct str *lines);

/* Nothing waits any more. */
void group_clear(struct store *store);

#endif
