/*
 * Finding a program in PATH, and running a client's own, which registers servers itself.
 */
#ifndef KOTA_CLI_SETUP_PROGRAM_H
#define KOTA_CLI_SETUP_PROGRAM_H

#include "base/str.h"
#include "cli/term/cli.h"

/* Appends the path of a program that PATH leads to; false when there is none. */
bool setup_program_find(struct str *out, const struct cli *cli, const char *name);

/*
 * Runs it with these words (the first is its name, NULL ends them), its input empty, and waits for
 * its end. What it wrote is appended to *said. IO when it cannot be run or ends with another status
 * than 0; the sentence repeats what it said.
 */
int setup_program_run(struct str *said, const char *path, char *const words[], struct err *err);

#endif
