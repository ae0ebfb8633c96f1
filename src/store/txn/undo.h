/*
 * The parts of a change that undoes another one. For undo and revert.
 *
 *	change_begin(&change, store, &meta, now_ms, &err);
 *	if (undo_begin(change)) ... the history is whole, see history_log.h ...
 *	undo_names(change, "4f1c2d... set preferences:editor");
 *	change_put(...), undo_remove(...), undo_add_record(...)
 *	change_commit(change, &result, &err);
 *
 * An entry that is restored gets its old text with its old times, and counts as active now, so that
 * it does not expire at once. With a history, replaced values are in the history and nowhere else.
 * Without one they go to the cold archive, as in any change, so that the undo can be undone. Texts
 * are copied.
 */
#ifndef KOTA_STORE_TXN_UNDO_H
#define KOTA_STORE_TXN_UNDO_H

#include "git/libgit2.h"
#include "store/txn/change.h"

/*
 * Marks the change as an undo, and records what the history lacks, including edits by hand. Returns
 * true if there is a history.
 */
bool undo_begin(struct change *change);

/* Entries that this change puts count as active now, whatever their times. Part of undo_begin(). */
void undo_revive(struct change *change);

/* Names the commit that is undone: its id, a blank, its subject. For journal and history. */
void undo_names(struct change *change, struct slice undoes);

/* Removes an active entry, as if it had not been added. */
int undo_remove(struct change *change, const struct item *item, struct err *err);

/* Puts a record back into archive.json: key is the record's own, text its JSON text. */
int undo_add_record(struct change *change, enum category category, struct slice key,
		    struct slice text, struct err *err);

/* Removes a record from archive.json, or revokes its line in the cold archive. */
int undo_remove_record(struct change *change, const struct archived *archived, struct err *err);

/* Revokes a line of the cold archive, or restores a revoked one: see undo_marks.h. */
void undo_line(struct change *change, const struct record *record, struct slice line);

/*
 * Sets the link of this id to its old text, or removes it if text is absent. Replaces what the file
 * has under that id. ERR_BAD_DATA if relations.json cannot be read.
 */
int undo_link(struct change *change, struct slice id, struct slice text, struct err *err);

/*
 * Undoes what a change did to a note in the store's own folder; a text is absent if there was no
 * note. A note that the change made is removed if its text is unchanged. A note that it removed
 * comes back if its name is free, one whose text it replaced gets that back. *stays: nothing was
 * done because of a person's own text.
 */
int undo_note(struct change *change, struct slice file, struct slice before, struct slice after,
	      bool *stays, struct err *err);

/* Reads a note in the store's own folder; false if it is absent or cannot be read. */
bool undo_note_text(struct change *change, struct slice file, struct str *out);

/* The texts of a file before and after a recorded change; empty if there was no file. */
int undo_texts_of(struct store *store, const struct object_id *change, const char *path,
		  struct str *before, struct str *after, struct err *err);

/*
 * The change that is undone turned `before` into `after`. If the file still is `after`, and means
 * the same as `before` once this change is made, it gets the exact bytes of `before`.
 */
void undo_layout(struct change *change, enum store_file file, struct slice before,
		 struct slice after);

/* Sets *out to the lines that a recorded change appended to the cold archive. */
int undo_lines_of(struct store *store, const struct object_id *change, struct str *out,
		  struct err *err);

#endif
