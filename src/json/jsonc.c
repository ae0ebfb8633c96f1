#include "json/jsonc.h"

#include "json/scan.h"
#include "json/jsonc_internal.h"

/* As deep and large as other programs' files may be. */
static const struct json_bounds bounds = {
	.bytes = 64 << 20,
	.nodes = 1 << 24,
	.depth = 200,
	.allow_bom = true,
};

/* ---- reading */

/* Where a string that begins at `at` ends. */
static size_t skip_string(struct slice text, size_t at)
{
	at++;
	while (at < text.len && text.ptr[at] != '"' && text.ptr[at] != '\n')
		at += text.ptr[at] == '\\' && at + 1 < text.len ? 2 : 1;
	return at < text.len ? at + 1 : text.len;
}

static size_t skip_line(struct slice text, size_t at)
{
	while (at < text.len && text.ptr[at] != '\n')
		at++;
	return at > 0 && at < text.len && text.ptr[at - 1] == '\r' ? at - 1 : at;
}

/* Where the comment that begins at `at` ends; `at` itself when there is none. */
static size_t skip_comment(struct slice text, size_t at)
{
	char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';

	if (next == '/')
		return skip_line(text, at);
	if (next != '*')
		return at;
	for (size_t end = at + 2; end + 1 < text.len; end++) {
		if (text.ptr[end] == '*' && text.ptr[end + 1] == '/')
			return end + 2;
	}
	return at;
}

/* Lines stay, so that a fault further down is told where it is. */
static void blank_comment(struct jsonc *doc, size_t from, size_t to)
{
	for (; from < to; from++) {
		doc->bare.ptr[from] = '#';
		if (doc->strict.ptr[from] != '\n')
			doc->strict.ptr[from] = ' ';
	}
}

static void blank(struct jsonc *doc)
{
	size_t comma = SIZE_MAX; /* the last one, while only blanks follow */
	size_t at = 0;

	while (at < doc->text.len) {
		char byte = doc->text.ptr[at];
		size_t from = at++;

		if (byte == '/') {
			at = skip_comment(doc->text, from);
			blank_comment(doc, from, at);
			at = at > from ? at : from + 1;
			continue;
		}
		if (jsonc_is_blank(byte))
			continue;
		if ((byte == '}' || byte == ']') && comma != SIZE_MAX)
			doc->strict.ptr[comma] = ' ';
		comma = byte == ',' ? from : SIZE_MAX;
		if (byte == '"')
			at = skip_string(doc->text, from);
	}
}

/* A comma with nothing before it is a fault: [,] */
static bool is_superfluous(const struct jsonc *doc, size_t comma)
{
	size_t at = comma;

	while (at > 0 && (jsonc_is_blank(doc->bare.ptr[at - 1]) || doc->bare.ptr[at - 1] == '#'))
		at--;
	return at > 0 && !strchr("[{,:", doc->bare.ptr[at - 1]);
}

static void put_back_commas(struct jsonc *doc)
{
	for (size_t i = 0; i < doc->strict.len; i++) {
		if (doc->bare.ptr[i] == ',' && doc->strict.ptr[i] == ' ' && !is_superfluous(doc, i))
			doc->strict.ptr[i] = ',';
	}
}

int jsonc_parse(struct jsonc *doc, struct slice text, struct json_fault *fault)
{
	struct jsonc read = {.text = text, .bare = STR_INIT, .strict = STR_INIT};

	str_add(&read.bare, text);
	str_add(&read.strict, text);
	blank(&read);
	put_back_commas(&read);
	if (json_parse(&read.json, str_slice(&read.strict), &bounds, fault) != 0) {
		str_release(&read.bare);
		str_release(&read.strict);
		return -1;
	}
	*doc = read;
	return 0;
}

void jsonc_release(struct jsonc *doc)
{
	json_release(&doc->json);
	str_release(&doc->bare);
	str_release(&doc->strict);
}

void jsonc_edit_release(struct jsonc_edit *edit)
{
	str_release(&edit->text);
	str_release(&edit->lines);
}

uint32_t jsonc_find(const struct jsonc *doc, const struct jsonc_spot *spot)
{
	uint32_t node = JSON_ROOT;

	for (const char *const *name = spot->names; *name; name++) {
		node = json_member(&doc->json, node, *name);
		if (node == JSON_NONE)
			return JSON_NONE;
	}
	return node;
}

/* ---- splicing */

void jsonc_copy(struct jsonc_edit *edit, const struct jsonc *doc, size_t from, size_t to)
{
	str_add(&edit->text, slice_make(doc->text.ptr + from, to - from));
}

void jsonc_replace(struct jsonc_edit *edit, const struct jsonc *doc, uint32_t node,
		   struct slice value)
{
	const struct json_node *old = &doc->json.nodes[node];

	jsonc_copy(edit, doc, 0, old->start);
	str_add(&edit->text, value);
	jsonc_copy(edit, doc, old->end, doc->text.len);
	str_add(&edit->lines, value);
}

size_t jsonc_begin(const struct jsonc *doc, uint32_t node)
{
	const struct json_node *it = &doc->json.nodes[node];

	return it->name_end > 0 ? it->name_start : it->start;
}

uint32_t jsonc_last(const struct jsonc *doc, uint32_t container)
{
	uint32_t last = JSON_NONE;

	for (uint32_t node = json_first(&doc->json, container); node != JSON_NONE;
	     node = json_next(&doc->json, node))
		last = node;
	return last;
}

size_t jsonc_comma(const struct jsonc *doc, size_t from, size_t to)
{
	while (from < to && doc->bare.ptr[from] != ',')
		from++;
	return from;
}
