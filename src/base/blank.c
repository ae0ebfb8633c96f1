#include "base/blank.h"

#include "base/utf8.h"

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
static size_t last_character(struct slice text)
{
	size_t at = text.len - 1;
	size_t begin = at;
	size_t end;

	while (begin > 0 && at - begin < 3 && ((unsigned char)text.ptr[begin] & 0xC0) == 0x80)
		begin--;
	end = begin;
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
		size_t last = last_character(text);

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
