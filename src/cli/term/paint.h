/*
 * Text for a terminal: sparing colour, and stored text made harmless.
 */
#ifndef KOTA_CLI_TERM_PAINT_H
#define KOTA_CLI_TERM_PAINT_H

#include "base/str.h"
#include "cli/term/cli.h"

/* Escape sequences, or empty texts without colour. Static storage. */
struct paint {
	const char *strong;
	const char *faint;
	const char *warn;
	const char *plain; /* back to normal */
};

/*
 * Colour is for terminals only, and not if TERM is "dumb" or unset. CLICOLOR_FORCE turns it on for
 * any output, such as a pager. A NO_COLOR that is not empty turns it off in any case.
 */
struct paint paint_for(const struct cli *cli);

/*
 * True if blocks and lines of Unicode can be drawn: unless the locale (LC_ALL, else LC_CTYPE, else
 * LANG) names another character set.
 */
bool paint_draws(const struct cli *cli);

/* Appends lines, each cut to that many columns, with an ellipsis; keeps colours. */
void paint_add_fitted(struct str *out, struct slice lines, int columns);

/* Appends JSON text; on a terminal, with control characters escaped as JSON does. */
void paint_add_json(struct str *out, const struct cli *cli, struct slice json);

/* Appends text in this style, made visible, on one line. */
void paint_add(struct str *out, const struct paint *paint, const char *before, struct slice text);

#endif
