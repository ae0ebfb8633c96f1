/*
 * What a run of the shell works with: system calls, environment, streams, and the terminal they may
 * lead to.
 *
 * This folder is about the terminal: streams, colour, tables, progress. All of src/cli may depend
 * on it; it depends on no other room of src/cli. Who puts the program together fills in struct cli
 * and owns what it points to.
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
 * Serves the store at place to a client over in_fd and out_fd until the input ends, also when the
 * store cannot be opened, or place has no path because there is none: then the replies say
 * why. session is the client's name for it or NULL.
 * The protocol is none of the shell's business: who puts the program together passes this in.
 */
typedef int (*server)(const struct cli *cli, const struct place *place,
		      const struct tool *const *tools, const char *session, struct err *err);

/* What a command has to work with; tests put their own in. */
struct cli {
	const struct sys *sys;
	environment env;
	FILE *in;
	FILE *out;
	FILE *err;
	server serve;
	struct confine *confine; /* for serve and the hooks; NULL: they are not confined */
	const char *protocols;   /* that serve speaks, for doctor; NULL: not known */
	int in_fd;               /* serve reads this and writes out_fd */
	int out_fd;
	bool in_is_terminal;
	bool out_is_terminal;
	bool err_is_terminal;
	const char *
		terminal; /* where the person is asked what nobody else may answer; NULL: nowhere */
	int columns;      /* width of the terminal, 80 when unknown */
};

#endif
