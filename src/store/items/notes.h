/*
 * The folder of notes: Markdown files that a search looks through beside the entries.
 *
 * For src/store only. Files are read once and kept until one of them changes. What is not a
 * regular file of its own, hidden, or longer than NOTES_BYTES_MAX is passed over.
 */
#ifndef KOTA_STORE_ITEMS_NOTES_H
#define KOTA_STORE_ITEMS_NOTES_H

#include "base/arena.h"
#include "model/operation.h"
#include "store/files/dir.h"

#define NOTES_BYTES_MAX ((size_t)1 << 20)
#define NOTES_MAX 10000

struct note {
	struct slice ref;   /* notes/NAME.md */
	struct slice of;    /* the ref of the entry that it says it was made of; else empty */
	struct slice title; /* from the front matter, the first heading, or the name */
	struct slice text;  /* without front matter */
	struct slice tags;  /* of the front matter, a line each; empty when there are none */
	struct file_id id;
	bool settled;
};

struct notes {
	struct arena arena;
	char *dir; /* as it was last asked for */
	struct note *list;
	size_t count;
	size_t cap;
	size_t left_out;
	bool through; /* read through operations that wait */
};

/* Where notes are, and what is about to become of them. */
struct notes_source {
	const char *dir;  /* relative to the store */
	bool free_choice; /* the person chose it, then it may lead out of the store: else no link on
			     the way is followed */
	const struct op *ops; /* of a committed change that the files may lack; NULL: none */
	size_t op_count;
};

/*
 * Brings the notes of a folder up to date; *changed says that they are others than before. A folder
 * that is not there holds none.
 */
int notes_refresh(struct notes *notes, struct disk *disk, const struct notes_source *source,
		  bool *changed, struct err *err);

/* Frees all, leaves none. */
void notes_release(struct notes *notes);

#endif
