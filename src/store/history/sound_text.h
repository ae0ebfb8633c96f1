/*
 * Sound texts in the history, see last_text.h.
 *
 * No version of a file that does not parse, or is empty, is recorded. Older histories may have such
 * commits; they are read as if each such version were the last sound one before it.
 */
#ifndef KOTA_STORE_HISTORY_SOUND_TEXT_H
#define KOTA_STORE_HISTORY_SOUND_TEXT_H

#include "git/repo.h"
#include "store/files/dir.h"
#include "store/view/state.h"

/* True for a text of a file with entries, records or links that cannot be believed. */
bool sound_is_damaged(const char *name, struct slice text);

/*
 * The blob of the last text of the file, at this commit or before it, that can be believed; from
 * NULL: HEAD. None where the file was not there, or never had such a text.
 */
int sound_blob_at(struct repo *repo, const struct object_id *from, const char *name,
		  struct object_id *out, struct err *err);

/*
 * The text of a blob that the file has at this commit, into *out (cleared first), or, where that
 * cannot be believed, the last one before it that can; empty where there is none.
 */
int sound_read(struct repo *repo, const struct object_id *commit, const char *name,
	       const struct object_id *blob, struct str *out, struct err *err);

/*
 * The newest text of a file that can be believed, into *out (cleared first): cached, what the
 * repository has (NULL: there is none), and what it is still to record, or `.NAME.last`, see
 * last_text_finder. False when there is none.
 */
bool sound_find_last(struct disk *disk, struct repo *repo, enum store_file file,
		     struct slice cached, int64_t cached_ms, struct str *out);

#endif
