/*
 * Rows of cells in columns, fitted to the width of a terminal.
 *
 *	struct table table = {.columns = 2, .flexible = 1};
 *	table_add(&table, slice_of("state"));
 *	table_add(&table, slice_of("project"));
 *	table_print(&table, 80, &paint, &out);
 *	table_release(&table);
 *
 * Cells are copied and made visible. The first row is the heading.
 */
#ifndef KOTA_CLI_TERM_TABLE_H
#define KOTA_CLI_TERM_TABLE_H

#include "cli/term/paint.h"

struct table {
	size_t columns;
	size_t flexible; /* the column that is cut first where a row is too wide */
	char **cells;
	size_t count;
	size_t cap;
};

/* Adds the next cell; a row is full after `columns` of them. */
void table_add(struct table *table, struct slice text);

/*
 * Appends the table. No line is wider than width: cells that do not fit are cut, with an ellipsis.
 * A width that is not above 0 counts as 1, INT_MAX cuts nothing.
 */
void table_print(const struct table *table, int width, const struct paint *paint, struct str *out);

/* Frees the cells; the columns stay. */
void table_release(struct table *table);

#endif
