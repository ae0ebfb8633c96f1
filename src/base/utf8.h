/*
 * UTF-8: checking, walking, and making text safe to show.
 *
 * Strict: no overlong forms, no surrogates, nothing above U+10FFFF. What Unicode says about
 * characters (case, letters, normal forms) is src/match's business.
 */
#ifndef KOTA_BASE_UTF8_H
#define KOTA_BASE_UTF8_H

#include "base/slice.h"
#include "base/str.h"

#include <stdint.h>

/* Length in bytes of the valid text at the beginning: text.len when all of it is valid. */
size_t utf8_valid_prefix(struct slice text);

/* Reads the character at *at and moves *at behind it; U+FFFD and one byte when invalid. */
uint32_t utf8_next(struct slice text, size_t *at);

/* Appends one character; a surrogate or one above U+10FFFF becomes U+FFFD. */
void utf8_add(struct str *out, uint32_t character);

/* Number of characters. */
size_t utf8_count(struct slice text);

/* The first bytes that hold at most `characters` whole characters. */
struct slice utf8_cut(struct slice text, size_t characters);

/*
 * Appends text with everything that could act on a terminal made visible: C0 and C1 controls,
 * DEL, bidi and tag characters, line and paragraph separators, the byte order mark, U+200B and
 * invalid bytes become \xNN (one byte) or \u{NNNN}, digits in lower case. keep_lines leaves "\n"
 * and "\t" as they are. U+200C and U+200D stay: Persian and emoji need them.
 */
void utf8_add_visible(struct str *out, struct slice text, bool keep_lines);

/*
 * Columns that text takes in a terminal: wide characters 2, combining, format and control
 * characters 0, an invalid byte 1. A sequence (joined emoji) counts as the sum of its parts.
 */
size_t utf8_columns(struct slice text);

#endif
