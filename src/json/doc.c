#include "json/doc.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "json/doc_internal.h"

#include <stdlib.h>

const struct json_bounds json_file_bounds = {
	.bytes = (size_t)1 << 30,
	.nodes = 1u << 26,
	.depth = 40,
	.allow_bom = true,
};

const struct json_bounds json_line_bounds = {
	.bytes = (size_t)1 << 20,
	.nodes = 1u << 19,
	.depth = 32,
	.allow_bom = false,
};

void json_release(struct json *doc)
{
	free(doc->nodes);
	free(doc->names);
	memset(doc, 0, sizeof *doc);
}

void json_empty_object(struct json *out)
{
	*out = (struct json){.text = slice_of(JSON_EMPTY_OBJECT),
			     .nodes = mem_zalloc(1, sizeof *out->nodes),
			     .count = 1};
	out->nodes[JSON_ROOT].end = 2;
	out->nodes[JSON_ROOT].type = JSON_OBJECT;
}

struct slice json_text(const struct json *doc, uint32_t node)
{
	const struct json_node *n = &doc->nodes[node];

	return slice_make(doc->text.ptr + n->start, n->end - n->start);
}

size_t json_begin(const struct json *doc, uint32_t node)
{
	const struct json_node *n = &doc->nodes[node];

	return n->name_end ? n->name_start : n->start;
}

/* Value of four hexadecimal digits, which the scanner has checked. */
static uint32_t doc_hex4(const char *digits)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		char c = digits[i];
		int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		value = value << 4 | (uint32_t)digit;
	}
	return value;
}

/* Appends what the escape at the backslash stands for; returns its length. */
static size_t doc_add_escape(struct str *out, const char *escape)
{
	static const char letters[] = "bfnrt";
	static const char meanings[] = "\b\f\n\r\t";

	if (escape[1] != 'u') {
		const char *letter = strchr(letters, escape[1]);

		str_addc(out, letter ? meanings[letter - letters] : escape[1]);
		return 2;
	}
	uint32_t high = doc_hex4(escape + 2);
	if (high < 0xD800 || high > 0xDFFF) {
		utf8_add(out, high);
		return 6;
	}
	utf8_add(out, 0x10000 + ((high - 0xD800) << 10) + (doc_hex4(escape + 8) - 0xDC00));
	return 12;
}

struct slice json_unquote(struct slice quoted, bool escaped, struct str *scratch)
{
	const char *at = quoted.ptr + 1;
	const char *end = quoted.ptr + quoted.len - 1;

	if (!escaped)
		return slice_make(at, (size_t)(end - at));
	str_clear(scratch);
	while (at < end) {
		const char *backslash = memchr(at, '\\', (size_t)(end - at));

		if (!backslash)
			backslash = end;
		str_add(scratch, slice_make(at, (size_t)(backslash - at)));
		at = backslash;
		if (at < end)
			at += doc_add_escape(scratch, at);
	}
	return str_slice(scratch);
}

struct slice json_string(const struct json *doc, uint32_t node, struct str *scratch)
{
	if (json_type(doc, node) != JSON_STRING)
		return slice_make(NULL, 0);
	return json_unquote(json_text(doc, node), doc->nodes[node].escaped, scratch);
}

struct slice json_name(const struct json *doc, uint32_t node, struct str *scratch)
{
	struct slice quoted = json_name_text(doc, node);

	if (quoted.len == 0)
		return slice_make(NULL, 0);
	return json_unquote(quoted, doc->nodes[node].name_escaped, scratch);
}

uint32_t json_member_slice(const struct json *doc, uint32_t object, struct slice name)
{
	STR_AUTO scratch = STR_INIT;

	if (json_type(doc, object) != JSON_OBJECT)
		return JSON_NONE;
	if (object == JSON_ROOT && doc->names)
		return json_keys_find(doc, name);
	for (uint32_t m = json_first(doc, object); m != JSON_NONE; m = json_next(doc, m)) {
		/* Most names have no escapes and differ in length already. */
		if ((doc->nodes[m].name_escaped || json_name_text(doc, m).len == name.len + 2) &&
		    slice_equal(json_name(doc, m, &scratch), name))
			return m;
	}
	return JSON_NONE;
}

uint32_t json_member(const struct json *doc, uint32_t object, const char *name)
{
	return json_member_slice(doc, object, slice_of(name));
}

struct slice json_member_text(const struct json *doc, uint32_t object, const char *name,
			      struct arena *arena)
{
	STR_AUTO scratch = STR_INIT;
	uint32_t node = json_member(doc, object, name);

	if (node == JSON_NONE || json_type(doc, node) != JSON_STRING)
		return slice_make(NULL, 0);
	return arena_copy(arena, json_string(doc, node, &scratch));
}

bool json_bool(const struct json *doc, uint32_t node, bool *out)
{
	if (json_type(doc, node) != JSON_BOOL)
		return false;
	*out = json_text(doc, node).ptr[0] == 't';
	return true;
}

uint32_t json_depth(const struct json *doc, uint32_t node)
{
	uint32_t deepest = 0;

	if (json_type(doc, node) != JSON_ARRAY && json_type(doc, node) != JSON_OBJECT)
		return 0;
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		uint32_t depth = json_depth(doc, m);

		deepest = depth > deepest ? depth : deepest;
	}
	return deepest + 1;
}
