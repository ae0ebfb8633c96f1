/*
 * A table of system calls over files that are held in memory.
 *
 *	memory_sys_reset(NOW);                       no files but the root, clock set
 *	memory_sys_write("/store/state.json", text); folders are made as needed
 *	... the code under test, with memory_sys() and the store "/store" ...
 *	text = memory_sys_read("/store/state.json");
 *	memory_sys_reset(NOW);
 *
 * For tests only: a store is opened and changed in it some hundred times faster than on a disk, and
 * nothing is left behind. There is one state for the whole program, because the table has no place
 * for a context. Folders, regular files and exchange of names are there; links are not, and the
 * lock and a lease are always to be had. More files than there is room for end the test.
 */
#ifndef KOTA_TESTS_MEMORY_SYS_H
#define KOTA_TESTS_MEMORY_SYS_H

#include "base/str.h"
#include "base/sys.h"

/* The table; static storage. */
const struct sys *memory_sys(void);

/* Forgets all files, and sets the clock; it moves by sleep_ms alone. */
void memory_sys_reset(int64_t now_ms);

/* Makes or overwrites a file; the path is absolute. */
void memory_sys_write(const char *path, struct slice bytes);

/* What is in a file, valid until it changes; absent when there is no such file. */
struct slice memory_sys_read(const char *path);

/* How many descriptors are open: 0 after everything was closed. */
size_t memory_sys_open_count(void);

#endif
