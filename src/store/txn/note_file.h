/*
 * Makes and removes notes: Markdown files in the folder of notes.
 *
 * For apply.c and change_note.c. The folder is disk->notes_dir, from the settings in force and
 * never from a journal, so that a foreign store cannot choose where files are written. A new note
 * never replaces a file, and a note is only removed while it has the text that was written. Links
 * in a store's own folder are not followed. The lock must be held.
 */
#ifndef KOTA_STORE_TXN_NOTE_FILE_H
#define KOTA_STORE_TXN_NOTE_FILE_H

#include "store/files/dir.h"

/* *exists is set to whether the folder has anything of this name. Fails if that cannot be known. */
int note_file_exists(struct disk *disk, struct slice name, bool *exists, struct err *err);

/* True if the note has this text. False when it is absent or cannot be read. */
bool note_file_has_text(struct disk *disk, struct slice name, struct slice text);

/* Reads the note. False, with *out empty, if it is absent or cannot be read. */
bool note_file_read(struct disk *disk, struct slice name, struct str *out);

/*
 * Writes the note's text to a temporary file beside it, so that what may fail is done before the
 * change is committed. Makes the folder if it is part of the store. ERR_CANNOT_WRITE.
 */
int note_file_stage(struct disk *disk, struct slice name, struct slice text, struct err *err);

/* Removes the staged file of a change that was given up. */
void note_file_unstage(struct disk *disk, struct slice name);

/*
 * Makes the note, durably. A file of that name that appeared meanwhile stays: the note gets a
 * number. In a redo the note is left out then, since that file may be the note itself, edited.
 * Succeeds if the note already exists with this text.
 */
int note_file_add(struct disk *disk, struct slice name, struct slice text, bool redo,
		  struct err *err);

/* Removes the note, durably, if it still has this text. */
int note_file_remove(struct disk *disk, struct slice name, struct slice text, struct err *err);

/* Removes files that killed processes have staged. */
void note_file_tidy(struct disk *disk);

/* The longest name of a note, with its ending. */
#define NOTE_NAME_MAX 200

/* How many numbers are tried before the name counts as taken. */
#define NOTE_NUMBERS_MAX 1000

/* Appends NAME.md, or NAME-N.md for n above 1. */
void note_file_name(struct str *out, struct slice stem, int n);

#endif
