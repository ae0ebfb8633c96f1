/*
 * UTF-8: checking, walking, and making text safe to show.
 *
 * Strict: no overlong forms, no surrogates, nothing above U+10FFFF. What Unicode says about
 * characters (case, letters, normal forms) is the business of src/text.
 */
#ifndef KOTA_BASE_UTF8_H
#define KOTA_BASE_UTF8_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the valid text at the beginning: text.len when all of it is valid. */
size_t utf8_valid_prefix(struct slice text);

/* What stands for a byte that is not valid. */
#define UTF8_REPLACEMENT 0xFFFDu

/* As utf8_next, which it is for all but ASCII. */
uint32_t utf8_next_wide(struct slice text, size_t *at);

/* Reads the character at *at and moves *at past it; an invalid byte is UTF8_REPLACEMENT. */
static inline uint32_t utf8_next(struct slice text, size_t *at)
{
	unsigned char byte = (unsigned char)text.ptr[*at];

	if (byte >= 0x80)
		return utf8_next_wide(text, at);
	*at += 1;
	return byte;
}

/* Writes one character and returns its length in bytes; an invalid one becomes U+FFFD. */
#define UTF8_BYTES_MAX 4
size_t utf8_put(char bytes[UTF8_BYTES_MAX], uint32_t character);

/* Appends one character; a surrogate or one above U+10FFFF becomes U+FFFD. */
void utf8_add(struct str *out, uint32_t character);

/* Number of characters. */
size_t utf8_count(struct slice text);

/* The first bytes that hold at most `characters` whole characters. */
struct slice utf8_cut(struct slice text, size_t characters);

/* True if a reader sees nothing of it. Unicode calls such characters default-ignorable. */
bool utf8_is_ignorable(uint32_t character);

/*
 * Appends text with everything that could act on a terminal or hide there made visible: C0 and C1
 * controls, DEL, line and paragraph separators, annotation marks, what is ignorable, noncharacters
 * and invalid bytes become \xNN (one byte) or \u{NNNN}, digits in lower case. keep_lines leaves
 * "\n" and "\t" as they are. Ignorable characters that ordinary text needs stay: the joiners U+200C
 * and U+200D, the variation selectors of emoji, and some that belong to a script.
 */
void utf8_add_visible(struct str *out, struct slice text, bool keep_lines);

/*
 * Likewise for JSON text, which stays JSON of the same value: what would be made visible becomes
 * \uNNNN, beyond U+FFFF a pair of them.
 */
void utf8_add_visible_json(struct str *out, struct slice json);

/*
 * Columns that text takes in a terminal: wide characters 2, combining, format and control
 * characters 0, an invalid byte 1. A sequence (joined emoji) counts as the sum of its parts.
 */
size_t utf8_columns(struct slice text);

/*
 * Tables of characters: ranges in ascending order, and whether a character is in one of them.
 *
 * For src/base/utf8*.c.
 */

struct range {
	uint32_t first;
	uint32_t last;
};

static inline bool in_ranges(uint32_t character, const struct range *ranges, size_t count)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (character > ranges[middle].last)
			low = middle + 1;
		else if (character < ranges[middle].first)
			high = middle;
		else
			return true;
	}
	return false;
}

/*
 * White space: which characters are blank, and cutting them off.
 *
 * Anyone may use it. Blank is what Unicode calls white space, and the byte order mark.
 */

/* True if the character is blank. */
bool blank_is(uint32_t character);

/* True if the text has nothing that a reader would see. */
bool blank_only(struct slice text);

/* The text without the blanks at both ends: a part of it, perhaps empty; absent stays absent. */
struct slice blank_trim(struct slice text);

/*
 * A caller's text inside a sentence.
 *
 * For everyone. Nothing in it acts on a terminal, and it is cut where it is long, so that the rest
 * of the sentence is still seen.
 */

/* Most characters of a text that a sentence repeats. */
#define SHOWN_CHARACTERS 60

/*
 * The text made visible, terminated, with "..." where it was cut; owned by *scratch (cleared
 * first) and valid until that changes.
 */
const char *shown(struct str *scratch, struct slice text);

#endif
