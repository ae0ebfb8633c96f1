/*
 * The files that stand beside a file of the store: `.NAME.tmp`, the text to come or, right after
 * the exchange, the displaced one; `.NAME.prev`, the displaced one; and what is kept of those that
 * nobody can make sense of.
 */
#ifndef KOTA_STORE_TWIN_H
#define KOTA_STORE_TWIN_H

#include "store/intent.h"
#include "store/path.h"

#define TWIN_TEMP "tmp"
#define TWIN_PREV "prev"
#define TWIN_ORPHAN "orphan"      /* complete, but of unknown origin */
#define TWIN_BROKEN "prev-broken" /* an edit of the displaced file that is not valid JSON */

/* The name of a twin; the caller frees it. */
char *twin_name(const struct path *path, const char *suffix);

/* Reads a twin; absent is an empty text and id->present false. A directory there is an error. */
int twin_read(const struct path *path, const char *suffix, struct str *text, struct file_id *id,
	      struct err *err);

/* Is there nothing in the place of the twins that would keep the file from being replaced? */
int twin_check(const struct path *path, struct err *err);

/* Removes a twin; absent is fine. */
int twin_remove(const struct path *path, const char *suffix, struct err *err);

/* Gives a twin a name of this kind that is free, so that nothing ever replaces it. */
int twin_keep(const struct path *path, const char *suffix, const char *kind, struct err *err);

/* Does the displaced file that is there hold what the intent says? So does one that is absent. */
int twin_is_known(const struct path *path, const struct intent *intent, bool *known,
		  struct err *err);

/*
 * Makes the temporary twin, which is the displaced file, the previous one; not yet durable. The
 * one before it goes, or is kept as an orphan when somebody has written to it.
 */
int twin_retire(const struct path *path, const struct intent *intent, struct err *err);

/*
 * Makes renames in the directory durable; with sync_later only where that is not the store's own,
 * which whoever has set that makes durable afterwards.
 */
int twin_sync(const struct path *path, struct err *err);

/*
 * What is known of the displaced file that is there now, in *out (empty before): by the intent when
 * that can be believed, else by what it holds. id and text are of the displaced file.
 */
void twin_known(struct known *out, const struct intent *intent, enum store_file file,
		const struct file_id *id, struct slice text);

#endif
