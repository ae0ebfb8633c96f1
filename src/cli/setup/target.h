/*
 * One entry in one file of a client: the server, a hook, or a setting. The change is planned first,
 * and written only when all changes that belong together could be planned.
 *
 * doctor uses it too, and only looks.
 */
#ifndef KOTA_CLI_SETUP_TARGET_H
#define KOTA_CLI_SETUP_TARGET_H

#include "base/file.h"
#include "cli/setup/clients.h"
#include "cli/term/cli.h"

enum setup_state {
	SETUP_NONE,    /* absent */
	SETUP_OURS,    /* present, as setup would write it */
	SETUP_MOVED,   /* present, with another path of kota, or a setting with another value */
	SETUP_FOREIGN, /* something else has its name */
};

/*
 * A file that belongs to another program: read as a whole, written as a whole or not at all.
 *
 * A link is followed and stays. The new text is written beside the file and renamed, with its mode.
 * A file that somebody changed since it was read is not overwritten.
 */
struct config_file {
	const struct sys *sys;
	struct str path; /* with links followed */
	struct str text;
	struct file_id id; /* .present: does the file exist? */
};

struct setup_target {
	const char *what;     /* "server", "hook", "end hook", "prompt hook" or "own memory" */
	enum setup_form form; /* of the file */
	bool hook;
	bool setting;                   /* that is to be false */
	enum setup_hook_form hook_form; /* of a hook; likewise below */
	enum setup_event event;
	struct str path;
	mode_t mode; /* of a new file */
	const char *names[5];
	struct str value;   /* the entry to write */
	struct str project; /* the project's folder, if it is a name on the path */

	struct config_file file;
	bool is_read;
	enum setup_state state;
	struct str command; /* the program in the file now; empty: unknown */
	struct str found;   /* the same with its arguments */

	struct jsonc_edit edit;
	bool is_planned; /* there is something to write */
};

/* Makes an empty target. Release with setup_target_release(). */
void setup_target_init(struct setup_target *target);
void setup_target_release(struct setup_target *target);

/* Appends the folder that a client knows the project by: the repository's or, outside, this one. */
int setup_find_project(struct str *out, const struct sys *sys, struct err *err);

/* Appends the absolute path of this program. */
int setup_self(struct str *out, const struct sys *sys, struct err *err);

/*
 * What is put into files of a client, in this order: its server, the hooks in the order of enum
 * setup_event, and the setting that turns its own memory off.
 */
enum setup_part {
	TARGET_SERVER,
	TARGET_HOOK,
	TARGET_END,
	TARGET_PROMPT,
	TARGET_MEMORY,
	TARGET_COUNT
};

/*
 * Sets the file and the entry for a part, and reads the file. program is the absolute path of this
 * program. Errors as of setup_path() and setup_target_look().
 */
int setup_target_for(struct setup_target *target, enum setup_part part,
		     const struct setup_client *client, enum setup_scope scope,
		     const struct cli *cli, struct slice program, struct err *err);

/* Reads the file and fills state, command and found. A broken file is named with line and column.
 */
int setup_target_look(struct setup_target *target, const struct sys *sys, struct slice program,
		      struct err *err);

/* Plans to add or to remove the entry. ERR_EXISTS if the entry is not ours. */
int setup_target_plan(struct setup_target *target, bool remove, struct slice program,
		      struct err *err);

/* Writes the planned change. */
int setup_target_write(const struct setup_target *target, struct err *err);

#endif
