/*
 * The shell command: `kota COMMAND ...`.
 *
 * Commands that work on memories come from the table of operations (src/tools); the few that are
 * about the program itself (serve, init, doctor, help, version) stand in the table of commands.c.
 */
#ifndef KOTA_CLI_RUN_H
#define KOTA_CLI_RUN_H

#include "cli/term/cli.h"

/*
 * Runs the program. Returns the exit status: 0, 1 nothing found, 2 usage, 65 bad data, 73 and 74
 * input/output, 75 busy.
 */
int cli_main(struct cli *cli, int argc, char **argv);

/* The same with this table of operations, ended by NULL. Tests put their own in. */
int run_program(struct cli *cli, const struct tool *const *tools, int argc, char **argv);

#endif
