/*
 * The remote of a store: one branch of one repository that the person has named.
 *
 * Fetched objects go to those of the store. Only the id of the remote's branch is kept. The URL is
 * never read from the store.
 */
#ifndef KOTA_SYNC_REMOTE_H
#define KOTA_SYNC_REMOTE_H

#include "git/libgit2.h"
#include "sync/git_run.h"

struct remote {
	const struct sys *sys;
	struct git_run git; /* folder and objects point into the strings below */
	struct str folder;
	struct str objects;
	const char *url;
	const char *branch;
};

/*
 * Checks that git may be given this URL: a path, ssh or https, and not an option. ERR_BAD_VALUE if
 * not. A path becomes absolute in *out (cleared first).
 */
int remote_check_url(const struct sys *sys, const char *url, struct str *out, struct err *err);

/* True if git accepts it as the name of a branch. */
bool remote_branch_is_plain(const char *branch);

/*
 * Makes the git directory for the transport at `folder` if it is missing. *remote must have sys,
 * url, branch and the program; the store's repository folder ends in a slash.
 */
int remote_open(struct remote *remote, const char *folder, const char *repository, struct err *err);

void remote_close(struct remote *remote);

/*
 * Fetches the branch; *out is its commit, or none if the remote has no such branch. The history of
 * the commit `have` is not fetched again.
 */
int remote_fetch(struct remote *remote, const struct object_id *have, struct object_id *out,
		 struct err *err);

enum pushed {
	PUSHED,
	PUSH_LATE /* somebody else was faster */
};

/*
 * Moves the branch to the commit, if that is forward. With `instead` it moves anyway, as long as
 * the branch is at that commit.
 */
int remote_push(struct remote *remote, const struct object_id *commit,
		const struct object_id *instead, enum pushed *out, struct err *err);

#endif
