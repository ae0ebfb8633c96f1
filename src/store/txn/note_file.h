/*
 * Making a note, and taking one away: Markdown files in the folder of notes.
 *
 * For apply.c and change_note.c. The folder is disk->notes_dir, from the settings in force and
 * never from a journal: what a store brings along does not decide where is written. A new note
 * never takes the place of a file, and one goes only while it still is what was written; links of a
 * store's own folder are not followed. The lock must be held.
 */
#ifndef KOTA_STORE_TXN_NOTE_FILE_H
#define KOTA_STORE_TXN_NOTE_FILE_H

#include "store/files/dir.h"

/* Tells in *exists whether the folder has anything of this name. Fails when that cannot be told. */
int note_file_exists(struct disk *disk, struct slice name, bool *exists, struct err *err);

/* True if the note has this text. False when it is absent or cannot be read. */
bool note_file_has_text(struct disk *disk, struct slice name, struct slice text);

/* Reads the note; false, and *out is empty, where there is none or it cannot be read. */
bool note_file_read(struct disk *disk, struct slice name, struct str *out);

/*
 * Writes what is to become the note beside it, so that all that may fail has been tried before the
 * change is committed; makes the folder where it is a part of the store. ERR_CANNOT_WRITE.
 */
int note_file_stage(struct disk *disk, struct slice name, struct slice text, struct err *err);

/* Takes away what was staged for a change that came to nothing. */
void note_file_unstage(struct disk *disk, struct slice name);

/*
 * Makes the note, durably. Where a file of that name has come meanwhile it stays: the note gets a
 * number, or in a redo is left out, since that file may be the note itself, edited. A note that is
 * there with this text is done.
 */
int note_file_add(struct disk *disk, struct slice name, struct slice text, bool redo,
		  struct err *err);

/* Takes the note away, durably, when it still has this text; else it stays. */
int note_file_remove(struct disk *disk, struct slice name, struct slice text, struct err *err);

/* Removes what killed processes have staged. */
void note_file_tidy(struct disk *disk);

/* The longest name of a note, with its ending. */
#define NOTE_NAME_MAX 200

/* Numbers that are tried before a name counts as taken. */
#define NOTE_NUMBERS_MAX 1000

/* Appends NAME.md, or NAME-N.md for n above 1. */
void note_file_name(struct str *out, struct slice stem, int n);

#endif
