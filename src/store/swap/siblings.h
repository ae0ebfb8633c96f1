/*
 * The files that stand beside a file of the store: `.NAME.tmp`, the text to come or, right after
 * the exchange, the displaced one; `.NAME.prev`, the displaced one; and what is kept of those that
 * nobody can make sense of. A displaced file that somebody may still write to, when the next one is
 * displaced, goes on as `.NAME.held-N`, until its content is final.
 */
#ifndef KOTA_STORE_SWAP_SIBLINGS_H
#define KOTA_STORE_SWAP_SIBLINGS_H

#include "store/files/resolve.h"
#include "store/swap/swap_log.h"

#define SIBLING_SUFFIX_SIZE 12
#define SIBLING_TEMP "tmp"
#define SIBLING_PREV "prev"
#define SIBLING_HELD "held"     /* followed by "-" and a slot */
#define SIBLING_EDIT "edit"     /* a person's text, before it takes the file's place as it is */
#define SIBLING_ORPHAN "orphan" /* complete, but of unknown origin */
#define SIBLING_BROKEN "prev-broken" /* an edit of the displaced file that is not valid JSON */

/* Appends the name of a twin. */
void sibling_name(struct str *out, const struct path *path, const char *suffix);

/* The suffix of the displaced file in a slot: 0 is SIBLING_PREV, others are held ones. */
void sibling_suffix(char out[SIBLING_SUFFIX_SIZE], unsigned slot);

/*
 * Reads a twin; absent is an empty text and id->present false. A directory there is an error. use
 * (NULL allowed) says whether somebody may still write to it.
 */
int sibling_read(const struct path *path, const char *suffix, struct str *text, struct file_id *id,
		 enum file_use *use, struct err *err);

/* Identity of a twin; absent is success with id->present false. */
int sibling_identify(const struct path *path, const char *suffix, struct file_id *id,
		     struct err *err);

/*
 * True if somebody has written to the displaced file since it came out as *out, as its stat tells.
 * What the stat does not show is found with the next change. *now is what the stat says, if it
 * does.
 */
bool sibling_is_stirred(const struct path *path, const struct file_id *out, struct file_id *now);

/*
 * True if the file was displaced so recently that somebody who found it under its old name may not
 * have opened it yet. id is of the displaced file: its ctime is that of the rename.
 */
bool sibling_is_young(const struct path *path, const struct file_id *id);

/* True if the file was written to so recently that whoever has it open may write more. */
bool sibling_is_fresh(const struct path *path, const struct file_id *id);

/* Checks that nothing in the place of the siblings would keep the file from being replaced. */
int sibling_check(const struct path *path, struct err *err);

/* Removes a twin; absent is fine. */
int sibling_remove(const struct path *path, const char *suffix, struct err *err);

/* Gives a twin a name of this kind that is free, so that nothing ever replaces it. */
int sibling_keep(const struct path *path, const char *suffix, const char *kind, struct err *err);

/*
 * The same for a twin that holds this text and that nobody can write to any more: where a text of
 * the kind is kept already that is equal, the twin is removed.
 */
int sibling_keep_once(const struct path *path, const char *suffix, const char *kind,
		      struct slice text, struct err *err);

/* Tells in *known whether the displaced file holds what the intent says. An absent one does. */
int sibling_is_known(const struct path *path, const struct swap_log *intent, bool *known,
		     struct err *err);

/*
 * Makes the temporary twin, which is the displaced file, the previous one; not yet durable. The
 * one before it goes to the slot that the intent names. Without a slot it goes for good: when
 * is_final, at once; else it is kept as an orphan when it does not hold what the intent says.
 */
int sibling_retire(const struct path *path, const struct swap_log *intent, bool is_final,
		   struct err *err);

/* Gives a twin the name of a slot, which must be free. */
int sibling_hold(const struct path *path, const char *suffix, unsigned slot, struct err *err);

/* Those of the slots in which there is something. */
uint32_t sibling_slots_in_use(const struct path *path, uint32_t held);

/* A slot that is neither among those nor taken by a file that nobody has noted; 0: there is none.
 */
unsigned sibling_free_slot(const struct path *path, uint32_t held);

/*
 * Makes renames in the directory durable; with sync_later only where that is not the store's own,
 * which whoever has set that makes durable afterwards.
 */
int sibling_sync(const struct path *path, struct err *err);

/* The inode of a twin that was just looked at: id is of it. */
void sibling_inode(struct inode *out, const struct path *path, const char *suffix,
		   const struct file_id *id);

/*
 * What is known of the displaced file that is there now, in *out (empty before): by the intent when
 * that means this very file, else by what it holds, and false. dev, inode and text are of the
 * displaced file.
 */
bool sibling_known(struct known *out, const struct swap_log *intent, enum store_file file,
		   uint64_t dev, const struct inode *inode, struct slice text);

#endif
