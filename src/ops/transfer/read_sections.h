/*
 * A Markdown document as a row of keys and texts, by its headings.
 *
 *	sections_begin(&sections, name, text, arena);
 *	while (sections_next(&sections, &section)) ...
 *
 * For src/ops/transfer/read_markdown.c. A heading is a key, and what stands below it, up to the next
 * one, its text; a heading of the second level that is the name of a category says it for those
 * below. Lines that only point to a file are no text. Slices are parts of the text or of the arena.
 */
#ifndef KOTA_OPS_TRANSFER_READ_SECTIONS_H
#define KOTA_OPS_TRANSFER_READ_SECTIONS_H

#include "base/arena.h"
#include "json/write.h"

struct section {
	struct slice key;
	int category; /* CATEGORY_ANY where nothing says it */
	struct slice text;
};

struct sections {
	struct slice rest;
	struct arena *arena;
	struct slice key; /* of what comes next */
	int category;
};

/* What stands before the first heading is called by the name. */
void sections_begin(struct sections *sections, struct slice name, struct slice text,
		    struct arena *arena);

/* The next one that has a text; false when there is none. */
bool sections_next(struct sections *sections, struct section *out);

/* Takes the next line off a text, without its end; false when there is none. */
bool sections_line(struct slice *rest, struct slice *line);

/* Writes a text as a value: a block of JSON as what it says, anything else as it is. */
void section_write_value(struct json_writer *w, struct slice text);

#endif
