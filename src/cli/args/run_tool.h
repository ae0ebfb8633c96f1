/*
 * Running an operation of the table from the shell: arguments, store, tool_run(), the reply shown.
 */
#ifndef KOTA_CLI_ARGS_RUN_TOOL_H
#define KOTA_CLI_ARGS_RUN_TOOL_H

#include "cli/args/command.h"

/* Who the shell is in the history. */
#define CLIENT_NAME "kota"

/*
 * Runs the operation with the arguments, a JSON object as text, and shows its reply. hints are
 * lines that are told after it. Returns the exit status, or -1 with an error to be told.
 */
int operation_call(struct run *run, const struct tool *tool, struct slice text, struct str *hints,
		   struct err *err);

/*
 * Writes a reply, which is a JSON object, as its row in src/cli/render says, or with --json as it
 * is. now_ms is for the age of times in it. Returns the exit status, or -1 with an error.
 */
int operation_show(struct run *run, struct slice reply, int64_t now_ms, struct err *err);

/* Opens the store that --dir or the surroundings name; store_close() it. */
int operation_open_store(const struct run *run, struct store **store, struct err *err);

/* The client's name for the session that this process is part of, or NULL. */
const char *operation_session(const struct run *run);

#endif
