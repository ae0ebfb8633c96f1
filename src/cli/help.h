/*
 * Help: the list of commands, and one page for each, made from the tables.
 */
#ifndef KOTA_CLI_HELP_H
#define KOTA_CLI_HELP_H

#include "cli/args/command.h"

/*
 * Writes the page of a command, or the list of commands where it is absent, to standard output.
 * Returns 0, or -1 with an error to be told.
 */
int help_show(struct run *run, struct slice command, struct err *err);

#endif
