/*
 * A usage.jsonl in a fresh directory, and short ways to write and look at it. For the tests of
 * src/store/log/usage.c only; what fails here ends the test by cmocka's assertions.
 */
#ifndef KOTA_TESTS_USAGEFILE_H
#define KOTA_TESTS_USAGEFILE_H

#include "store/log/usage.h"
#include "support/fake_sys.h"
#include "support/tmpdir.h"

#define NOW INT64_C(1795249800000)
#define NOW_TEXT "2026-11-21T08:30:00.000+00:00"
#define NEXT_TEXT "2026-11-21T08:30:01.000+00:00"

#define SINCE_LINE "{\"since\":\"" NOW_TEXT "\"}\n"
#define HIT_LINE(ref) "{\"hit\":\"" ref "\",\"at\":\"" NOW_TEXT "\"}\n"

struct fixture {
	struct tmpdir dir;
	struct disk disk;
	struct usage *usage;
};

/* For cmocka: *state becomes a struct fixture; the clock stands at NOW, TZ is UTC. */
int usagefile_setup(void **state);
int usagefile_teardown(void **state);

/* Reads what changed; fails the test when that is not possible. */
void refresh(struct fixture *f);

/* Writes the whole file and reads it. */
void put_file(struct fixture *f, const char *text);

/* Appends to the file as another process would. */
void append_text(struct fixture *f, const char *text);

/* The file must be this text. */
void assert_file(struct fixture *f, const char *expected);

/* What is known of a ref, or NULL. */
const struct usage_fact *find(struct fixture *f, const char *ref);

/* Its hits, 0 when nothing is known. */
int64_t hits(struct fixture *f, const char *ref);

/* Counts a hit at NOW. */
void hit(struct fixture *f, const char *ref);

#endif
