/*
 * The siblings of a file of the store: `.NAME.tmp` has the next text or, right after the exchange,
 * the displaced file. `.NAME.prev` is the displaced file. If somebody may still write to it when
 * the next file is displaced, it is kept as `.NAME.held-N` until its content is final. Siblings
 * that cannot be interpreted are kept under further names.
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

/* Appends the name of a sibling. */
void sibling_name(struct str *out, const struct path *path, const char *suffix);

/* The suffix of the displaced file in a slot: 0 is SIBLING_PREV, others are held ones. */
void sibling_suffix(char out[SIBLING_SUFFIX_SIZE], unsigned slot);

/*
 * Reads a sibling; if it is absent, the text is empty and id->present false. A directory is an
 * error. *use says whether somebody may still write to it; use may be NULL.
 */
int sibling_read(const struct path *path, const char *suffix, struct str *text, struct file_id *id,
		 enum file_use *use, struct err *err);

/* As sibling_read(), but a file that nobody has open and that is as it was is not read. */
int sibling_read_changed(const struct path *path, const char *suffix, const struct file_id *known,
			 struct str *text, struct file_id *id, enum file_use *use, struct err *err);

/* The identity of a sibling; succeeds with id->present false if it is absent. */
int sibling_identify(const struct path *path, const char *suffix, struct file_id *id,
		     struct err *err);

/*
 * True if, by its stat, somebody has written to the displaced file since it was displaced as *out;
 * *now is the new identity then. The next change finds what the stat does not show.
 */
bool sibling_is_stirred(const struct path *path, const struct file_id *out, struct file_id *now);

/*
 * True if the file was displaced so recently that a process that looked up its old name may not
 * have opened it yet. id is that of the displaced file; its ctime is the time of the rename.
 */
bool sibling_is_young(const struct path *path, const struct file_id *id);

/* True if the file was written to so recently that more writes may follow. */
bool sibling_is_fresh(const struct path *path, const struct file_id *id);

/* Checks that nothing with the name of a sibling prevents a replacement. */
int sibling_check(const struct path *path, struct err *err);

/* Removes a sibling, if it exists. */
int sibling_remove(const struct path *path, const char *suffix, struct err *err);

/* Renames a sibling to a free name of this kind, so that nothing ever replaces it. */
int sibling_keep(const struct path *path, const char *suffix, const char *kind, struct err *err);

/*
 * The same for a sibling with this text that nobody can write to any more: removes it if an equal
 * text of this kind is already kept.
 */
int sibling_keep_once(const struct path *path, const char *suffix, const char *kind,
		      struct slice text, struct err *err);

/*
 * *known is set to whether the displaced file has the content noted in the swap log, or is absent.
 */
int sibling_is_known(const struct path *path, const struct swap_log *intent, bool *known,
		     struct err *err);

/*
 * Renames `.tmp`, which is the displaced file, to `.prev`; not yet durable. The `.prev` before it
 * moves to the slot that the swap log names. Without a slot it is removed if is_final, or if it has
 * the content noted in the swap log; otherwise it is kept as an orphan.
 */
int sibling_retire(const struct path *path, const struct swap_log *intent, bool is_final,
		   struct err *err);

/* Renames a sibling to the name of a slot, which must be free. */
int sibling_hold(const struct path *path, const char *suffix, unsigned slot, struct err *err);

/* The slots of `held` whose file exists. */
uint32_t sibling_slots_in_use(const struct path *path, uint32_t held);

/* A slot that is not in `held` and has no file; 0 if there is none. */
unsigned sibling_free_slot(const struct path *path, uint32_t held);

/*
 * Makes renames in the directory durable. With disk->sync_later only if it is not the store's own
 * directory, which the caller that has set it makes durable afterwards.
 */
int sibling_sync(const struct path *path, struct err *err);

/* The inode of a sibling whose identity is id. */
void sibling_inode(struct inode *out, const struct path *path, const char *suffix,
		   const struct file_id *id);

/*
 * Sets *out, which is empty, to what is known of the present displaced file: from the swap log if
 * that describes this very file, else from its content, and returns false. dev, inode and text are
 * those of the displaced file.
 */
bool sibling_known(struct known *out, const struct swap_log *intent, enum store_file file,
		   uint64_t dev, const struct inode *inode, struct slice text);

#endif
