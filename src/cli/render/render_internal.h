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

/* Replies that a template alone cannot show, one function for each operation. */
void render_stats(const struct view *view);
void render_log(const struct view *view);
void render_diff(const struct view *view);
void render_blame(const struct view *view);

#endif
