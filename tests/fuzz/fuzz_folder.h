/*
 * A folder for one input of a fuzz target: real files, real links, and a clock that stands.
 *
 * There is one at a time, because a table of system calls has no place for a context. For tests
 * only.
 */
#ifndef KOTA_TESTS_FUZZ_FOLDER_H
#define KOTA_TESTS_FUZZ_FOLDER_H

#include "base/sys.h"
#include "support/tmpdir.h"

/*
 * Makes the folder: "home", with nothing in it, is the home of the process too. Where nobody named
 * another place it is made where nothing is written to a disk.
 */
void fuzz_folder_begin(int64_t now_ms);

/* Removes the folder and all that is in it. */
void fuzz_folder_end(void);

/* The folder; static storage. */
const struct tmpdir *fuzz_folder(void);

/* How many descriptors the table has opened and not closed. */
size_t fuzz_folder_open_count(void);

/* The real calls, but for the clock, which stands but for sleeping, and fsync, which does nothing.
 */
const struct sys *fuzz_folder_sys(void);

/* Makes or overwrites a file, with the folders that it is in; it is a minute older than the clock.
 */
void fuzz_folder_write(const char *name, struct slice bytes);

#endif
