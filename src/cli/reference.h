/*
 * The reference page (docs/TOOLS.md), made from the tables. For this folder only.
 */
#ifndef KOTA_CLI_REFERENCE_H
#define KOTA_CLI_REFERENCE_H

#include "base/str.h"
#include "cli/command.h"

/* Appends the page in Markdown; both tables are ended by NULL. */
void reference_write(struct str *out, const struct tool *const *tools,
		     const struct command *const *commands);

#endif
