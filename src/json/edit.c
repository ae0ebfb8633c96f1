#include "json/edit.h"

#include "base/mem.h"
#include "json/write.h"

#include <stdlib.h>
#include <string.h>

struct str *json_edits_add(struct json_edits *edits, size_t from, size_t to)
{
	edits->list = mem_grow(edits->list, &edits->cap, edits->count + 1, sizeof *edits->list);
	struct json_edit *edit = &edits->list[edits->count++];
	*edit = (struct json_edit){.from = from, .to = to, .text = STR_INIT};
	return &edit->text;
}

void json_edits_release(struct json_edits *edits)
{
	for (size_t i = 0; i < edits->count; i++)
		str_release(&edits->list[i].text);
	free(edits->list);
}

static int edits_compare(const void *left, const void *right)
{
	const struct json_edit *a = left;
	const struct json_edit *b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

void json_edits_apply(struct json_edits *edits, struct slice text, struct str *out)
{
	size_t at = 0;

	if (edits->count)
		qsort(edits->list, edits->count, sizeof *edits->list, edits_compare);
	str_reserve(out, text.len);
	for (size_t i = 0; i < edits->count; i++) {
		const struct json_edit *edit = &edits->list[i];

		str_add(out, slice_make(text.ptr + at, edit->from - at));
		str_add(out, str_slice(&edit->text));
		at = edit->to;
	}
	str_add(out, slice_make(text.ptr + at, text.len - at));
}

/* ---- style */

struct slice style_indent(struct slice text, size_t at)
{
	size_t start = at;

	while (start > 0 && text.ptr[start - 1] != '\n')
		start--;
	size_t end = start;
	while (end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t'))
		end++;
	return slice_make(text.ptr + start, end - start);
}

struct slice style_newline(struct slice text)
{
	const char *found = memchr(text.ptr, '\n', text.len);

	return slice_of(found && found > text.ptr && found[-1] == '\r' ? "\r\n" : "\n");
}

bool style_write(struct str *out, const struct style *style, struct slice text)
{
	char *unit = style->one_line ? NULL : mem_strndup(style->unit.ptr, style->unit.len);
	const struct json_layout lines = {
		.indent = unit, .newline = style->newline.ptr, .prefix = style->prefix};
	const struct json_layout line = {
		.colon = style->colon, .comma = style->comma, .pad = style->pad};
	struct json_fault fault;
	struct json doc;
	bool valid = json_parse(&doc, text, &json_file_bounds, &fault) == 0;

	if (valid) {
		struct json_writer w = json_writer_to(out, style->one_line ? &line : &lines);

		json_write_value(&w, &doc, JSON_ROOT);
		json_release(&doc);
	}
	free(unit);
	return valid;
}
