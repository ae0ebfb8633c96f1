/*
 * The environment of a command: system calls, variables, streams, and the terminal.
 *
 * This folder is about the terminal: streams, colour, tables, progress. All of src/cli may depend
 * on it; it depends on no other room of src/cli. main.c fills in struct cli and owns what it points
 * to.
 */
#ifndef KOTA_CLI_TERM_CLI_H
#define KOTA_CLI_TERM_CLI_H

#include "base/sys.h"
#include "store/location/location.h"

#include <stdbool.h>
#include <stdio.h>

struct cli;
struct confine;
struct tool;

/*
 * Serves the store at place to a client over in_fd and out_fd until the input ends. If the store
 * cannot be opened, or place has no path, the replies say why. session is the client's name for the
 * session or NULL. main.c passes this in, so that the shell does not depend on the protocol.
 */
typedef int (*server)(const struct cli *cli, const struct place *place,
		      const struct tool *const *tools, const char *session, struct err *err);

/* Tests fill in their own. */
struct cli {
	const struct sys *sys;
	environment env;
	FILE *in;
	FILE *out;
	FILE *err;
	server serve;
	struct confine *confine; /* for serve and the hooks; may be NULL */
	const char *protocols;   /* that serve speaks, for doctor; may be NULL */
	int in_fd;               /* serve reads this and writes out_fd */
	int out_fd;
	bool in_is_terminal;
	bool out_is_terminal;
	bool err_is_terminal;
	const char *terminal; /* for questions that only the person may answer, or NULL */
	int columns;          /* width of the terminal, 80 if unknown */
};

#endif
