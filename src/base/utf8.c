#include "base/utf8.h"

/*
 * Length of the character at the beginning of text, 0 when it is not valid UTF-8. The bounds of
 * the second byte rule out overlong forms, surrogates and what lies above U+10FFFF.
 */
static size_t utf8_read_character(const unsigned char *text, size_t left, uint32_t *out)
{
	unsigned char first = text[0];
	unsigned char low = 0x80;
	unsigned char high = 0xBF;
	size_t len = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;

	if (first < 0x80) {
		*out = first;
		return 1;
	}
	if (first < 0xC2 || first > 0xF4 || left < len)
		return 0;
	if (first == 0xE0)
		low = 0xA0;
	else if (first == 0xED)
		high = 0x9F;
	else if (first == 0xF0)
		low = 0x90;
	else if (first == 0xF4)
		high = 0x8F;
	if (text[1] < low || text[1] > high)
		return 0;
	uint32_t character = ((uint32_t)first & (0xFFu >> (len + 1))) << 6 | (text[1] & 0x3Fu);
	for (size_t i = 2; i < len; i++) {
		if ((text[i] & 0xC0) != 0x80)
			return 0;
		character = character << 6 | (text[i] & 0x3Fu);
	}
	*out = character;
	return len;
}

size_t utf8_valid_prefix(struct slice text)
{
	const unsigned char *bytes = (const unsigned char *)text.ptr;
	size_t at = 0;
	uint32_t character;

	while (at < text.len) {
		size_t len = utf8_read_character(bytes + at, text.len - at, &character);

		if (len == 0)
			break;
		at += len;
	}
	return at;
}

uint32_t utf8_next_wide(struct slice text, size_t *at)
{
	uint32_t character;
	const unsigned char *bytes = (const unsigned char *)text.ptr;
	size_t len = utf8_read_character(bytes + *at, text.len - *at, &character);

	if (len == 0) {
		*at += 1;
		return UTF8_REPLACEMENT;
	}
	*at += len;
	return character;
}

size_t utf8_put(char bytes[UTF8_BYTES_MAX], uint32_t character)
{
	if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF))
		character = UTF8_REPLACEMENT;
	if (character < 0x80) {
		bytes[0] = (char)character;
		return 1;
	}
	size_t len = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--) {
		bytes[i] = (char)(0x80 | (character & 0x3F));
		character >>= 6;
	}
	bytes[0] = (char)((0xF00u >> len & 0xF0u) | character);
	return len;
}

void utf8_add(struct str *out, uint32_t character)
{
	char bytes[UTF8_BYTES_MAX];

	str_add(out, slice_make(bytes, utf8_put(bytes, character)));
}

size_t utf8_count(struct slice text)
{
	size_t at = 0;
	size_t count = 0;

	while (at < text.len) {
		utf8_next(text, &at);
		count++;
	}
	return count;
}

struct slice utf8_cut(struct slice text, size_t characters)
{
	size_t at = 0;

	if (text.len <= characters)
		return text;
	while (at < text.len && characters > 0) {
		utf8_next(text, &at);
		characters--;
	}
	return slice_make(text.ptr, at);
}

bool utf8_is_ignorable(uint32_t c)
{
	/* Default_Ignorable_Code_Point of Unicode 15. */
	static const struct range ignorable[] = {
		{0xAD, 0xAD},       {0x34F, 0x34F},   {0x61C, 0x61C},     {0x115F, 0x1160},
		{0x17B4, 0x17B5},   {0x180B, 0x180F}, {0x200B, 0x200F},   {0x202A, 0x202E},
		{0x2060, 0x206F},   {0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
		{0xFFA0, 0xFFA0},   {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
		{0xE0000, 0xE0FFF},
	};

	return in_ranges(c, ignorable, sizeof ignorable / sizeof *ignorable);
}

/* Unseen, but text of some script or an emoji is spelt with it: Persian, Khmer, Mongolian. */
static bool utf8_is_needed(uint32_t c)
{
	static const struct range needed[] = {
		{0x34F, 0x34F},   {0x17B4, 0x17B5}, {0x180B, 0x180D},
		{0x180F, 0x180F}, {0x200C, 0x200D}, {0xFE0E, 0xFE0F},
	};

	return in_ranges(c, needed, sizeof needed / sizeof *needed);
}

/* True if the character can move the cursor, change the direction of text, or hide in it. */
static bool utf8_acts_on_terminal(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7F && c <= 0x9F))
		return true;
	if (c < 0xAD)
		return false;
	return (utf8_is_ignorable(c) && !utf8_is_needed(c)) || c == 0x2028 || c == 0x2029 ||
	       (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xFDD0 && c <= 0xFDEF) ||
	       (c & 0xFFFE) == 0xFFFE;
}

