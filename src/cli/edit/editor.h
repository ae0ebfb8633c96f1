/*
 * A person's editor, and the private copy that it opens.
 *
 * The editor is $VISUAL, else $EDITOR, else vi or nano where they are in $PATH. The variable
 * may hold arguments ("code --wait"): like git, kota gives it to the shell unless it is a plain
 * name. The editor has the terminal; SIGINT and SIGQUIT, to which it gives its own meaning, do not
 * end this program meanwhile.
 */
#ifndef KOTA_CLI_EDIT_EDITOR_H
#define KOTA_CLI_EDIT_EDITOR_H

#include "base/err.h"
#include "base/str.h"
#include "cli/term/cli.h"

/* Appends the command; ERR_USAGE when there is no editor. */
int editor_find(struct str *out, const struct cli *cli, struct err *err);

/*
 * Opens a file and waits until the editor ends; at a line and column where line is not 0 and the
 * editor is known to take one. ERR_IO when it could not be started, failed or was ended by a
 * signal.
 */
int editor_run(const char *command, const char *path, uint32_t line, uint32_t column,
	       struct err *err);

/*
 * The private copy that a person edits: a folder of its own (0700) with one file in it (0600), in
 * $XDG_STATE_HOME/kota-memory/edit, else ~/.local/state/kota-memory/edit.
 *
 * It lies outside the store, so that nothing that looks through a store meets it, nor what editors
 * leave beside what they edit. It is removed when its text was taken over, or is no other than
 * before; in every other case, a kill included, it stays, and the next edit tells of it.
 */

/* Longest text that is taken back from an editor, in bytes. */
#define DRAFT_BYTES_MAX ((size_t)1 << 30)

struct draft {
	const struct sys *sys;
	char *folder;
	char *path; /* of the file */
	int fd;     /* of the folder, locked: it is being edited */
};

/*
 * Makes one with this text; name is the file's, a plain one. ERR_CANNOT_WRITE where there is no
 * place for it. On success: draft_close().
 */
int draft_open(struct draft *draft, const struct cli *cli, const char *name, struct slice text,
	       struct err *err);

/* What the editor has left in it. */
int draft_read(const struct draft *draft, struct str *text, struct err *err);

/*
 * True if the draft is still there and has to be mentioned. If the editor has removed it, its empty
 * folder is removed, too.
 */
bool draft_stays(const struct draft *draft);

/* Removes it: what was in it is in its place, or is no loss. Best effort. */
void draft_remove(struct draft *draft);

/* Frees the struct; the file stays unless it was removed. */
void draft_close(struct draft *draft);

/* Calls tell with the path of each file that an earlier edit has left, and nobody is editing. */
void draft_each_left(const struct cli *cli, void (*tell)(void *context, const char *path),
		     void *context);

#endif
