#include "json/style.h"

#include "json/write.h"
#include "base/mem.h"

#include <stdlib.h>

size_t look_begin(const struct json *doc, uint32_t child)
{
	const struct json_node *node = &doc->nodes[child];

	return node->name_end ? node->name_start : node->start;
}

bool look_breaks(const struct json *doc, size_t from, size_t to)
{
	return from < to && memchr(doc->text.ptr + from, '\n', to - from) != NULL;
}

static bool is_indent(char byte)
{
	return byte == ' ' || byte == '\t';
}

struct slice look_indent(const struct json *doc, size_t at)
{
	const char *text = doc->text.ptr;
	size_t start = at;
	size_t end;

	while (start > 0 && text[start - 1] != '\n')
		start--;
	end = start;
	while (end < at && is_indent(text[end]))
		end++;
	return slice_make(text + start, end - start);
}

struct slice look_newline(const struct json *doc)
{
	const char *found = memchr(doc->text.ptr, '\n', doc->text.len);

	if (found && found > doc->text.ptr && found[-1] == '\r')
		return slice_of("\r\n");
	return slice_of("\n");
}

struct slice look_colon(const struct json *doc, uint32_t member)
{
	const struct json_node *node = &doc->nodes[member];

	if (node->name_end == 0 || look_breaks(doc, node->name_end, node->start))
		return slice_of(": ");
	return slice_make(doc->text.ptr + node->name_end, node->start - node->name_end);
}

struct slice look_unit(struct slice outer, struct slice inner)
{
	if (inner.len > outer.len && memcmp(inner.ptr, outer.ptr, outer.len) == 0)
		return slice_make(inner.ptr + outer.len, inner.len - outer.len);
	return slice_of("  ");
}

/* Blanks of a text on one line: from the first members of the model. */
static void one_line_like(struct look *look, const struct json *doc, uint32_t model)
{
	uint32_t first = json_first(doc, model);
	uint32_t second = json_next(doc, first);
	size_t begin = look_begin(doc, first);

	if (json_type(doc, model) == JSON_OBJECT) {
		look->colon = look_colon(doc, first);
		look->pad = slice_make(doc->text.ptr + doc->nodes[model].start + 1,
				       begin - doc->nodes[model].start - 1);
	}
	if (second != JSON_NONE) {
		size_t end = doc->nodes[first].end;

		look->comma = slice_make(doc->text.ptr + end, look_begin(doc, second) - end);
	} else if (look->colon.len > 1) {
		look->comma = slice_of(", ");
	}
}

void look_like(struct look *look, const struct json *doc, uint32_t model, bool one_line,
	       struct slice prefix, struct slice unit)
{
	*look = (struct look){
		.one_line = one_line,
		.newline = look_newline(doc),
		.prefix = prefix,
		.unit = unit,
		.colon = slice_of(":"),
		.comma = slice_of(","),
		.pad = slice_of(""),
	};
	if (model == JSON_NONE)
		return;
	look->one_line = !look_breaks(doc, doc->nodes[model].start, doc->nodes[model].end);
	if (look->one_line) {
		one_line_like(look, doc, model);
	} else {
		size_t inner = look_begin(doc, json_first(doc, model));

		if (look_breaks(doc, doc->nodes[model].start, inner))
			look->unit = look_unit(look_indent(doc, doc->nodes[model].start),
					       look_indent(doc, inner));
	}
}

/* Length of the string that begins with the quote at text[0]. */
static size_t string_length(struct slice text)
{
	size_t at = 1;

	while (text.ptr[at] != '"')
		at += text.ptr[at] == '\\' ? 2 : 1;
	return at + 1;
}

/* Copies compact JSON with the blanks of the look. */
static void add_one_line(struct str *out, const struct look *look, struct slice compact)
{
	for (size_t at = 0; at < compact.len; at++) {
		char byte = compact.ptr[at];

		if (byte == '"') {
			struct slice rest = {compact.ptr + at, compact.len - at};

			rest.len = string_length(rest);
			str_add(out, rest);
			at += rest.len - 1;
		} else if (byte == ':') {
			str_add(out, look->colon);
		} else if (byte == ',') {
			str_add(out, look->comma);
		} else {
			if (byte == '}' && compact.ptr[at - 1] != '{')
				str_add(out, look->pad);
			str_addc(out, byte);
			if (byte == '{' && compact.ptr[at + 1] != '}')
				str_add(out, look->pad);
		}
	}
}

/* Copies JSON on several lines; strings hold no raw line breaks, so that each break is layout. */
static void add_lines(struct str *out, const struct look *look, struct slice pretty)
{
	for (size_t at = 0; at < pretty.len; at++) {
		if (pretty.ptr[at] == '\n') {
			str_add(out, look->newline);
			str_add(out, look->prefix);
		} else {
			str_addc(out, pretty.ptr[at]);
		}
	}
}

bool look_write(struct str *out, const struct look *look, struct slice text)
{
	STR_AUTO plain = STR_INIT;
	struct json_fault fault;
	struct json_writer w;
	struct json doc;
	char *unit;

	if (json_parse(&doc, text, &json_file_bounds, &fault) != 0)
		return false;
	if (look->one_line) {
		json_writer_init(&w, &plain, &json_compact);
		json_write_value(&w, &doc, JSON_ROOT);
		add_one_line(out, look, str_slice(&plain));
	} else {
		unit = mem_strndup(look->unit.ptr, look->unit.len);
		json_writer_init(&w, &plain,
				 &(struct json_layout){.indent = unit, .newline = "\n"});
		json_write_value(&w, &doc, JSON_ROOT);
		add_lines(out, look, str_slice(&plain));
		free(unit);
	}
	json_release(&doc);
	return true;
}
