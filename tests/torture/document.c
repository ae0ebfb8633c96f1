#include "torture/document.h"

#include "base/utf8.h"

/* ---- making */

void document_space(struct str *out, struct row *row)
{
	static const char *const spaces[] = {"", "", "", " ", "\n", "\r\n", "\t", " \t \n  "};

	str_adds(out, spaces[row_below(row, sizeof spaces / sizeof *spaces)]);
}

static void add_digits(struct str *out, struct row *row, unsigned most)
{
	for (unsigned n = 1 + row_below(row, most); n > 0; n--)
		str_addc(out, (char)('0' + row_below(row, 10)));
}

static void add_number(struct str *out, struct row *row)
{
	static const char *const odd[] = {
		"-0",     "0",       "-0.0", "9007199254740993",    "1.0", "1e400",
		"1E-400", "0.1e+07", "1e00", "18446744073709551616"};

	if (row_below(row, 4) == 0) {
		str_adds(out, odd[row_below(row, sizeof odd / sizeof *odd)]);
		return;
	}
	if (row_below(row, 2))
		str_addc(out, '-');
	str_addc(out, (char)('1' + row_below(row, 9)));
	if (row_below(row, 3))
		add_digits(out, row, 20);
	if (row_below(row, 3) == 0) {
		str_addc(out, '.');
		add_digits(out, row, 20);
	}
	if (row_below(row, 4) == 0) {
		str_adds(out, row_below(row, 2) ? "e" : "E");
		str_adds(out, row_below(row, 2) ? "-" : row_below(row, 2) ? "+" : "");
		add_digits(out, row, 3);
	}
}

static void add_character(struct str *out, struct row *row)
{
	static const char *const escapes[] = {"\\n",
					      "\\r",
					      "\\t",
					      "\\b",
					      "\\f",
					      "\\/",
					      "\\\\",
					      "\\\"",
					      "\\u0000",
					      "\\u00e9",
					      "\\u20AC",
					      "\\uD83D\\uDE00",
					      "\\udbff\\udfff",
					      "\\u2028",
					      "\\u001b",
					      "\\ufeff"};
	static const uint32_t plain[] = {0xE9, 0x20AC, 0x1F600, 0x10FFFF, 0x7F, 0x2028, 0x301};

	switch (row_below(row, 4)) {
	case 0:
		str_adds(out, escapes[row_below(row, sizeof escapes / sizeof *escapes)]);
		break;
	case 1:
		utf8_add(out, plain[row_below(row, sizeof plain / sizeof *plain)]);
		break;
	default:
		str_addc(out, "abcXYZ 019{}[]:,'/#"[row_below(row, 19)]);
	}
}

static void add_string(struct str *out, struct row *row)
{
	str_addc(out, '"');
	for (unsigned n = row_below(row, 12); n > 0; n--)
		add_character(out, row);
	str_addc(out, '"');
}

/* A text that goes to the document and, with a newline, to its leaves. */
static void add_leaf(struct document *document, const struct str *leaf)
{
	str_add(&document->text, str_slice(leaf));
	str_add(&document->leaves, str_slice(leaf));
	str_addc(&document->leaves, '\n');
}

static void add_scalar(struct document *document, struct row *row)
{
	static const char *const words[] = {"true", "false", "null"};
	STR_AUTO leaf = STR_INIT;
	unsigned kind = row_below(row, 5);

	if (kind < 2)
		add_number(&leaf, row);
	else if (kind < 4)
		add_string(&leaf, row);
	else
		str_adds(&leaf, words[row_below(row, 3)]);
	add_leaf(document, &leaf);
}

/* The number in front keeps names apart. */
static void add_name(struct document *document, struct row *row, unsigned number)
{
	STR_AUTO leaf = STR_INIT;

	str_printf(&leaf, "\"%c%u", "zya"[row_below(row, 3)], number);
	for (unsigned n = row_below(row, 4); n > 0; n--)
		add_character(&leaf, row);
	str_addc(&leaf, '"');
	add_leaf(document, &leaf);
	document_space(&document->text, row);
	str_addc(&document->text, ':');
	document_space(&document->text, row);
}

static void add_bracket(struct document *document, char bracket)
{
	str_addc(&document->text, bracket);
	str_addc(&document->leaves, bracket);
	str_addc(&document->leaves, '\n');
}

