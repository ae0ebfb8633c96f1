/*
 * How the text of a JSON file is set out, and new text in the same look.
 *
 * For splice.c: it decides what changes where, style.c what the new bytes look like. Slices that
 * are returned point into the document's text.
 */
#ifndef KOTA_JSON_STYLE_H
#define KOTA_JSON_STYLE_H

#include "json/doc.h"
#include "base/str.h"

/* The look of a value that is to be written. */
struct look {
	bool one_line;
	struct slice newline; /* of a text on several lines; likewise the next two */
	struct slice prefix;  /* what every further line begins with */
	struct slice unit;    /* one level of indentation */
	struct slice colon;   /* of a text on one line, with the blanks around; likewise below */
	struct slice comma;
	struct slice pad; /* inside braces */
};

/* Where a member begins: at its name; an element at its value. */
size_t look_begin(const struct json *doc, uint32_t child);

/* Is there a line break between two places? */
bool look_breaks(const struct json *doc, size_t from, size_t to);

/* The blanks at the beginning of the line in which a place lies. */
struct slice look_indent(const struct json *doc, size_t at);

/* The line break that the file uses; "\n" when it has none. */
struct slice look_newline(const struct json *doc);

/* The colon of a member with the blanks around it; ": " or ":" when that goes over lines. */
struct slice look_colon(const struct json *doc, uint32_t member);

/* One level of indentation, as the distance of an inner line from an outer one; else two spaces. */
struct slice look_unit(struct slice outer, struct slice inner);

/*
 * The look of a value beside others: model is a value to imitate (a container that is not empty),
 * or JSON_NONE: then one_line says how. unit is used when the model does not show one.
 */
void look_like(struct look *look, const struct json *doc, uint32_t model, bool one_line,
	       struct slice prefix, struct slice unit);

/* Appends a JSON text in this look; false when it is no JSON. */
bool look_write(struct str *out, const struct look *look, struct slice text);

#endif
