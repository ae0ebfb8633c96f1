/*
 * Text for eyes: sparing colour, and stored text made harmless.
 */
#ifndef KOTA_CLI_TERM_PAINT_H
#define KOTA_CLI_TERM_PAINT_H

#include "base/str.h"
#include "cli/term/cli.h"

/* What to put before and behind; empty texts where no colour is wanted. Static storage. */
struct paint {
	const char *strong;
	const char *faint;
	const char *warn;
	const char *plain; /* back to normal */
};

/*
 * Colour goes to a terminal only, and not where TERM is "dumb" or unset; with CLICOLOR_FORCE it
 * goes wherever the output does, to a pager for instance. NO_COLOR, where it says anything, has the
 * last word.
 */
struct paint paint_for(const struct cli *cli);

/*
 * True if blocks and lines of Unicode can be drawn: unless the locale (LC_ALL, else LC_CTYPE, else
 * LANG) names another character set.
 */
bool paint_draws(const struct cli *cli);

/* Appends lines, each cut with an ellipsis where it is wider than so many columns; colours stay. */
void paint_add_fitted(struct str *out, struct slice lines, int columns);

/* Appends JSON text, which stays JSON; for a terminal with what could act on it escaped. */
void paint_add_json(struct str *out, const struct cli *cli, struct slice json);

/* Appends text between two of these, made visible, on one line. */
void paint_add(struct str *out, const struct paint *paint, const char *before, struct slice text);

#endif
