/*
 * The parts of a change that takes another one back. For undo and revert.
 *
 *	change_begin(&change, store, &meta, now_ms, &err);
 *	if (undo_begin(change)) ... the history is whole, see history_log.h ...
 *	undo_names(change, "4f1c2d... set preferences:editor");
 *	change_put(...), undo_remove(...), undo_add_record(...)
 *	change_commit(change, &result, &err);
 *
 * What is put back gets its old text with its old times, and counts as active now, so that it does
 * not expire at once. Where the history keeps old values nothing else is kept; where there is none,
 * what gives way goes to the cold archive as with any change, so that this one can be taken back as
 * well. Texts are copied.
 */
#ifndef KOTA_STORE_TXN_UNDO_H
#define KOTA_STORE_TXN_UNDO_H

#include "git/libgit2.h"
#include "store/txn/change.h"

/*
 * Makes the change one that takes something back, and records what the history lacks, edits by hand
 * included. True if there is a history then.
 */
bool undo_begin(struct change *change);

/* What this change puts counts as active now, whatever its times; undo_begin() says so too. */
void undo_revive(struct change *change);

/* What is taken back: the id of a commit, a blank, its subject. For journal and history. */
void undo_names(struct change *change, struct slice undoes);

/* Takes an active entry out, as before it was added. */
int undo_remove(struct change *change, const struct item *item, struct err *err);

/* Puts a record back into archive.json: key is the record's own, text its JSON text. */
int undo_add_record(struct change *change, enum category category, struct slice key,
		    struct slice text, struct err *err);

/* Takes a record out of archive.json, or takes back its line in the cold archive. */
int undo_remove_record(struct change *change, const struct archived *archived, struct err *err);

/* Takes back a line of the cold archive that stands, or lets one stand again: see undo_marks.h. */
void undo_line(struct change *change, const struct record *record, struct slice line);

/*
 * Gives the link of this id a text, as it was: absent takes it out. What the file has under that id
 * by now gives way. ERR_BAD_DATA when relations.json cannot be read.
 */
int undo_link(struct change *change, struct slice id, struct slice text, struct err *err);

/*
 * Takes back what a change did to a note of the store's own folder, both texts absent where there
 * was none: one that it made goes while it is as it was made, one that it took away comes back
 * where its name is free. *stays says that nothing is done because of a person's own text.
 */
int undo_note(struct change *change, struct slice file, struct slice before, struct slice after,
	      bool *stays, struct err *err);

/* The text of a note of the store's own folder; false where there is none, or none to be read. */
bool undo_note_text(struct change *change, struct slice file, struct str *out);

/* The texts of a file before and after a recorded change, empty where there was none. */
int undo_texts_of(struct store *store, const struct object_id *change, const char *path,
		  struct str *before, struct str *after, struct err *err);

/*
 * The file was `before`, and the change that is taken back made it `after`: it gets the very bytes
 * back where it says the same as before again, and nobody has touched it since.
 */
void undo_layout(struct change *change, enum store_file file, struct slice before,
		 struct slice after);

/*
 * The lines that a recorded change appended to the cold archive, into *out (cleared first).
 */
int undo_lines_of(struct store *store, const struct object_id *change, struct str *out,
		  struct err *err);

#endif
