/*
 * A reply's JSON, as a person reads it.
 *
 * On a terminal everything that comes from the store is made visible. Elsewhere the value of a get
 * is given as it is, so that it can be piped into a file or another program; refs are made visible
 * wherever they go.
 */
#ifndef KOTA_CLI_RENDER_RENDER_H
#define KOTA_CLI_RENDER_RENDER_H

#include "cli/term/cli.h"
#include "json/doc.h"

/*
 * Appends to *out what goes to standard output, and to *notes lines for standard error (made
 * visible, each ended by a newline). as_json gives the reply itself, indented. Returns the exit
 * status: 1 when the reply says that nothing was found.
 */
int render_reply(const struct cli *cli, const char *command, bool as_json, const struct json *reply,
		 int64_t now_ms, struct str *out, struct str *notes);

#endif
