/*
 * Running the person's git program.
 *
 * It runs in a git directory of ours, with the objects of a store. The store's own settings and
 * hooks are never read, since whoever made the store may have written them. Its environment says
 * how to reach a remote, and never where to work. It is stopped when its time is up.
 */
#ifndef KOTA_SYNC_GIT_RUN_H
#define KOTA_SYNC_GIT_RUN_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct git_run {
	const char *program; /* its path */
	const char *folder;  /* the git directory */
	const char *objects; /* where objects are and go */
	bool terminal;       /* a person is there to be asked for a password */
	int64_t limit_ms;
};

/*
 * Runs git with these words, ended by NULL. What it says, at most 64 KiB, goes to *said (cleared
 * first), its exit status to *status. ERR_UNREACHABLE if it had to be stopped, ERR_IO if it could
 * not be run.
 */
int git_run(const struct git_run *run, const char *const *words, struct str *said, int *status,
	    struct err *err);

#endif
