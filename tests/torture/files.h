/*
 * What the files of a store say: each value that is in service, archived, or kept for an undo.
 *
 *	struct files files;
 *	files_read(&files, &dir, &row);
 *	for (size_t i = 0; i < files.count; i++)
 *		... files.list[i] ...
 *	files_check_metadata(&files, &dir, &row);
 *	files_release(&files);
 *
 * For the programs of tests/torture, while nobody writes. Reads without the store's own code, so
 * that the two can be compared. A value of the tests carries marks, "#17;": the last one is the
 * number of the change that made it.
 */
#ifndef KOTA_TORTURE_FILES_H
#define KOTA_TORTURE_FILES_H

#include "base/arena.h"
#include "model/category.h"
#include "support/tmpdir.h"
#include "torture/row.h"

enum whereabouts { PLACE_ACTIVE, PLACE_ARCHIVED, PLACE_UNDO };

struct found {
	enum whereabouts place;
	enum category category;
	struct slice key;    /* of an archived value the key that it had */
	struct slice reason; /* absent when active */
	struct slice value;  /* compact */
	uint32_t mark;       /* the last mark in the value, 0 for none */
};

struct files {
	struct arena arena;
	struct found *list;
	size_t count;
	size_t cap;
	bool journal; /* a change waits to be finished */
	int64_t entries[CATEGORY_COUNT];
	int64_t bytes[CATEGORY_COUNT];
	int64_t records[CATEGORY_COUNT];
};

/*
 * Reads all files. It is a violation when one does not parse, but for a torn last line of a cold
 * file, or when a record stands twice. files_release() afterwards.
 */
void files_read(struct files *out, const struct tmpdir *dir, struct row *row);
void files_release(struct files *files);

/* It is a violation when metadata.json says something else than the files. */
void files_check_metadata(const struct files *files, const struct tmpdir *dir, struct row *row);

/* The last mark in a text; 0 when there is none. */
uint32_t files_last_mark(struct slice text);

/* Is the mark in the text? */
bool files_has_mark(struct slice text, uint32_t mark);

#endif
