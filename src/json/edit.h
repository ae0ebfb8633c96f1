/*
 * Changing parts of a JSON text and leaving every other byte where it is.
 *
 * What splice.h (the files of a store) and jsonc.h (the files of other programs) have in common:
 * edits say which bytes are replaced, and by what; a style says how new text is laid out so that it
 * looks like the text around it. Slices that are returned point into the old text.
 */
#ifndef KOTA_JSON_EDIT_H
#define KOTA_JSON_EDIT_H

#include "base/str.h"
#include "json/doc.h"

/* Bytes of the old text that new ones replace. */
struct json_edit {
	size_t from;
	size_t to;
	struct str text;
};

/* Edits that do not overlap; zeroes are none. */
struct json_edits {
	struct json_edit *list;
	size_t count;
	size_t cap;
};

/*
 * The bytes from `from` to `to` are replaced by what the caller appends to the returned text, which
 * is valid until the next call. With from equal to to, it is put in there.
 */
struct str *json_edits_add(struct json_edits *edits, size_t from, size_t to);

/* Appends the text with all edits done; they may have been added in any order. */
void json_edits_apply(struct json_edits *edits, struct slice text, struct str *out);

/* Frees them. */
void json_edits_release(struct json_edits *edits);

/* How a value that is to be written is laid out. */
struct style {
	bool one_line;
	struct slice newline; /* terminated; of a text on several lines, likewise the next two */
	struct slice prefix;  /* what every further line begins with */
	struct slice unit;    /* one level of indentation */
	struct slice colon;   /* of a text on one line, with the blanks around; likewise below */
	struct slice comma;
	struct slice pad; /* inside braces */
};

/* The blanks at the beginning of the line in which a place lies. */
struct slice style_indent(struct slice text, size_t at);

/* The line break that a text uses; "\n" when it has none. */
struct slice style_newline(struct slice text);

/* Appends a JSON text in this style; false when it is no JSON. */
bool style_write(struct str *out, const struct style *style, struct slice text);

#endif
