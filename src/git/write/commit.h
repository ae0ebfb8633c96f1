/*
 * Recording: commits on the branch that HEAD is on.
 *
 *	struct recording *recording;
 *	recording_begin(&recording, repo, &err);        takes .git/index.lock
 *	recording_add(recording, &commit, &id, &err);   as often as wanted, one after the other
 *	recording_finish(recording, &err);              index, then branch, then the lock
 *
 * A commit's tree is that of the commit before it plus the files given, whatever else is staged or
 * lies in the work tree. The index gets the same files, but for those that somebody has staged
 * otherwise; then the branch moves, if nobody else has moved it. So whoever stages and commits
 * meanwhile loses nothing, and a kill in between leaves a repository in which the next recording
 * does it again.
 *
 * Only one process may record at a time: the store's lock must be held. That is how a lock file of
 * ours which a killed process left can be told from one in use; a lock of anybody else is never
 * taken away.
 *
 * src/git/write is all that changes a repository after it was made; src/git opens it and reads it.
 */
#ifndef KOTA_GIT_WRITE_COMMIT_H
#define KOTA_GIT_WRITE_COMMIT_H

#include "base/err.h"
#include "base/sys.h"
#include "git/repo.h"

struct recording;

/* A file as the commit has it: a blob that is in the repository, or none where the file goes. */
struct recorded_file {
	const char *path; /* relative to the store, with slashes */
	struct object_id blob;
};

struct commit_spec {
	const struct recorded_file *files;
	size_t count;
	const char *message;
	const char *author; /* NULL: kota-memory itself, which is the committer always */
	const char *email;  /* of the author */
	int64_t time_ms;
	int offset_min;  /* of the zone, east of UTC */
	bool even_empty; /* a commit is made even if it changes no file */
};

/*
 * ERR_BUSY when another program holds .git/index.lock; else as repo_check(). On success the caller
 * ends it with recording_finish() or recording_abandon().
 */
int recording_begin(struct recording **out, struct repo *repo, struct err *err);

/* The commit that the next one will stand on; none on a branch without one. */
const struct object_id *recording_head(const struct recording *recording);

/*
 * The next commit stands on this one, which need not be the branch's. What is recorded then has to
 * be taken with recording_take(), or is given up with recording_abandon(): objects that nobody
 * refers to.
 */
void recording_stand_on(struct recording *recording, const struct object_id *commit);

/*
 * In the place of new commits: recording_finish() sets the branch to this one. files are those that
 * it has otherwise than the branch; the index gets them.
 */
int recording_take(struct recording *recording, const struct object_id *commit,
		   const struct recorded_file *files, size_t count, struct err *err);

/*
 * After a power cut the index may have what a recording put there of which the branch knows nothing
 * any more: of the files that are recorded now it is not taken for something staged.
 */
void recording_doubt_index(struct recording *recording);

/* Files that are not in the tree and go are left out. A commit that changes nothing is not made;
 * *id is then that of the one before it. */
int recording_add(struct recording *recording, const struct commit_spec *spec, struct object_id *id,
		  struct err *err);

/*
 * Makes it all count and ends the recording, whether it works or not. ERR_BUSY when somebody has
 * moved the branch meanwhile: nothing is recorded then, and all of it can be tried again.
 */
int recording_finish(struct recording *recording, struct err *err);

/* Ends it without a trace but objects that nobody refers to. NULL is allowed. */
void recording_abandon(struct recording *recording);

#endif
