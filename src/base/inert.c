#include "base/inert.h"

#include "base/utf8.h"

#define LOOK_ALIKE "\xe2\x80\xb9"

/* What counts as "<" and as ">" once text is brought into its compatible normal form. */
enum { WIDE_LESS = 0xFF1C, SMALL_LESS = 0xFE64, WIDE_GREATER = 0xFF1E, SMALL_GREATER = 0xFE65 };

static bool inert_is_less(uint32_t c)
{
	return c == '<' || c == WIDE_LESS || c == SMALL_LESS;
}

/*
 * True if the text has anything that could begin a tag. The first byte of the wide and small forms
 * is rare.
 */
static bool inert_has_less(struct slice text)
{
	return text.len > 0 &&
	       (memchr(text.ptr, '<', text.len) || memmem(text.ptr, text.len, "\xef\xbc\x9c", 3) ||
		memmem(text.ptr, text.len, "\xef\xb9\xa4", 3));
}

/* Behind the last ">", where nothing closes a tag any more. */
static size_t inert_last_end(struct slice text)
{
	size_t end = 0;
	size_t at = 0;

	while (at < text.len) {
		uint32_t c = utf8_next(text, &at);

		if (c == '>' || c == WIDE_GREATER || c == SMALL_GREATER)
			end = at;
	}
	return end;
}

/* True if what follows a plain "<" at `at` makes it a comparison or an arrow. */
static bool inert_compares(struct slice text, size_t at)
{
	char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';

	return next == ' ' || next == '=' || next == '-' || (next >= '0' && next <= '9');
}

void inert_add(struct str *out, struct slice text)
{
	STR_AUTO visible = STR_INIT;
	size_t plain = 0; /* where the text that needs no change begins */
	size_t at = 0;

	if (!inert_has_less(text)) {
		utf8_add_visible(out, text, false);
		return;
	}
	utf8_add_visible(&visible, text, false);
	struct slice all = str_slice(&visible);
	size_t closed = inert_last_end(all);
	while (at < all.len) {
		size_t start = at;
		uint32_t c = utf8_next(all, &at);

		if (!inert_is_less(c) ||
		    (c == '<' && start >= closed && inert_compares(all, start)))
			continue;
		str_add(out, slice_make(all.ptr + plain, start - plain));
		str_adds(out, LOOK_ALIKE);
		plain = at;
	}
	str_add(out, slice_make(all.ptr + plain, all.len - plain));
}
