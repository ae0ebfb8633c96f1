/*
 * The pages docs/reference/tools.md and docs/reference/commands.md, generated from the tables of
 * operations and commands.
 */
#ifndef KOTA_CLI_REFERENCE_H
#define KOTA_CLI_REFERENCE_H

#include "base/str.h"
#include "cli/args/command.h"

/* Appends the page of the tools: those operations that clients are offered. `tools` ends with NULL.
 */
void reference_write_tools(struct str *out, const struct tool *const *tools);

/* Appends the page of what exists in the shell only. Both tables end with NULL. */
void reference_write_commands(struct str *out, const struct tool *const *tools,
			      const struct command *const *commands);

#endif
