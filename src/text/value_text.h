/*
 * What a stored value says in words.
 */
#ifndef KOTA_TEXT_VALUE_TEXT_H
#define KOTA_TEXT_VALUE_TEXT_H

#include "base/str.h"

/*
 * The text of a JSON value: its strings, member names and numbers, joined by spaces, appended to
 * *out. Booleans go to *switches: they help to tell entries apart and are no text to be found in.
 * A value that is no JSON is its own text.
 */
void value_text(struct slice json, struct str *out, struct str *switches);

#endif
