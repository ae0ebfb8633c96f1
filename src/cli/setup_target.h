/*
 * One thing that is to be in one file of a client: the server, or a hook. It is looked up and the
 * change is made up first, and written only when all that belongs together could be made up.
 *
 * For src/cli/setup*.c only.
 */
#ifndef KOTA_CLI_SETUP_TARGET_H
#define KOTA_CLI_SETUP_TARGET_H

#include "cli/config_file.h"
#include "cli/setup_clients.h"

enum setup_state {
	SETUP_NONE,    /* it is not there */
	SETUP_OURS,    /* it is there as it would be put there */
	SETUP_MOVED,   /* it is there and starts a kota of another path */
	SETUP_FOREIGN, /* something else has its name */
};

struct setup_target {
	const char *what;     /* "server" or "hook" */
	enum setup_form form; /* of the file */
	bool hook;
	struct str path;
	mode_t mode; /* of a new file */
	const char *names[5];
	struct str value;   /* what is to be there */
	struct str project; /* a name on the way there */

	struct config_file file;
	bool is_read;
	enum setup_state state;
	struct str found; /* what is started now */

	struct jsonc_edit edit;
	bool is_planned; /* there is something to write */
};

/* Makes an empty target. Release with setup_target_release(). */
void setup_target_init(struct setup_target *target);
void setup_target_release(struct setup_target *target);

/* Reads the file and fills state and found. A broken file is named with line and column. */
int setup_target_look(struct setup_target *target, const struct sys *sys, struct slice program,
		      struct err *err);

/* Makes up the change that puts it there, or takes it away. EXISTS when it is not ours. */
int setup_target_plan(struct setup_target *target, bool remove, struct slice program,
		      struct err *err);

/* Writes what was made up. */
int setup_target_write(const struct setup_target *target, struct err *err);

#endif
