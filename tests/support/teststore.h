/*
 * A store in a fresh directory under the fake table of system calls, and short ways to use it.
 * For tests only; what fails here ends the test by cmocka's assertions.
 */
#ifndef KOTA_TESTS_TESTSTORE_H
#define KOTA_TESTS_TESTSTORE_H

#include "store/txn/change.h"
#include "support/fake_sys.h"
#include "support/surroundings.h"
#include "support/tmpdir.h"

/* 2026-11-21T08:30:00.000Z */
#define TESTSTORE_NOW INT64_C(1795249800000)

struct teststore {
	struct tmpdir dir;
	struct store *store;
	environment env;
};

/* Makes the directory, sets the clock to TESTSTORE_NOW and opens the store, without history. */
void teststore_open(struct teststore *t);

/* The same with these environment variables. */
void teststore_open_in(struct teststore *t, environment env);

/* Makes a folder a store, so that a test may put other things into it. */
void teststore_mark(const struct tmpdir *dir);

/* Closes the store and opens it again, as another process would. */
void teststore_reopen(struct teststore *t);

void teststore_close(struct teststore *t);

/* Refreshes the store's view at the fake clock's time. */
void teststore_refresh(struct teststore *t);

/*
 * Stores a value (JSON text) as memory_set would, at the fake clock's time. Returns the error code,
 * ERR_NONE when it worked; *evicted (NULL allowed) is the number of evicted entries.
 */
enum err_code teststore_set(struct teststore *t, enum category category, const char *key,
			    const char *value, size_t *evicted);

/* As teststore_set, pinned. */
enum err_code teststore_pin(struct teststore *t, enum category category, const char *key,
			    const char *value);

/* Archives an active entry; the error code. */
enum err_code teststore_archive(struct teststore *t, enum category category, const char *key,
				enum reason reason);

/* The value's JSON text of an entry after a refresh, or NULL; the caller frees it. */
char *teststore_value(struct teststore *t, enum category category, const char *key);

/* Number of records with this original key in archive.json, or with cold in all of the archive. */
size_t teststore_archived(struct teststore *t, const char *key, bool cold);

#endif
