/*
 * A store for fuzz targets, and what they do to it in common.
 *
 * It is in memory (support/memory_sys.h) and records nothing. With the variable FUZZ_HISTORY it is
 * a folder of its own, in $TMPDIR, and records its changes: libgit2 does not go through the table
 * of system calls. The scripts run each target that includes this header both ways.
 */
#ifndef KOTA_TESTS_FUZZ_STORE_H
#define KOTA_TESTS_FUZZ_STORE_H

#include "fuzz/fuzz.h"
#include "store/open/store.h"

/* 2026-11-21T08:30:00.000Z */
#define FUZZ_NOW INT64_C(1795249800000)

/* An empty store, in UTC. */
void fuzz_store_begin(void);

/* Nothing may be open any more, and a history must be readable; forgets the files. */
void fuzz_store_end(void);

/* The table of system calls that the store is reached with, and where it is; until _end(). */
const struct sys *fuzz_store_sys(void);
const char *fuzz_store_path(void);

/* Makes or overwrites a file of the store. */
void fuzz_store_write(const char *name, struct slice bytes);

/* What a file of the store holds now, valid until _end(); absent when it is not there. */
struct slice fuzz_store_read(const char *name);

/*
 * Opens the store, runs a command of the shell with JSON arguments, closes it. Did it work? The
 * reply is appended to *reply (NULL allowed).
 */
bool fuzz_store_run(const char *command, struct slice arguments, struct str *reply);

/*
 * After a change every file of entries must parse, but for the one called `but` (NULL: none), and
 * metadata.json too.
 */
void fuzz_store_check(const char *but);

/* The environment of the store: a history or none, and a home without anything in it. */
const char *fuzz_store_environment(const char *name);

#endif
