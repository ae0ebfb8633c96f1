/*
 * kota setup git: configures git to merge a store's files with kota.
 *
 * .gitattributes in the store names the files, and is shared with them. The configuration of each
 * clone names the program, and git does not share it.
 */
#ifndef KOTA_CLI_SETUP_SETUP_GIT_H
#define KOTA_CLI_SETUP_SETUP_GIT_H

#include "cli/args/command.h"

enum setup_git_wish { SETUP_GIT_ADD, SETUP_GIT_REMOVE, SETUP_GIT_CHECK, SETUP_GIT_PRINT };

/*
 * Does so for the store of the run and the repository around it; program is the path of this
 * program. Returns the exit status, or -1 with an error.
 */
int setup_git(struct run *run, enum setup_git_wish wish, struct slice program, struct err *err);

#endif