static void add_container(struct document *document, struct row *row, unsigned depth)
{
	bool object = row_below(row, 2);
	unsigned count = row_below(row, DOCUMENT_WIDTH);

	add_bracket(document, object ? '{' : '[');
	document_space(&document->text, row);
	for (unsigned i = 0; i < count; i++) {
		if (i > 0) {
			str_addc(&document->text, ',');
			document_space(&document->text, row);
		}
		if (object)
			add_name(document, row, i);
		document_value(document, row, depth - 1);
		document_space(&document->text, row);
	}
	add_bracket(document, object ? '}' : ']');
}

void document_value(struct document *document, struct row *row, unsigned depth)
{
	if (depth == 0 || row_below(row, 3) == 0)
		add_scalar(document, row);
	else
		add_container(document, row, depth);
}

void document_make(struct document *document, struct row *row, unsigned depth)
{
	if (row_below(row, 8) == 0)
		str_adds(&document->text, "\xEF\xBB\xBF");
	document_space(&document->text, row);
	document_value(document, row, depth);
	document_space(&document->text, row);
}

void document_release(struct document *document)
{
	str_release(&document->text);
	str_release(&document->leaves);
}

/* ---- taking apart */

static struct slice name_text(const struct json *doc, uint32_t node)
{
	const struct json_node *n = &doc->nodes[node];

	return slice_make(doc->text.ptr + n->name_start, n->name_end - n->name_start);
}

void document_leaves(const struct json *doc, uint32_t node, struct str *out)
{
	enum json_type type = json_type(doc, node);

	if (type != JSON_ARRAY && type != JSON_OBJECT) {
		str_add(out, json_text(doc, node));
		str_addc(out, '\n');
		return;
	}
	str_adds(out, type == JSON_OBJECT ? "{\n" : "[\n");
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m)) {
		if (type == JSON_OBJECT) {
			str_add(out, name_text(doc, m));
			str_addc(out, '\n');
		}
		document_leaves(doc, m, out);
	}
	str_adds(out, type == JSON_OBJECT ? "}\n" : "]\n");
}

void document_turn(const struct json *doc, uint32_t node, struct str *out)
{
	enum json_type type = json_type(doc, node);
	uint32_t members[DOCUMENT_WIDTH];
	size_t count = 0;

	if (type != JSON_ARRAY && type != JSON_OBJECT) {
		str_add(out, json_text(doc, node));
		return;
	}
	for (uint32_t m = json_first(doc, node); m != JSON_NONE; m = json_next(doc, m))
		members[count++] = m;
	str_addc(out, type == JSON_OBJECT ? '{' : '[');
	for (size_t i = 0; i < count; i++) {
		uint32_t m = members[type == JSON_OBJECT ? count - 1 - i : i];

		if (i > 0)
			str_addc(out, ',');
		if (type == JSON_OBJECT) {
			str_add(out, name_text(doc, m));
			str_addc(out, ':');
		}
		document_turn(doc, m, out);
	}
	str_addc(out, type == JSON_OBJECT ? '}' : ']');
}

/* A digit before the number or a letter in the string makes another value of either. */
static void add_changed(struct str *out, struct slice leaf)
{
	bool string = leaf.ptr[0] == '"';
	size_t sign = leaf.ptr[0] == '-' || string;

	str_add(out, slice_make(leaf.ptr, sign));
	str_addc(out, string ? 'w' : '3');
	if (!string && leaf.ptr[sign] == '0')
		str_adds(out, ".5");
	else
		str_add(out, slice_make(leaf.ptr + sign, leaf.len - sign));
}

bool document_change(struct row *row, const struct json *doc, struct str *out)
{
	uint32_t node = row_below(row, doc->count);
	enum json_type type = json_type(doc, node);
	struct slice leaf = json_text(doc, node);
	size_t before = (size_t)(leaf.ptr - doc->text.ptr);

	if (type != JSON_STRING && type != JSON_NUMBER)
		return false;
	str_add(out, slice_make(doc->text.ptr, before));
	add_changed(out, leaf);
	str_add(out, slice_make(leaf.ptr + leaf.len, doc->text.len - before - leaf.len));
	return true;
}
