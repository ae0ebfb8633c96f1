#include "store/purge/needles.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "json/write.h"

#include <limits.h>
#include <stdlib.h>

#define BITS_MIN 1024

/* Bytes of a word that is looked for by itself. */
#define WORD_LONG 20
#define WORD_MIXED 10

static void needles_add_text(struct needles *needles, struct slice text)
{
	struct slice begin = slice_make(text.ptr, text.len < NEEDLE_MAX ? text.len : NEEDLE_MAX);

	if (begin.len < NEEDLE_MIN || map_get(&needles->known, begin, NULL))
		return;
	needles->items = mem_grow(needles->items, &needles->cap, needles->count + 1,
				  sizeof *needles->items);
	begin = arena_copy(&needles->arena, begin);
	needles->items[needles->count] = begin;
	map_put(&needles->known, begin, needles->count++);
}

static void needles_add_html(struct needles *needles, struct slice text)
{
	static const char *const escapes[] = {"&&amp;", "<&lt;", ">&gt;", "\"&quot;", "'&#39;"};
	STR_AUTO html = STR_INIT;

	for (size_t i = 0; i < text.len; i++) {
		const char *found = NULL;

		for (size_t e = 0; e < sizeof escapes / sizeof *escapes && !found; e++)
			found = text.ptr[i] == escapes[e][0] ? escapes[e] + 1 : NULL;
		if (found)
			str_adds(&html, found);
		else
			str_addc(&html, text.ptr[i]);
	}
	needles_add_text(needles, str_slice(&html));
}

/* A whole value, or a word of it, in the forms in which others write it. */
static void needles_add_forms(struct needles *needles, struct slice text)
{
	struct slice begin = slice_make(text.ptr, text.len < NEEDLE_MAX ? text.len : NEEDLE_MAX);
	STR_AUTO json = STR_INIT;

	begin.len = begin.len ? utf8_valid_prefix(begin) : 0;
	if (begin.len < NEEDLE_MIN || map_get(&needles->known, begin, NULL))
		return;
	needles_add_text(needles, begin);
	json_quote(&json, begin);
	/* Without the quotes; the same text where nothing needs an escape. */
	needles_add_text(needles, slice_make(json.ptr + 1, json.len - 2));
	needles_add_html(needles, begin);
}

/* A word that nobody uses by chance: long, or of letters and digits. */
static bool needles_is_telling(struct slice word)
{
	bool letter = false;
	bool digit = false;

	for (size_t i = 0; i < word.len; i++) {
		unsigned char c = (unsigned char)word.ptr[i];

		digit = digit || (c >= '0' && c <= '9');
		letter = letter || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	}
	return word.len >= WORD_LONG || (word.len >= WORD_MIXED && letter && digit);
}

void needles_add(struct needles *needles, struct slice text)
{
	static const char blanks[] = " \t\r\n\"'`,;()[]{}<>";
	struct slice begin = slice_make(text.ptr, text.len < NEEDLE_MAX ? text.len : NEEDLE_MAX);

	/* It is known already, and so are its words. */
	if (begin.len < NEEDLE_MIN ||
	    (begin.len == text.len && map_get(&needles->known, begin, NULL)))
		return;
	needles_add_forms(needles, text);
	for (size_t at = 0; at < text.len;) {
		size_t end = at;

		while (end < text.len && !(text.ptr[end] && strchr(blanks, text.ptr[end])))
			end++;
		if (end - at < text.len && needles_is_telling(slice_make(text.ptr + at, end - at)))
			needles_add_forms(needles, slice_make(text.ptr + at, end - at));
		at = end + 1;
	}
}

void needles_add_json(struct needles *needles, const struct json *doc, uint32_t node)
{
	STR_AUTO scratch = STR_INIT;

	switch (json_type(doc, node)) {
	case JSON_STRING:
		needles_add(needles, json_string(doc, node, &scratch));
		/* As it stands there, too: a person may have written other escapes. */
		needles_add_text(needles, slice_make(json_text(doc, node).ptr + 1,
						     json_text(doc, node).len - 2));
		break;
	case JSON_NUMBER:
		needles_add_text(needles, json_text(doc, node));
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		for (uint32_t n = json_first(doc, node); n != JSON_NONE; n = json_next(doc, n))
			needles_add_json(needles, doc, n);
		break;
	case JSON_NULL:
	case JSON_BOOL:
		break;
	}
}

/* Which bit says of first bytes that an item has them. */
static size_t needles_bit_of(const struct needles *needles, const char *text)
{
	uint64_t word = 0;

	memcpy(&word, text, NEEDLE_MIN);
	word *= 0x9e3779b97f4a7c15u;
	return (size_t)(word >> 20) & (needles->bits - 1);
}

static bool needles_starts(struct slice text, struct slice item)
{
	return item.len <= text.len && memcmp(text.ptr, item.ptr, item.len) == 0;
}

/*
 * An item that begins with another says nothing of its own. Without these at most one can stand at
 * a place: the last in order that is not behind the text there.
 */
static void needles_sort(struct needles *needles)
{
	size_t kept = 0;

	needles->sorted = mem_realloc(needles->sorted, needles->count, sizeof *needles->sorted);
	memcpy(needles->sorted, needles->items, needles->count * sizeof *needles->sorted);
	qsort(needles->sorted, needles->count, sizeof *needles->sorted, slice_compare_elements);
	for (size_t i = 0; i < needles->count; i++) {
		const struct slice *last = kept > 0 ? &needles->sorted[kept - 1] : NULL;

		if (!last || !needles_starts(needles->sorted[i], *last))
			needles->sorted[kept++] = needles->sorted[i];
	}
	needles->sorted_count = kept;
}

static void needles_build_index(struct needles *needles)
{
	if (needles->indexed == needles->count)
		return;
	needles_sort(needles);
	needles->bits = BITS_MIN;
	while (needles->bits < 16 * needles->sorted_count)
		needles->bits *= 2;
	free(needles->begins);
	needles->begins = mem_zalloc(needles->bits / CHAR_BIT, 1);
	for (size_t i = 0; i < needles->sorted_count; i++) {
		size_t bit = needles_bit_of(needles, needles->sorted[i].ptr);

		needles->begins[bit / CHAR_BIT] |= (unsigned char)(1 << bit % CHAR_BIT);
	}
	needles->indexed = needles->count;
}

/* True if the text begins with any of them. */
static bool needles_begin(const struct needles *needles, struct slice text)
{
	size_t from = 0;
	size_t to = needles->sorted_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (slice_compare(needles->sorted[middle], text) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from > 0 && needles_starts(text, needles->sorted[from - 1]);
}

bool needles_in(struct needles *needles, struct slice text)
{
	needles_build_index(needles);
	for (size_t at = 0; needles->count > 0 && at + NEEDLE_MIN <= text.len; at++) {
		size_t bit = needles_bit_of(needles, text.ptr + at);

		if ((needles->begins[bit / CHAR_BIT] >> bit % CHAR_BIT & 1) &&
		    needles_begin(needles, slice_make(text.ptr + at, text.len - at)))
			return true;
	}
	return false;
}

void needles_release(struct needles *needles)
{
	free(needles->items);
	free(needles->sorted);
	free(needles->begins);
	map_release(&needles->known);
	arena_release(&needles->arena);
	*needles = (struct needles)NEEDLES_INIT;
}
