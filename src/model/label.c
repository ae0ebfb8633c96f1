#include "model/label.h"

#include "base/blank.h"
#include "base/utf8.h"
#include "model/alphabet.h"

#define ZERO_WIDTH_JOINER 0x200D

static bool is_separator(uint32_t c)
{
	return c == '_' || c == '-' || c == '/';
}

/* What a character that is no letter turns into. */
static uint32_t separator_for(uint32_t c)
{
	if (c == '.')
		return '-';
	return is_separator(c) ? c : '_';
}

void tag_clean(struct slice text, struct str *out)
{
	struct alphabet alphabet = alphabet_open();
	uint32_t last = '_';
	size_t at = 0;

	str_clear(out);
	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		if (alphabet_is_letter(&alphabet, c))
			c = alphabet_lower(&alphabet, c);
		else if (!alphabet_is_mark(&alphabet, c) || is_separator(last))
			c = separator_for(c);
		if (is_separator(c) && (!out->len || c == last))
			continue;
		utf8_add(out, c);
		last = c;
	}
	while (out->len && is_separator((unsigned char)out->ptr[out->len - 1]))
		str_truncate(out, out->len - 1);
	alphabet_close(&alphabet);
}

/* Symbols that stand for a thing or a mood and are no part of a name. */
static bool is_pictograph(uint32_t c)
{
	return (c >= 0x2600 && c <= 0x27BF) || (c >= 0xFE00 && c <= 0xFE0F) ||
	       (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0xE0000 && c <= 0xE0FFF);
}

void entity_clean(struct slice text, struct str *out)
{
	bool gap = false;
	size_t at = 0;

	str_clear(out);
	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		/* Between two pictographs a joiner belongs to them, between letters to the name. */
		if (blank_is(c) || is_pictograph(c) || (gap && c == ZERO_WIDTH_JOINER)) {
			gap = true;
			continue;
		}
		if (gap && out->len)
			str_addc(out, ' ');
		utf8_add(out, c == '/' ? '_' : c);
		gap = false;
	}
}
