/*
 * Whether a folder is a store.
 *
 * It is one if it has `.kota`, or a category file that parses, as the original handler left it. One
 * that is empty may become a store; any other may not, whoever names it: `kota --dir /etc set`
 * would put files among those of somebody else. For src/store, doctor and the shell.
 */
#ifndef KOTA_STORE_FILES_STORE_FOLDER_H
#define KOTA_STORE_FILES_STORE_FOLDER_H

#include "store/files/dir.h"

enum folder_kind {
	FOLDER_ABSENT,
	FOLDER_STORE,
	FOLDER_VACANT, /* nothing in it but what a killed process may have left of a store, a
			  repository, or what says nothing of who lives here: .gitkeep, .DS_Store */
	FOLDER_OTHER
};

/*
 * What the folder is. For FOLDER_OTHER *why is an error that says so, to be told or returned; else
 * it is untouched. Fails when it cannot be seen.
 */
int folder_look(struct disk *disk, enum folder_kind *out, struct err *why, struct err *err);

/* Checks that the folder may be written to. Looks closer only at one without `.kota`. */
int folder_admit(struct disk *disk, struct err *err);

#endif
