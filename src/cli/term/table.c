#include "cli/term/table.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

#define GAP 2

/* A column that is cut keeps at least this much. */
#define NARROWEST 12

#define JOINER "\xe2\x80\x8d"
#define ELLIPSIS "\xe2\x80\xa6"

void table_add(struct table *table, struct slice text)
{
	struct str cell = STR_INIT;

	utf8_add_visible(&cell, text, false);
	*MEM_ADD(table->cells, table->count, table->cap) = str_detach(&cell);
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct table){.columns = table->columns, .flexible = table->flexible};
}

static size_t table_column_width(const struct table *table, size_t column)
{
	size_t widest = 0;

	for (size_t i = column; i < table->count; i += table->columns) {
		size_t width = utf8_columns(slice_of(table->cells[i]));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* All of a row, gaps included. */
static size_t table_row_width(const struct table *table, const size_t *widths)
{
	size_t sum = 0;

	for (size_t c = 0; c < table->columns; c++)
		sum += widths[c] + (c > 0 ? GAP : 0);
	return sum;
}

/* Takes what is too much off a column, but leaves it so wide. */
static void table_cut_column(const struct table *table, size_t *widths, size_t column, size_t least,
			     size_t room)
{
	size_t all = table_row_width(table, widths);
	size_t more = widths[column] > least ? widths[column] - least : 0;
	size_t over = all > room ? all - room : 0;

	widths[column] -= over < more ? over : more;
}

/*
 * The flexible column is cut first, then whichever is the widest, a character at a time, so that
 * narrow ones, which say most with least, stay whole as long as they can.
 */
static void table_fit_columns(const struct table *table, size_t *widths, int width)
{
	size_t room = width > 0 ? (size_t)width : 1;

	for (size_t c = 0; c < table->columns; c++)
		widths[c] = table_column_width(table, c);
	table_cut_column(table, widths, table->flexible, NARROWEST, room);
	while (table_row_width(table, widths) > room) {
		size_t widest = 0;

		for (size_t c = 1; c < table->columns; c++)
			widest = widths[c] > widths[widest] ? c : widest;
		if (widths[widest] <= 1)
			return;
		table_cut_column(table, widths, widest, widths[widest] - 1, room);
	}
}

/* What was to be joined with a character that is cut off must not join with what comes instead. */
static struct slice table_without_joiner(struct slice text)
{
	const size_t len = sizeof JOINER - 1;

	while (text.len >= len && memcmp(text.ptr + text.len - len, JOINER, len) == 0)
		text.len -= len;
	return text;
}

/* The beginning of text that fits into so many columns. */
static struct slice table_fit(struct slice text, size_t width)
{
	size_t used = 0;
	size_t at = 0;

	while (at < text.len) {
		size_t from = at;

		utf8_next(text, &at);
		used += utf8_columns(slice_make(text.ptr + from, at - from));
		if (used > width)
			return table_without_joiner(slice_make(text.ptr, from));
	}
	return text;
}

/* Text in a column; returns how many columns it takes. */
static size_t table_print_text(struct str *out, struct slice text, size_t width)
{
	size_t columns = utf8_columns(text);

	if (columns <= width) {
		str_add(out, text);
		return columns;
	}
	struct slice part = table_fit(text, width - 1);
	str_add(out, part);
	str_adds(out, ELLIPSIS);
	return utf8_columns(part) + 1;
}

static void table_print_row(const struct table *table, size_t row, const size_t *widths,
			    struct str *out)
{
	for (size_t c = 0; c < table->columns; c++) {
		struct slice text = slice_of(table->cells[row * table->columns + c]);
		size_t columns = table_print_text(out, text, widths[c]);

		for (; c + 1 < table->columns && columns < widths[c] + GAP; columns++)
			str_addc(out, ' ');
	}
}

/* Where there is no room for a character and its gap in every column, the end of the row goes. */
static void table_print_line(const struct table *table, size_t row, const size_t *widths, int width,
			     struct str *out)
{
	STR_AUTO line = STR_INIT;

	table_print_row(table, row, widths, &line);
	struct slice text = str_slice(&line);
	if (table_row_width(table, widths) > (width > 0 ? (size_t)width : 1))
		text = table_fit(text, width > 0 ? (size_t)width : 1);
	str_add(out, text);
}

void table_print(const struct table *table, int width, const struct paint *paint, struct str *out)
{
	size_t *widths = mem_zalloc(table->columns, sizeof *widths);

	table_fit_columns(table, widths, width);
	for (size_t row = 0; row < table->count / table->columns; row++) {
		str_adds(out, row == 0 ? paint->faint : "");
		table_print_line(table, row, widths, width, out);
		str_adds(out, row == 0 ? paint->plain : "");
		str_addc(out, '\n');
	}
	free(widths);
}
