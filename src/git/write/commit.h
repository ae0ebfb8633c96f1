/*
 * Recording: commits on the branch that HEAD is on.
 *
 *	struct recording *recording;
 *	recording_begin(&recording, repo, &err);        takes .git/index.lock
 *	recording_add(recording, &commit, &id, &err);   as often as wanted, one after the other
 *	recording_finish(recording, &err);              index, then branch, then the lock
 *
 * A commit's tree is its parent's plus the files given; what else is staged or in the work tree
 * does not matter. The index gets the same files, except those that somebody staged with another
 * content. Then the branch moves, unless somebody else has moved it. Nobody who stages or commits
 * meanwhile loses anything. After a kill, the next recording does the same again.
 *
 * Only one process may record at a time: the store's lock must be held. So a lock file of ours was
 * left by a killed process and may be taken over. A lock file of another program is never removed.
 *
 * src/git/write is all that changes a repository after it was made; src/git opens it and reads it.
 */
#ifndef KOTA_GIT_WRITE_COMMIT_H
#define KOTA_GIT_WRITE_COMMIT_H

#include "base/err.h"
#include "base/sys.h"
#include "git/repo.h"

struct recording;

/* A file as the commit has it: a blob in the repository, or none if the file is removed. */
struct recorded_file {
	const char *path; /* relative to the store, with slashes */
	struct object_id blob;
};

struct commit_spec {
	const struct recorded_file *files;
	size_t count;
	const char *message;
	const char *author; /* NULL: kota-memory, which is always the committer */
	const char *email;  /* of the author */
	int64_t time_ms;
	int offset_min;               /* of the zone, east of UTC */
	bool even_empty;              /* a commit is made even if it changes no file */
	const struct object_id *also; /* a second parent, or NULL */
};

/*
 * ERR_BUSY when another program holds .git/index.lock; else as repo_check(). On success the caller
 * ends it with recording_finish() or recording_abandon().
 */
int recording_begin(struct recording **out, struct repo *repo, struct err *err);

/* The parent of the next commit; none on a branch without commits. */
const struct object_id *recording_head(const struct recording *recording);

/*
 * Makes this commit the parent of the next one; it need not be on the branch. What is made from now
 * on, texts of repo_blob_put() too, is seen by this process only, until recording_keep() makes all
 * of it durable, in one pack. recording_abandon() before that leaves nothing. Take what is recorded
 * with recording_take(), in a recording of its own. ERR_NO_HISTORY.
 */
int recording_stand_on(struct recording *recording, const struct object_id *commit,
		       struct err *err);

int recording_keep(struct recording *recording, struct err *err);

/*
 * Instead of making commits: recording_finish() sets the branch to this one. files are those in
 * which it differs from the branch; they go into the index.
 */
int recording_take(struct recording *recording, const struct object_id *commit,
		   const struct recorded_file *files, size_t count, struct err *err);

/*
 * To be called after a power cut. The index may hold entries of a recording that the branch has
 * lost. For the files recorded now, they do not count as staged by somebody.
 */
void recording_doubt_index(struct recording *recording);

/*
 * Ignores the removal of a file that is not in the tree. Makes no commit if nothing changes; *id is
 * then its parent's.
 */
int recording_add(struct recording *recording, const struct commit_spec *spec, struct object_id *id,
		  struct err *err);

/*
 * Moves the branch to what was recorded, and ends the recording in any case. ERR_BUSY if somebody
 * has moved the branch meanwhile: nothing is recorded then, and the caller may try again.
 */
int recording_finish(struct recording *recording, struct err *err);

/* Ends it and leaves nothing but objects that nothing refers to. recording may be NULL. */
void recording_abandon(struct recording *recording);

#endif
