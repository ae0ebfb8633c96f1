/*
 * Opening the folder of notes. For notes.c and note_file.c.
 */
#ifndef KOTA_STORE_FILES_NOTE_FOLDER_H
#define KOTA_STORE_FILES_NOTE_FOLDER_H

#include "store/files/dir.h"

/* Where notes are unless the settings say otherwise; what is in it is part of the history. */
#define NOTE_FOLDER "notes"

/*
 * Opens a folder step by step, relative to the store unless it begins with "/"; without `follow`
 * no link on the way is followed, so that a store that came from elsewhere leads nowhere. With
 * `make` a folder of the store is made where it is missing. The descriptor is the caller's; -1 with
 * errno.
 */
int note_folder_open(const struct disk *disk, const char *dir, bool follow, bool make);

#endif
