/*
 * Text for eyes: sparing colour, and stored text made harmless. For this folder only.
 */
#ifndef KOTA_CLI_PAINT_H
#define KOTA_CLI_PAINT_H

#include "base/str.h"
#include "cli/cli.h"

/* What to put before and behind; empty texts where no colour is wanted. Static storage. */
struct paint {
	const char *strong;
	const char *faint;
	const char *warn;
	const char *plain; /* back to normal */
};

/*
 * Colour goes to a terminal only, and not where NO_COLOR says something, nor where TERM is "dumb"
 * or unset.
 */
struct paint paint_for(const struct cli *cli);

/* Appends JSON text, which stays JSON; for a terminal with what could act on it escaped. */
void paint_add_json(struct str *out, const struct cli *cli, struct slice json);

/* Appends text between two of these, made visible, on one line. */
void paint_add(struct str *out, const struct paint *paint, const char *before, struct slice text);

#endif
