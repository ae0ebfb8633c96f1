#include "git/tree_text.h"

int tree_text_take(struct slice *rest, struct tree_entry *out)
{
	const char *begin = rest->ptr;
	size_t at = 0;

	*out = (struct tree_entry){.mode = 0};
	if (rest->len == 0)
		return 0;
	while (at < rest->len && at < 7 && begin[at] >= '0' && begin[at] <= '7')
		out->mode = out->mode << 3 | (uint32_t)(begin[at++] - '0');
	if (at == 0 || at >= rest->len || begin[at] != ' ')
		return -1;
	const char *name = begin + at + 1;
	const char *end = memchr(name, '\0', rest->len - at - 1);
	if (!end || end == name || rest->len - (size_t)(end + 1 - begin) < sizeof out->id.bytes)
		return -1;
	out->name = slice_make(name, (size_t)(end - name));
	memcpy(out->id.bytes, end + 1, sizeof out->id.bytes);
	at = (size_t)(end + 1 - begin) + sizeof out->id.bytes;
	out->whole = slice_make(begin, at);
	*rest = slice_make(begin + at, rest->len - at);
	return 1;
}
