/*
 * What a stored value says in words.
 */
#ifndef KOTA_TEXT_VALUE_TEXT_H
#define KOTA_TEXT_VALUE_TEXT_H

#include "json/doc.h"

/*
 * The text of a JSON value: its strings, member names and numbers, joined by spaces, appended to
 * *out. Booleans go to *switches: they help to tell entries apart and are no text to be found in.
 */
void value_text(const struct json *doc, uint32_t node, struct str *out, struct str *switches);

/* The same for a value that is not parsed. A value that is not JSON is its own text. */
void value_text_of_json(struct slice json, struct str *out, struct str *switches);

#endif
