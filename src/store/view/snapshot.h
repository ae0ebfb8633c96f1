/*
 * The inside of a store: loaded files and the entries in them. For src/store only.
 *
 * A view is what store_refresh() and change_begin() make current. Each file is read and parsed once
 * and kept until its identity changes; only the shelf of a file that was read again is rebuilt.
 */
#ifndef KOTA_STORE_VIEW_SNAPSHOT_H
#define KOTA_STORE_VIEW_SNAPSHOT_H

#include "store/view/state.h"

/*
 * Reads settings, usage and files at now_ms, as far as they changed. What cannot be read becomes a
 * notice and counts as empty. A change may begin with this: the file that it touches is read once
 * more when it is built anew, and what differs there is set aside (struct op).
 *
 * A reader sees whole changes: what a journal says counts as done (read_through.h). False when the
 * files changed too fast for that, so that it may see a part of one.
 */
bool snapshot_load(struct store *store, int64_t now_ms);

/* Reads the settings alone; a notice when they are not valid. */
void snapshot_load_settings(struct store *store);

/* Reads some files again, after a change of our own: which[f] says whether file f is one. */
void snapshot_reload(struct store *store, const bool which[STORE_FILE_ARCHIVE + 1]);

/*
 * The text of a category's file as a change that waits will leave it, and its document; both are
 * taken over. See loader_foresee().
 */
void snapshot_foresee(struct store *store, enum category category, struct str *text,
		      struct json *doc);

/* True if something is due that the settings and the clock allow to expire. */
bool snapshot_has_due(const struct store *store);

/* Forgets everything that was read. */
void snapshot_release(struct store *store);

#endif
