/*
 * Takes the text of one entry out of a file for editing, and puts it back. Every other byte stays.
 * Pure.
 *
 * A string is edited as plain text, every other value and a whole entry as JSON. A value on one
 * line is spread over several lines, and the indentation of the file is removed. If that could not
 * be reversed to the byte, because a line is indented less or ends differently, the copy has the
 * bytes of the file.
 */
#ifndef KOTA_CLI_EDIT_ENTRY_TEXT_H
#define KOTA_CLI_EDIT_ENTRY_TEXT_H

#include "json/doc.h"

struct carving {
	const struct json *doc; /* the file */
	uint32_t node;          /* the part */
	uint32_t stamp;         /* the node of last_updated, or JSON_NONE */
	bool plain;             /* as plain text */
	bool shifted;           /* the copy lacks the indentation of the file */
};

/* Finds the value of an entry, or the whole entry; false if the file has no such key. */
bool carve(struct carving *out, const struct json *doc, struct slice key, bool whole);

/* Appends the text to edit. */
void carve_copy(const struct carving *carving, struct str *out);

/*
 * Appends the file's text with the edited copy in place, changed at now_ms. False if the copy is
 * not valid; *fault says where.
 */
bool carve_join(const struct carving *carving, struct slice copy, int64_t now_ms, struct str *out,
		struct json_fault *fault);

#endif
