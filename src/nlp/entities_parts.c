#include "nlp/entities_parts.h"

#include "nlp/entities_kind.h"

struct slice name_between(struct slice first, struct slice last)
{
	return slice_make(first.ptr, (size_t)(last.ptr + last.len - first.ptr));
}

bool name_is_plain_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_trailing(char c)
{
	return strchr(".:/'-&@", c) != NULL;
}

struct slice name_trim(struct slice word)
{
	static const char typographic_s[] = "\xe2\x80\x99s";
	static const char apostrophe[] = "\xe2\x80\x99";

	while (word.len && (is_trailing(word.ptr[0]) || word.ptr[0] == '_' || word.ptr[0] == '+') &&
	       word.ptr[0] != '@') {
		word.ptr++;
		word.len--;
	}
	for (;;) {
		if (word.len > 0 && is_trailing(word.ptr[word.len - 1]))
			word.len--;
		else if (word.len > 2 && memcmp(word.ptr + word.len - 2, "'s", 2) == 0)
			word.len -= 2;
		else if (word.len > 4 && memcmp(word.ptr + word.len - 4, typographic_s, 4) == 0)
			word.len -= 4;
		else if (word.len > 2 && memcmp(word.ptr + word.len - 3, apostrophe, 3) == 0)
			word.len -= 3;
		else
			return word;
	}
}

struct slice name_host(struct slice address)
{
	const char *at = memmem(address.ptr, address.len, "://", 3);
	struct slice host = slice_make(at + 3, address.len - (size_t)(at + 3 - address.ptr));
	const char *slash = memchr(host.ptr, '/', host.len);
	const char *user;
	const char *port;

	if (slash)
		host.len = (size_t)(slash - host.ptr);
	user = memrchr(host.ptr, '@', host.len);
	if (user)
		host = name_between(slice_make(user + 1, 0), slice_make(host.ptr + host.len, 0));
	port = memchr(host.ptr, ':', host.len);
	if (port)
		host.len = (size_t)(port - host.ptr);
	if (host.len > 4 && memcmp(host.ptr, "www.", 4) == 0)
		host = slice_make(host.ptr + 4, host.len - 4);
	return host;
}

static bool is_digits(struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	}
	return text.len > 0;
}

bool name_keeps_colon(struct slice word)
{
	const char *colon = memchr(word.ptr, ':', word.len);
	size_t before;

	if (!colon || memchr(word.ptr, '/', word.len))
		return false;
	before = (size_t)(colon - word.ptr);
	return memmem(word.ptr, word.len, "::", 2) ||
	       (name_is_plain_letter(word.ptr[0]) && !memchr(word.ptr, '.', before) &&
		is_digits(slice_make(colon + 1, word.len - before - 1)));
}

struct slice name_file(const struct alphabet *alphabet, struct slice path)
{
	const char *slash = memrchr(path.ptr, '/', path.len);
	struct slice file;
	const char *colon;

	if (!slash)
		return path;
	file = name_between(slice_make(slash + 1, 0), slice_make(path.ptr + path.len, 0));
	colon = memchr(file.ptr, ':', file.len);
	if (colon)
		file.len = (size_t)(colon - file.ptr);
	if (file.len == 0 || !memchr(file.ptr, '.', file.len) ||
	    name_kind_of(alphabet, file, true) != NAME_ALONE)
		return path;
	return file;
}

const char *name_find_cut(struct slice word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == '/' || word.ptr[i] == ':')
			return word.ptr + i;
	}
	return NULL;
}

bool name_is_mail_address(struct slice word)
{
	const char *at = memchr(word.ptr, '@', word.len);

	return at && at > word.ptr && memchr(at, '.', word.len - (size_t)(at - word.ptr)) != NULL;
}
