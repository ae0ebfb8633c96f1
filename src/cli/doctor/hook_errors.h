/*
 * What went wrong in a hook, whose standard error nobody reads: one line outside the store, since
 * the store may be what is wrong, for doctor to tell.
 */
#ifndef KOTA_CLI_DOCTOR_HOOK_ERRORS_H
#define KOTA_CLI_DOCTOR_HOOK_ERRORS_H

#include "base/str.h"
#include "cli/term/cli.h"

/* Keeps the sentence with the time and the folder, in the place of an earlier one. Best effort. */
void hook_error_keep(const struct cli *cli, const char *text);

/* Forgets it: the hook works. Best effort. */
void hook_error_clear(const struct cli *cli);

/* Puts the line into *out; false when there is none. */
bool hook_error_read(const struct cli *cli, struct str *out);

#endif
