/*
 * A person's editor, and the private copy that it opens.
 *
 * The editor is $VISUAL, else $EDITOR, else vi or nano if they are in $PATH. The variable may hold
 * arguments ("code --wait"): like git, kota passes it to the shell unless it is a plain name. While
 * the editor runs, this program ignores SIGINT and SIGQUIT.
 */
#ifndef KOTA_CLI_EDIT_EDITOR_H
#define KOTA_CLI_EDIT_EDITOR_H

#include "base/err.h"
#include "base/str.h"
#include "cli/term/cli.h"

/* Appends the command; ERR_USAGE if there is no editor. */
int editor_find(struct str *out, const struct cli *cli, struct err *err);

/*
 * Opens a file in the editor and waits for its end. Opens it at the line and column if line is not
 * 0 and the editor is known to support that. ERR_IO if it could not be started, failed or was
 * killed.
 */
int editor_run(const char *command, const char *path, uint32_t line, uint32_t column,
	       struct err *err);

/*
 * The private copy that a person edits: a folder of its own (0700) with one file in it (0600), in
 * $XDG_STATE_HOME/kota-memory/edit, else ~/.local/state/kota-memory/edit.
 *
 * It is outside the store, so that nothing that reads a store finds it or an editor's backup files.
 * It is removed once its text is in the store, or if its text is unchanged. Otherwise it stays,
 * even after a kill, and the next edit reports it.
 */

/* Longest text that is read back, in bytes. */
#define DRAFT_BYTES_MAX ((size_t)1 << 30)

struct draft {
	const struct sys *sys;
	char *folder;
	char *path; /* of the file */
	int fd;     /* of the folder, locked while it is being edited */
};

/*
 * Makes a copy with this text; name is a plain file name. ERR_CANNOT_WRITE if there is no place for
 * it. On success, call draft_close().
 */
int draft_open(struct draft *draft, const struct cli *cli, const char *name, struct slice text,
	       struct err *err);

/* Reads the copy after the editor has ended. */
int draft_read(const struct draft *draft, struct str *text, struct err *err);

/*
 * True if the copy still exists and has to be reported. If the editor has removed it, its empty
 * folder is removed too.
 */
bool draft_stays(const struct draft *draft);

/* Removes the copy. Best effort. */
void draft_remove(struct draft *draft);

/* Frees the struct; a copy that was not removed stays. */
void draft_close(struct draft *draft);

/* Calls tell with the path of each copy that an earlier edit left and nobody is editing. */
void draft_each_left(const struct cli *cli, void (*tell)(void *context, const char *path),
		     void *context);

#endif
