/*
 * The files of the store that the history is about.
 *
 * Category files, archive.json, relations.json, config.json, synonyms.json, activity.json,
 * purged.jsonl, .kota, .gitignore, the files of archive.cold and the notes. Everything else in the
 * folder is derived, or not ours. For history.c and recorder.c.
 */
#ifndef KOTA_STORE_HISTORY_TRACKED_H
#define KOTA_STORE_HISTORY_TRACKED_H

#include "model/diff.h"
#include "store/files/dir.h"

/* Tells other machines what was purged: src/sync. */
#define PURGED_NAME "purged.jsonl"

/* Called with each name that is there, relative to the store; a non-zero result ends the walk. */
typedef int (*tracked_visitor)(void *context, const char *name);

/*
 * Walks the files that exist; of_sync: activity.json and purged.jsonl among them, which only a sync
 * writes. Fails when a folder cannot be read.
 */
int tracked_walk(struct disk *disk, bool of_sync, tracked_visitor visit, void *context,
		 struct err *err);

/* True for the name of such a file, whether it exists or not. */
bool tracked_is(const char *name);

/* True for a file of notes. */
bool tracked_is_note(const char *name);

/* True for a folder that has such files. */
bool tracked_is_folder(const char *name);

/* True for a file of archive.cold, to which lines are appended. */
bool tracked_is_appended(const char *name);

/* Reads one whole, as disk_read(). */
int tracked_read(struct disk *disk, const char *name, struct str *text, struct file_id *id,
		 struct err *err);

/*
 * What differs between two texts of it, entry by entry. False, and nothing to release, where it is
 * no file of entries or records.
 */
bool tracked_compare(struct comparison *out, const char *name, struct slice before,
		     struct slice after);

/* True if the file has entries or records; then *out has its text taken apart. */
bool tracked_edition(struct edition *out, const char *name, struct slice text);

/* The category whose entries it has; CATEGORY_COUNT for archive.json, CATEGORY_ANY for others. */
int tracked_category(const char *name);

#endif
