#include "mcp/uri.h"

#include <string.h>

static bool uri_is_plain(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-._~", byte));
}

void uri_add_key(struct str *out, enum category category, struct slice key)
{
	str_printf(out, URI_KEY_TEXT "%s/", category_name(category));
	for (size_t i = 0; i < key.len; i++) {
		if (uri_is_plain(key.ptr[i]))
			str_addc(out, key.ptr[i]);
		else
			str_printf(out, "%%%02X", (unsigned char)key.ptr[i]);
	}
}

/* What is behind the prefix; false when the text does not begin with it. */
static bool uri_behind(struct slice text, const char *prefix, struct slice *rest)
{
	size_t len = strlen(prefix);

	if (!slice_starts(text, prefix))
		return false;
	*rest = slice_make(text.ptr + len, text.len - len);
	return true;
}

/* The value of a hexadecimal digit, or -1. */
static int uri_hex_value(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, digit >= 'A' && digit <= 'F' ? digit + 32 : digit)
			       : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool uri_decode(struct str *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '%') {
			str_addc(out, text.ptr[i]);
			continue;
		}
		int high = i + 2 < text.len ? uri_hex_value(text.ptr[i + 1]) : -1;
		int low = i + 2 < text.len ? uri_hex_value(text.ptr[i + 2]) : -1;
		if (high < 0 || low < 0)
			return false;
		str_addc(out, (char)(high * 16 + low));
		i += 2;
	}
	return out->len > 0;
}

static bool uri_read_category(struct slice name, enum category *out)
{
	int category = category_find(name);

	if (category == CATEGORY_ANY)
		return false;
	*out = (enum category)category;
	return true;
}

static bool uri_read_key(struct uri *out, struct slice rest)
{
	const char *slash = rest.len > 0 ? memchr(rest.ptr, '/', rest.len) : NULL;
	size_t len = slash ? (size_t)(slash - rest.ptr) : 0;

	return slash && uri_read_category(slice_make(rest.ptr, len), &out->category) &&
	       uri_decode(&out->key, slice_make(slash + 1, rest.len - len - 1));
}

void uri_read(struct uri *out, struct slice text)
{
	struct slice rest;

	out->kind = URI_NONE;
	if (slice_is(text, URI_INDEX_TEXT))
		out->kind = URI_INDEX;
	else if (uri_behind(text, URI_CATEGORY_TEXT, &rest) &&
		 uri_read_category(rest, &out->category))
		out->kind = URI_CATEGORY;
	else if (uri_behind(text, URI_KEY_TEXT, &rest) && uri_read_key(out, rest))
		out->kind = URI_KEY;
}

void uri_release(struct uri *uri)
{
	str_release(&uri->key);
}
