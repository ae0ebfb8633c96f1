/*
 * The notes that a client keeps by itself: one folder of Markdown files a project.
 */
#ifndef KOTA_CLI_SETUP_OWN_MEMORY_H
#define KOTA_CLI_SETUP_OWN_MEMORY_H

#include "cli/args/command.h"
#include "cli/setup/target.h"

/*
 * Imports Claude Code's notes into the store: those of all projects or, in another scope than the
 * person's, of this one. Shows first what that does, and asks unless `yes` is set. `settings` is
 * the planned change that turns the client's own memory off, of which the question tells; it is
 * not written here. The notes stay where they are. Returns 0, an exit status, or -1 with an error,
 * also when the person says no.
 */
int setup_take_own_memory(struct run *run, enum setup_scope scope, bool yes,
			  const struct setup_target *settings, struct err *err);

#endif
