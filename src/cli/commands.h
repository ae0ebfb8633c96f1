/*
 * The table of the program's own commands.
 */
#ifndef KOTA_CLI_COMMANDS_H
#define KOTA_CLI_COMMANDS_H

#include "cli/args/command.h"

/* The commands in the order in which help lists them, ended by NULL. */
extern const struct command *const commands_all[];

#endif
