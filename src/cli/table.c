#include "cli/table.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

#define GAP 2

/* A column that is cut keeps at least this much. */
#define NARROWEST 12

#define ELLIPSIS "\xe2\x80\xa6"

void table_add(struct table *table, struct slice text)
{
	struct str cell = STR_INIT;

	utf8_add_visible(&cell, text, false);
	table->cells = mem_grow(table->cells, &table->cap, table->count + 1, sizeof *table->cells);
	table->cells[table->count++] = str_detach(&cell);
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct table){.columns = table->columns, .flexible = table->flexible};
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t widest = 0;

	for (size_t i = column; i < table->count; i += table->columns) {
		size_t width = utf8_columns(slice_of(table->cells[i]));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* How wide the flexible column may be. */
static size_t flexible_width(const struct table *table, int width)
{
	size_t taken = 0;
	size_t wanted = column_width(table, table->flexible);
	size_t room;

	for (size_t c = 0; c < table->columns; c++) {
		if (c != table->flexible)
			taken += column_width(table, c) + GAP;
	}
	room = width > 0 && (size_t)width > taken ? (size_t)width - taken : 0;
	if (room < NARROWEST)
		room = NARROWEST;
	return wanted < room ? wanted : room;
}

/* The beginning of text that fits into so many columns. */
static struct slice fit(struct slice text, size_t width)
{
	size_t used = 0;
	size_t at = 0;

	while (at < text.len) {
		size_t from = at;

		utf8_next(text, &at);
		used += utf8_columns(slice_make(text.ptr + from, at - from));
		if (used > width)
			return slice_make(text.ptr, from);
	}
	return text;
}

static void print_cell(struct str *out, struct slice text, size_t width, bool last)
{
	size_t columns = utf8_columns(text);

	if (columns > width) {
		struct slice part = fit(text, width - 1);

		str_add(out, part);
		str_adds(out, ELLIPSIS);
		columns = utf8_columns(part) + 1;
	} else {
		str_add(out, text);
	}
	for (; !last && columns < width + GAP; columns++)
		str_addc(out, ' ');
}

void table_print(const struct table *table, int width, const struct paint *paint, struct str *out)
{
	for (size_t i = 0; i < table->count; i++) {
		size_t column = i % table->columns;
		bool last = column + 1 == table->columns;
		size_t room = column == table->flexible ? flexible_width(table, width)
							: column_width(table, column);

		if (i == 0)
			str_adds(out, paint->faint);
		print_cell(out, slice_of(table->cells[i]), room, last);
		if (i + 1 == table->columns)
			str_adds(out, paint->plain);
		if (last)
			str_addc(out, '\n');
	}
}
