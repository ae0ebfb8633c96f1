/*
 * One thing that is to be in one file of a client: the server, or a hook. It is looked up and the
 * change is made up first, and written only when all that belongs together could be made up.
 *
 * doctor uses it too, and only looks.
 */
#ifndef KOTA_CLI_SETUP_TARGET_H
#define KOTA_CLI_SETUP_TARGET_H

#include "base/file.h"
#include "cli/setup/clients.h"
#include "cli/term/cli.h"

enum setup_state {
	SETUP_NONE,    /* it is not there */
	SETUP_OURS,    /* it is there as it would be put there */
	SETUP_MOVED,   /* it is there and starts a kota of another path */
	SETUP_FOREIGN, /* something else has its name */
};

/*
 * A file that belongs to another program: read as a whole, written as a whole or not at all.
 *
 * A link is followed and stays; a new text is put beside the old one and takes its name, with its
 * mode. What somebody else changed since it was read is not overwritten.
 */
struct config_file {
	const struct sys *sys;
	struct str path; /* where its links lead */
	struct str text;
	struct file_id id; /* present says whether there is a file */
};

struct setup_target {
	const char *what;     /* "server", "hook" or "prompt hook" */
	enum setup_form form; /* of the file */
	bool hook;
	enum setup_hook_form hook_form; /* of a hook; likewise below */
	enum setup_event event;
	struct str path;
	mode_t mode; /* of a new file */
	const char *names[5];
	struct str value;   /* what is to be there */
	struct str project; /* a name on the way there */

	struct config_file file;
	bool is_read;
	enum setup_state state;
	struct str command; /* the program that is started now; empty: not known */
	struct str found;   /* the same with its words */

	struct jsonc_edit edit;
	bool is_planned; /* there is something to write */
};

/* Makes an empty target. Release with setup_target_release(). */
void setup_target_init(struct setup_target *target);
void setup_target_release(struct setup_target *target);

/* Appends where this program is, wherever a client starts it from. */
int setup_self(struct str *out, const struct sys *sys, struct err *err);

/*
 * Says where and what a client's server, or its hook, is to be, and looks at the file. program is
 * this one, absolute. As setup_path() and setup_target_look().
 */
int setup_target_for_server(struct setup_target *target, const struct setup_client *client,
			    enum setup_scope scope, const struct cli *cli, struct slice program,
			    struct err *err);
int setup_target_for_hook(struct setup_target *target, const struct setup_client *client,
			  enum setup_scope scope, const struct cli *cli, struct slice program,
			  struct err *err);
int setup_target_for_prompt(struct setup_target *target, const struct setup_client *client,
			    enum setup_scope scope, const struct cli *cli, struct slice program,
			    struct err *err);

/* Reads the file and fills state, command and found. A broken file is named with line and column.
 */
int setup_target_look(struct setup_target *target, const struct sys *sys, struct slice program,
		      struct err *err);

/* Makes up the change that puts it there, or takes it away. EXISTS when it is not ours. */
int setup_target_plan(struct setup_target *target, bool remove, struct slice program,
		      struct err *err);

/* Writes what was made up. */
int setup_target_write(const struct setup_target *target, struct err *err);

#endif
