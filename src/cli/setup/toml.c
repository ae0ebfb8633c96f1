#include "cli/setup/toml.h"

#include "json/edit.h"
#include "json/scan.h"

/* The statement under way: a header, or a key and its value, over as many lines as it takes. */
struct toml {
	struct slice text;
	size_t at;
	struct json_fault *fault;
};

static bool toml_is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static char toml_byte_at(const struct toml *toml, size_t at)
{
	return at < toml->text.len ? toml->text.ptr[at] : '\0';
}

static bool toml_is_triple(const struct toml *toml, size_t at)
{
	char quote = toml_byte_at(toml, at);

	return toml_byte_at(toml, at + 1) == quote && toml_byte_at(toml, at + 2) == quote;
}

/* A string of any of the four kinds, at its first quote. */
static int toml_skip_string(struct toml *toml)
{
	size_t from = toml->at;
	char quote = toml_byte_at(toml, from);
	bool triple = toml_is_triple(toml, from);

	for (toml->at += triple ? 3 : 1; toml->at < toml->text.len; toml->at++) {
		char byte = toml->text.ptr[toml->at];

		if (byte == '\n' && !triple)
			break;
		if (byte == '\\' && quote == '"')
			toml->at++;
		else if (byte == quote && (!triple || toml_is_triple(toml, toml->at))) {
			toml->at += triple ? 3 : 1;
			/* Up to two quotes may stand before the three that end it. */
			while (triple && toml_byte_at(toml, toml->at) == quote)
				toml->at++;
			return 0;
		}
	}
	json_fault_set(toml->fault, toml->text, from, "a string that does not end");
	return -1;
}

static void toml_skip_line(struct toml *toml)
{
	while (toml->at < toml->text.len && toml->text.ptr[toml->at] != '\n')
		toml->at++;
}

/* Up to the end of the line on which the statement ends, behind its newline. */
static int toml_skip_statement(struct toml *toml)
{
	size_t opened = toml->at;
	int depth = 0;

	while (toml->at < toml->text.len) {
		char byte = toml->text.ptr[toml->at];

		if (byte == '"' || byte == '\'') {
			if (toml_skip_string(toml) != 0)
				return -1;
			continue;
		}
		if (byte == '#') {
			toml_skip_line(toml);
			continue;
		}
		if ((byte == '[' || byte == '{') && depth++ == 0)
			opened = toml->at;
		if (byte == ']' || byte == '}')
			depth--;
		toml->at++;
		if (byte == '\n' && depth <= 0)
			return 0;
	}
	if (depth <= 0)
		return 0;
	json_fault_set(toml->fault, toml->text, opened, "a bracket that is not closed");
	return -1;
}

/* ---- names */

static void toml_skip_blanks(struct toml *toml)
{
	while (toml_is_blank(toml_byte_at(toml, toml->at)))
		toml->at++;
}

/* The next part of a dotted name, without its quotes; empty at the end. */
static struct slice toml_next_part(struct toml *toml)
{
	toml_skip_blanks(toml);
	char quote = toml_byte_at(toml, toml->at);
	size_t from = toml->at;
	if (quote == '"' || quote == '\'') {
		if (toml_skip_string(toml) != 0)
			return slice_of("");
		from++;
		return slice_make(toml->text.ptr + from, toml->at - 1 - from);
	}
	while (toml->at < toml->text.len && !toml_is_blank(toml->text.ptr[toml->at]) &&
	       !strchr(".=]#\r\n", toml->text.ptr[toml->at]))
		toml->at++;
	return slice_make(toml->text.ptr + from, toml->at - from);
}

#define PARTS_MAX 8

/* Takes a dotted name apart; parts beyond the eighth are not told. */
static size_t toml_read_name(struct toml *toml, struct slice parts[PARTS_MAX])
{
	size_t count = 0;

	for (;;) {
		struct slice part = toml_next_part(toml);

		if (count < PARTS_MAX)
			parts[count++] = part;
		toml_skip_blanks(toml);
		if (toml_byte_at(toml, toml->at) != '.')
			return count;
		toml->at++;
	}
}

/* ---- looking for it */

/* How far the reading is. */
struct search {
	struct toml toml;
	const char *parent;
	const char *name;
	struct slice table[PARTS_MAX]; /* the one that is open */
	size_t table_parts;
	struct toml_table *found;
};

static bool toml_begins_with(const struct search *search, const struct slice *parts, size_t count)
{
	return count >= 2 && slice_is(parts[0], search->parent) && slice_is(parts[1], search->name);
}

static size_t toml_line_of(struct slice text, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += text.ptr[i] == '\n';
	return line;
}

static void toml_open_table(struct search *search, size_t start)
{
	struct toml_table *found = search->found;

	search->toml.at++;
	if (toml_byte_at(&search->toml, search->toml.at) == '[')
		search->toml.at++;
	search->table_parts = toml_read_name(&search->toml, search->table);
	if (!toml_begins_with(search, search->table, search->table_parts))
		return;
	if (search->table_parts == 2 && !found->present) {
		found->present = true;
		found->start = start;
	} else if (!found->present && !found->elsewhere) {
		found->elsewhere = toml_line_of(search->toml.text, start);
	}
}

