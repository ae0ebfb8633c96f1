/*
 * One entry's part of a file, as a person edits it: out of the file's text and back into it, every
 * other byte staying what it is. Pure.
 *
 * A value that is text is edited as plain text, any other as JSON; so is a whole entry. What stood
 * on one line is spread over several, what is indented in the file is not in the copy. Where that
 * could not be taken back to the byte, since lines stand further out or end otherwise, the copy is
 * what the file has.
 */
#ifndef KOTA_CLI_EDIT_ENTRY_TEXT_H
#define KOTA_CLI_EDIT_ENTRY_TEXT_H

#include "json/doc.h"

struct carving {
	const struct json *doc; /* the file */
	uint32_t node;          /* the part */
	uint32_t stamp;         /* the text that says when it was last changed, or JSON_NONE */
	bool plain;             /* as plain text */
	bool shifted;           /* the copy is without the indentation of its place */
};

/* The value of an entry, or the whole entry; false when the file has no such key. */
bool carve(struct carving *out, const struct json *doc, struct slice key, bool whole);

/* Appends what the person gets to see. */
void carve_copy(const struct carving *carving, struct str *out);

/*
 * Appends the file's text with the part as the person has made it, changed at now_ms. False, and
 * *fault says where in the copy, when that is not valid.
 */
bool carve_join(const struct carving *carving, struct slice copy, int64_t now_ms, struct str *out,
		struct json_fault *fault);

#endif
