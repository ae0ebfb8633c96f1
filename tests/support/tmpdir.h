/*
 * A fresh directory for one test, and the files in it.
 *
 *	struct tmpdir dir;
 *	tmpdir_make(&dir);
 *	tmpdir_write(&dir, "a.json", "{}");
 *	... dir.path, dir.fd ...
 *	tmpdir_remove(&dir);
 *
 * For tests only. Uses libc directly and not the table of system calls, so that a test can change
 * files behind the program's back. Nothing here reports failure: it prints what went wrong and
 * aborts, because a test cannot go on without its files.
 */
#ifndef KOTA_TESTS_TMPDIR_H
#define KOTA_TESTS_TMPDIR_H

#include "base/str.h"

#include <limits.h>

struct tmpdir {
	char path[PATH_MAX]; /* absolute, without links */
	int fd;              /* open on the directory, close-on-exec */
};

/* Makes an empty directory of mode 0700 under $TMPDIR or /tmp. */
void tmpdir_make(struct tmpdir *dir);

/* Makes or overwrites a file of mode 0600 with a terminated text; its directory must be there. */
void tmpdir_write(const struct tmpdir *dir, const char *name, const char *text);

/* As tmpdir_write for bytes. */
void tmpdir_write_slice(const struct tmpdir *dir, const char *name, struct slice bytes);

/* What is in a file, terminated; the caller frees it. NULL when there is no such name. */
char *tmpdir_read(const struct tmpdir *dir, const char *name);

/* Is there anything of this name? A link counts, wherever it leads. */
bool tmpdir_has(const struct tmpdir *dir, const char *name);

/* Number of names in the directory. */
size_t tmpdir_count(const struct tmpdir *dir);

/*
 * Makes it the working directory, and returns a descriptor of the one before for
 * tmpdir_leave().
 */
int tmpdir_enter(const struct tmpdir *dir);

/* Goes back, and closes the descriptor. */
void tmpdir_leave(int before);

/* Removes the directory and all that is in it, whatever the modes, and closes fd. */
void tmpdir_remove(struct tmpdir *dir);

/*
 * From here on directories are made where nothing is written to a disk, when there is such a place
 * and nobody named another: for tests of which the many fsyncs take all the time.
 */
void tmpdir_in_memory(void);

#endif