void utf8_add_visible(struct str *out, struct slice text, bool keep_lines)
{
	size_t plain = 0; /* where the text that needs no change begins */
	size_t at = 0;

	while (at < text.len) {
		size_t start = at;
		uint32_t c = utf8_next(text, &at);
		bool one_byte = at == start + 1;
		bool invalid = one_byte && c == UTF8_REPLACEMENT;

		/* Most of a text is letters. */
		if ((c >= ' ' && c <= '~') || (!invalid && !utf8_acts_on_terminal(c)))
			continue;
		if (keep_lines && (c == '\n' || c == '\t'))
			continue;
		str_add(out, slice_make(text.ptr + plain, start - plain));
		plain = at;
		if (one_byte)
			str_printf(out, "\\x%02x", (unsigned)(unsigned char)text.ptr[start]);
		else
			str_printf(out, "\\u{%04x}", (unsigned)c);
	}
	if (at > plain)
		str_add(out, slice_make(text.ptr + plain, at - plain));
}

static void utf8_add_json_escape(struct str *out, uint32_t c)
{
	if (c < 0x10000) {
		str_printf(out, "\\u%04x", (unsigned)c);
		return;
	}
	c -= 0x10000;
	str_printf(out, "\\u%04x\\u%04x", 0xD800u | (unsigned)(c >> 10),
		   0xDC00u | (unsigned)(c & 0x3FF));
}

void utf8_add_visible_json(struct str *out, struct slice json)
{
	size_t plain = 0; /* where the text that needs no change begins */
	size_t at = 0;

	while (at < json.len) {
		size_t start = at;
		uint32_t c = utf8_next(json, &at);

		/* Other controls than these, which part the values, JSON has inside texts only. */
		if (!utf8_acts_on_terminal(c) || c == '\n' || c == '\t' || c == '\r')
			continue;
		str_add(out, slice_make(json.ptr + plain, start - plain));
		plain = at;
		utf8_add_json_escape(out, c);
	}
	if (at > plain)
		str_add(out, slice_make(json.ptr + plain, at - plain));
}

bool blank_is(uint32_t character)
{
	switch (character) {
	case ' ':
	case 0x85:
	case 0xA0:
	case 0x1680:
	case 0x2028:
	case 0x2029:
	case 0x202F:
	case 0x205F:
	case 0x3000:
	case 0xFEFF:
		return true;
	default:
		return (character >= '\t' && character <= '\r') ||
		       (character >= 0x2000 && character <= 0x200A);
	}
}

/* Where the last character of a text begins; any byte that is no part of one counts as one. */
static size_t utf8_last_character(struct slice text)
{
	size_t at = text.len - 1;
	size_t begin = at;

	while (begin > 0 && at - begin < 3 && ((unsigned char)text.ptr[begin] & 0xC0) == 0x80)
		begin--;
	size_t end = begin;
	utf8_next(text, &end);
	return end == text.len ? begin : at;
}

struct slice blank_trim(struct slice text)
{
	size_t at = 0;

	if (!text.ptr)
		return text;
	while (at < text.len) {
		size_t next = at;

		if (!blank_is(utf8_next(text, &next)))
			break;
		at = next;
	}
	text = slice_make(text.ptr + at, text.len - at);
	while (text.len) {
		size_t last = utf8_last_character(text);

		at = last;
		if (!blank_is(utf8_next(text, &at)))
			break;
		text.len = last;
	}
	return text;
}

bool blank_only(struct slice text)
{
	for (size_t at = 0; at < text.len;) {
		uint32_t character = utf8_next(text, &at);

		if (!blank_is(character) && !utf8_is_ignorable(character))
			return false;
	}
	return true;
}

const char *shown(struct str *scratch, struct slice text)
{
	struct slice part = utf8_cut(text, SHOWN_CHARACTERS);

	str_clear(scratch);
	utf8_add_visible(scratch, part, false);
	if (part.len < text.len)
		str_adds(scratch, "...");
	return scratch->ptr;
}