/* The value on this line, without blanks and comments where it is a string. */
static struct slice toml_value_text(struct toml toml)
{
	toml.at++;
	toml_skip_blanks(&toml);
	size_t from = toml.at;
	if (toml_byte_at(&toml, from) == '"' || toml_byte_at(&toml, from) == '\'') {
		if (toml_skip_string(&toml) != 0)
			return slice_of(NULL);
	} else {
		toml_skip_line(&toml);
	}
	return slice_make(toml.text.ptr + from, toml.at - from);
}

/* A key under the open table: is it the table that is looked for, or something in it? */
static void toml_read_key(struct search *search, size_t start)
{
	struct slice parts[PARTS_MAX];
	size_t count = search->table_parts;
	bool inside = toml_begins_with(search, search->table, count);

	memcpy(parts, search->table, sizeof parts);
	if (count < PARTS_MAX) {
		struct slice own[PARTS_MAX];
		size_t more = toml_read_name(&search->toml, own);

		for (size_t i = 0; i < more && count < PARTS_MAX; i++)
			parts[count++] = own[i];
	}
	if (inside && count == 3 && slice_is(parts[2], "command") &&
	    toml_byte_at(&search->toml, search->toml.at) == '=')
		search->found->command = toml_value_text(search->toml);
	if (!inside && !search->found->elsewhere &&
	    (toml_begins_with(search, parts, count) ||
	     (count == 1 && slice_is(parts[0], search->parent))))
		search->found->elsewhere = toml_line_of(search->toml.text, start);
}

static int toml_read_statement(struct search *search)
{
	struct toml *toml = &search->toml;
	size_t start = toml->at;

	toml_skip_blanks(toml);
	size_t first = toml->at;
	if (strchr("#\r\n", toml_byte_at(toml, first)))
		return toml_skip_statement(toml);
	if (toml_byte_at(toml, first) == '[')
		toml_open_table(search, start);
	else
		toml_read_key(search, start);
	toml->at = first;
	if (toml_skip_statement(toml) != 0)
		return -1;
	if (search->found->present && toml_begins_with(search, search->table, search->table_parts))
		search->found->end = toml->at;
	return 0;
}

int toml_find(struct toml_table *out, struct slice text, const char *parent, const char *name,
	      struct json_fault *fault)
{
	struct toml_table found = {0};
	struct search search = {
		.toml = {text, 0, fault}, .parent = parent, .name = name, .found = &found};

	if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0)
		search.toml.at = 3;
	while (search.toml.at < text.len) {
		if (toml_read_statement(&search) != 0)
			return -1;
	}
	*out = found;
	return 0;
}

/* ---- changing it */

/*
 * An empty line stands before it. A text that does not end its last line, or is empty, is told
 * apart afterwards by what the new one ends or begins with.
 */
void toml_add(struct str *out, struct slice text, struct slice table)
{
	const char *newline = text.len ? style_newline(text).ptr : "\n";
	bool open = text.ptr && text.len > 0 && text.ptr[text.len - 1] != '\n';

	if (text.len > 0)
		str_add(out, text);
	if (text.ptr)
		str_adds(out, newline);
	if (open)
		str_adds(out, newline);
	for (size_t i = 0; i < table.len; i++) {
		if (table.ptr[i] != '\n')
			str_addc(out, table.ptr[i]);
		else if (i + 1 < table.len || !open)
			str_adds(out, newline);
	}
}

/* The table as toml_add() was given it. */
static void toml_table_text(struct str *out, struct slice text, const struct toml_table *found)
{
	for (size_t i = found->start; i < found->end; i++) {
		if (text.ptr[i] != '\r')
			str_addc(out, text.ptr[i]);
	}
	if (out->len > 0 && out->ptr[out->len - 1] != '\n')
		str_addc(out, '\n');
}

/* Is this the text that the table was added to? */
static bool toml_leads_back(struct slice before, struct slice text, struct slice table)
{
	STR_AUTO again = STR_INIT;

	toml_add(&again, before, table);
	return slice_equal(str_slice(&again), text);
}

void toml_remove(struct str *out, bool *absent, struct slice text, const struct toml_table *found)
{
	STR_AUTO table = STR_INIT;

	toml_table_text(&table, text, found);
	*absent = toml_leads_back(slice_of(NULL), text, str_slice(&table));
	if (*absent)
		return;
	for (size_t cut = 0; cut <= 4 && cut <= found->start; cut++) {
		struct slice before = slice_make(text.ptr, found->start - cut);

		if (toml_leads_back(before, text, str_slice(&table))) {
			str_add(out, before);
			return;
		}
	}
	str_add(out, slice_make(text.ptr, found->start));
	str_add(out, slice_make(text.ptr + found->end, text.len - found->end));
}

void toml_add_string(struct str *out, struct slice text)
{
	str_addc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte = (unsigned char)text.ptr[i];

		if (byte == '"' || byte == '\\')
			str_printf(out, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7F)
			str_printf(out, "\\u%04X", byte);
		else
			str_addc(out, (char)byte);
	}
	str_addc(out, '"');
}
