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

struct slice blank_trim(struct slice text)
{
	size_t start = text.len;
	size_t end = text.len;
	size_t at = 0;

	if (!text.ptr)
		return text;
	while (at < text.len) {
		size_t before = at;

		if (blank_is(utf8_next(text, &at)))
			continue;
		if (start == text.len)
			start = before;
		end = at;
	}
	return slice_make(text.ptr + start, start == text.len ? 0 : end - start);
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
