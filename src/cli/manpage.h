/*
 * The manual page (docs/kota.1), made from the tables.
 */
#ifndef KOTA_CLI_MANPAGE_H
#define KOTA_CLI_MANPAGE_H

#include "base/str.h"
#include "cli/args/command.h"

/* Appends the page in the man(7) macros of roff; both tables are ended by NULL. */
void manpage_write(struct str *out, const struct tool *const *tools,
		   const struct command *const *commands);

#endif
