/*
 * The person's editor. For this folder only.
 *
 * $VISUAL, else $EDITOR, else vi or nano where they are in $PATH. The variable may hold arguments
 * ("code --wait"): as git does it, the shell takes it apart where it has more than a plain name in
 * it. The editor has the terminal; SIGINT and SIGQUIT, which it gives a meaning of its own, do not
 * end this program meanwhile.
 */
#ifndef KOTA_CLI_EDIT_EDITOR_H
#define KOTA_CLI_EDIT_EDITOR_H

#include "base/err.h"
#include "base/str.h"
#include "cli/run.h"

/* Appends the command; ERR_USAGE when there is no editor. */
int editor_find(struct str *out, const struct cli *cli, struct err *err);

/*
 * Opens a file and waits until the editor ends; at a line and column where line is not 0 and the
 * editor is known to take one. ERR_IO when it could not be started, failed or was ended by a
 * signal.
 */
int editor_run(const char *command, const char *path, uint32_t line, uint32_t column,
	       struct err *err);

#endif
