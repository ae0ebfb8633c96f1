#include "base/shown.h"

#include "base/utf8.h"

const char *shown(struct str *scratch, struct slice text)
{
	struct slice part = utf8_cut(text, SHOWN_CHARACTERS);

	str_clear(scratch);
	utf8_add_visible(scratch, part, false);
	if (part.len < text.len)
		str_adds(scratch, "...");
	return scratch->ptr;
}
