/*
 * What the renderers of replies share. For render.c and its siblings only.
 */
#ifndef KOTA_CLI_RENDER_RENDER_INTERNAL_H
#define KOTA_CLI_RENDER_RENDER_INTERNAL_H

#include "cli/render/render.h"
#include "cli/render/template.h"

#define DOT " \xc2\xb7 "

/* A column of a table: its heading, and the template of its cells. */
struct column {
	const char *heading;
	const char *cell;
};

/* Appends a table of a list that begins with this element; the last column is flexible. */
void render_table(const struct view *view, uint32_t first, const struct column *columns,
		  size_t count);

/*
 * How the reply of a command looks to a person: templates of what goes to standard output and to
 * standard error, or a function.
 */
struct render_row {
	const char *command; /* NULL ends a table */
	const char *out;
	const char *notes;
	void (*render)(const struct view *view);
};

/* The rows of history.c and stats.c. */
extern const struct render_row render_history_rows[];
extern const struct render_row render_stats_rows[];

#endif
