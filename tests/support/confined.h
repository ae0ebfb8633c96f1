/*
 * A store, a home and somebody else's file, and children that confine themselves to the store.
 *
 * For tests only. What is given up does not come back, so all of it happens in children: there
 * NEED() takes the place of cmocka's assertions. One at a time: the environment and the table of
 * system calls have no place for a context.
 */
#ifndef KOTA_TESTS_CONFINED_H
#define KOTA_TESTS_CONFINED_H

#include "store/files/confine.h"
#include "store/files/dir.h"
#include "support/tmpdir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The person's own place; beside it are `home`, and `other` in which is secret.json. */
#define CONFINED_STORE "data/kota_memory"
#define CONFINED_SECRET "{\"token\": \"confidential\"}\n"

struct confined {
	struct tmpdir dir;
	char home[PATH_MAX + 16];
	char data[PATH_MAX + 16];
	struct sys table;       /* the real one, but for the calls of landlock */
	int abi;                /* the version that it tells of; at first the kernel's */
	unsigned calls;         /* of landlock that can fail, so far */
	unsigned fail_at;       /* which of them does; 0: none */
	struct confine confine; /* of the child; in force after confined_start() */
	struct disk disk;       /* likewise: the open store */
};

extern struct confined confined;

/* Is there landlock? Says so when there is none: then main() ends with CONFINED_SKIPPED. */
bool confined_possible(void);
#define CONFINED_SKIPPED 77

/* cmocka's set-up and tear-down. */
int confined_set_up(void **state);
int confined_tear_down(void **state);

/* HOME, XDG_DATA_HOME, and no history. */
const char *confined_env(const char *name);

/* The path of something in the directory; static storage, until the fourth call from here. */
const char *confined_path(const char *name);

/* Runs the body in a child, which may confine itself; the test fails when the child does. */
void confined_child(void (*body)(void));

/* The same; when the child calls confined_ask() the parent does something meanwhile. */
void confined_child_and(void (*body)(void), void (*meanwhile)(void));
void confined_ask(void);

/* In the child: opens the store and confines it; and requires that this has been done. */
int confined_open(struct err *err);
void confined_start(void);

/* Where the store is; the path has static storage. */
struct place confined_place(void);

/* Can it be opened with these flags? And is it landlock that keeps it closed? */
bool confined_opens(const char *name, int flags);
bool confined_closed(const char *name, int flags);

/* In the child: says which expectation was not met, and ends it. */
#define NEED(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition,        \
				strerror(errno));                                                  \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

#endif
