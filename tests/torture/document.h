/*
 * Generated JSON documents: nested, with all forms of numbers, escapes, surrogates, odd spacing,
 * CRLF, tabs and a byte order mark.
 *
 *	struct document document = DOCUMENT_INIT;
 *	document_make(&document, &row, 6);
 *	... document.text is the document, document.leaves what must be left of it ...
 *	document_release(&document);
 *
 * Leaves are the exact texts of all scalars and names in their order, a line each, with the
 * brackets around them; spacing is not among them. For the programs of tests/torture. The struct
 * is the caller's and owns its texts.
 */
#ifndef KOTA_TORTURE_DOCUMENT_H
#define KOTA_TORTURE_DOCUMENT_H

#include "base/str.h"
#include "json/doc.h"
#include "torture/row.h"

/* Most members or elements of one value. */
#define DOCUMENT_WIDTH 8

struct document {
	struct str text;
	struct str leaves;
};

#define DOCUMENT_INIT                                                                              \
	{                                                                                          \
		STR_INIT, STR_INIT                                                                 \
	}

/* A whole document, nested at most so deep, perhaps with a byte order mark and space around it. */
void document_make(struct document *document, struct row *row, unsigned depth);

/* Appends one value, nested at most so deep. */
void document_value(struct document *document, struct row *row, unsigned depth);

void document_release(struct document *document);

/* Appends white space that JSON allows, often none. */
void document_space(struct str *out, struct row *row);

/* Appends the leaves of a parsed value. */
void document_leaves(const struct json *doc, uint32_t node, struct str *out);

/* Appends the value with the members of all objects in the opposite order. */
void document_turn(const struct json *doc, uint32_t node, struct str *out);

/* Appends the document with the value of one leaf changed; false when there is none to change. */
bool document_change(struct row *row, const struct json *doc, struct str *out);

#endif
