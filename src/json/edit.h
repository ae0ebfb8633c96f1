/*
 * Changing parts of a JSON text and leaving every other byte where it is.
 *
 * What splice.h (the files of a store) and jsonc.h (the files of other programs) have in common:
 * edits say which bytes give way to which, a style says how new text is laid out so that it looks
 * like the text around it. Slices that are returned point into the old text.
 */
#ifndef KOTA_JSON_EDIT_H
#define KOTA_JSON_EDIT_H

#include "base/str.h"
#include "json/doc.h"

/* Bytes of the old text that give way to new ones. */
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
 * The bytes from `from` to `to` give way to what the caller appends to the text that is returned,
 * which is valid until the next call. With from equal to to, it is put in there.
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

/* True if there is a line break between two places of a text. */
bool style_breaks(struct slice text, size_t from, size_t to);

/* The blanks at the beginning of the line in which a place lies. */
struct slice style_indent(struct slice text, size_t at);

/* The line break that a text uses; "\n" when it has none. */
struct slice style_newline(struct slice text);

/* The colon of a member with the blanks around it; ": " or ":" when that goes over lines. */
struct slice style_colon(const struct json *doc, uint32_t member);

/* One level of indentation, as the distance of an inner line from an outer one; else two spaces. */
struct slice style_unit(struct slice outer, struct slice inner);

/*
 * The style of a value beside others: model is a value to imitate (a container that is not empty),
 * or JSON_NONE: then one_line says how. unit is used when the model does not show one.
 */
void style_like(struct style *style, const struct json *doc, uint32_t model, bool one_line,
		struct slice prefix, struct slice unit);

/* Appends a JSON text in this style; false when it is no JSON. */
bool style_write(struct str *out, const struct style *style, struct slice text);

#endif
