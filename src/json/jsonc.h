/*
 * Putting one value into somebody's JSON file, and taking it out again, with every other byte kept.
 *
 * The files of other programs have what JSON has not: comments, commas before a closing bracket, a
 * byte order mark, any line ends and indentation. All that stays as it is.
 * Taking out gives back, byte for byte, the text before the putting in, as long as nobody changed
 * the value or what is around it; what was made on the way to the value is then taken out too.
 */
#ifndef KOTA_JSON_JSONC_H
#define KOTA_JSON_JSONC_H

#include "json/doc.h"

/* A text of that kind; the caller keeps it alive and unchanged. Release with jsonc_release(). */
struct jsonc {
	struct slice text;
	struct str bare;   /* the same with a '#' for each byte of a comment */
	struct str strict; /* the same with blanks for comments and superfluous commas */
	struct json json;  /* of strict: its offsets hold in text too */
};

/* Reads a text. -1 with line and column where it is broken; *doc is then untouched. */
int jsonc_parse(struct jsonc *doc, struct slice text, struct json_fault *fault);

/* Frees what was made. */
void jsonc_release(struct jsonc *doc);

/* Where a value is: the member that the names lead to or, as an element, in that array. */
struct jsonc_spot {
	const char *const *names; /* from the root down, ended by NULL; at least one */
	bool element;             /* the names lead to the array */
};

/* The value that the names lead to, or JSON_NONE. */
uint32_t jsonc_find(const struct jsonc *doc, const struct jsonc_spot *spot);

/* What a text is made of: added to the old one it is the new one. */
struct jsonc_edit {
	struct str text;  /* the new one */
	struct str lines; /* what was put in or taken out, to be shown */
	bool absent;      /* there is nothing left: the file was made for the value alone */
};

#define JSONC_EDIT_INIT                                                                            \
	{                                                                                          \
		STR_INIT, STR_INIT, false                                                          \
	}

/* Frees the texts. */
void jsonc_edit_release(struct jsonc_edit *edit);

/*
 * Puts a value (one JSON text) at a spot, where there may be no member yet; what is missing on the
 * way there is made. doc NULL means that there is no file. -1 with a fault where something on the
 * way is of another kind; *edit is to be released then too.
 */
int jsonc_add(struct jsonc_edit *edit, const struct jsonc *doc, const struct jsonc_spot *spot,
	      struct slice value, struct json_fault *fault);

/* Takes out the value `node`: the member at the spot, or an element of the array there. */
void jsonc_remove(struct jsonc_edit *edit, const struct jsonc *doc, const struct jsonc_spot *spot,
		  uint32_t node);

/* Puts another text in the place of a value. */
void jsonc_replace(struct jsonc_edit *edit, const struct jsonc *doc, uint32_t node,
		   struct slice value);

#endif
