/*
 * What the renderers of replies share. For render.c and its siblings only.
 */
#ifndef KOTA_CLI_RENDER_INTERNAL_H
#define KOTA_CLI_RENDER_INTERNAL_H

#include "cli/paint.h"
#include "cli/render.h"

/* A reply on its way to a person. */
struct view {
	const struct cli *cli;
	struct paint paint;
	const char *verb; /* of the command's row */
	const struct json *reply;
	int64_t now_ms;
	struct str *out;
	struct str *notes;
};

typedef void (*renderer)(const struct view *view);

#define DOT " \xc2\xb7 "

/* The history: log; diff and show; blame. */
void render_log(const struct view *view);
void render_diff(const struct view *view);
void render_blame(const struct view *view);

/* Ranked search. */
void render_search(const struct view *view);

#endif
