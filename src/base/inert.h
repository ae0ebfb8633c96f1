/*
 * Text of others, put where tags mean something: before a model whose client writes tags itself.
 *
 * For everyone. What is added can neither open nor close a tag, on its own or with what stands
 * around it, so that no stored text passes for words of the client, nor for the end of itself.
 */
#ifndef KOTA_BASE_INERT_H
#define KOTA_BASE_INERT_H

#include "base/str.h"

/*
 * Appends text as utf8_add_visible() does, in one line, with U+2039 for each "<" that may begin a
 * tag, and for the wide and small forms of "<". As it is stays only a "<" behind which no ">" (or a
 * wide or small form of it) follows, and directly behind which a space, a digit, "=" or "-" stands:
 * "a < b", "n <= 3", "x <- 1". It is never shorter than the text, in characters.
 */
void inert_add(struct str *out, struct slice text);

#endif
