/*
 * A store in memory for fuzz targets: support/memory_sys.h with what they do to it in common.
 */
#ifndef KOTA_TESTS_FUZZ_STORE_H
#define KOTA_TESTS_FUZZ_STORE_H

#include "fuzz/fuzz.h"
#include "store/store.h"
#include "support/memory_sys.h"

#define FUZZ_STORE "/store"

/* 2026-11-21T08:30:00.000Z */
#define FUZZ_NOW INT64_C(1795249800000)

/* An empty store on an empty disk, in UTC. */
void fuzz_store_begin(void);

/* Nothing may be open any more; forgets the files. */
void fuzz_store_end(void);

/* Makes or overwrites a file of the store. */
void fuzz_store_write(const char *name, struct slice bytes);

/* What a file of the store holds, valid until it changes; absent when it is not there. */
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

/* An environment that only switches the history off. */
const char *fuzz_store_environment(const char *name);

#endif
