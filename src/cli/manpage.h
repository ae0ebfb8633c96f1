/*
 * The manual page (docs/kota.1), made from the tables. For this folder only.
 */
#ifndef KOTA_CLI_MANPAGE_H
#define KOTA_CLI_MANPAGE_H

#include "base/str.h"
#include "cli/command.h"

/* Appends the page in the man(7) macros of roff; both tables are ended by NULL. */
void manpage_write(struct str *out, const struct tool *const *tools,
		   const struct command *const *commands);

#endif
