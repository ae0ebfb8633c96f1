/*
 * kota setup git: the lines by which git merges a store's files with kota.
 *
 * Which files is said by .gitattributes of the store, which is shared like the files themselves;
 * with which program is said by the configuration of each clone, which git does not share.
 */
#ifndef KOTA_CLI_SETUP_SETUP_GIT_H
#define KOTA_CLI_SETUP_SETUP_GIT_H

#include "cli/args/command.h"

enum setup_git_wish { SETUP_GIT_ADD, SETUP_GIT_REMOVE, SETUP_GIT_CHECK, SETUP_GIT_PRINT };

/*
 * Does it for the store that the run is about and the repository that it lies in; program is this
 * one's path. Returns the exit status, or -1 with an error.
 */
int setup_git(struct run *run, enum setup_git_wish wish, struct slice program, struct err *err);

#endif
