/*
 * The index of a repository as a recording changes it.
 *
 * It gets the files of the commits, but for those that somebody has staged otherwise, by a new file
 * that is renamed into its place. What it has is kept in memory as long as nobody else has written
 * it. A recording that is killed between the new index and the branch leaves texts in the index
 * that look as if somebody had staged them, so they are noted before. For src/git only; .git/
 * index.lock must be held.
 */
#ifndef KOTA_GIT_WRITE_INDEX_FILE_H
#define KOTA_GIT_WRITE_INDEX_FILE_H

#include "git/repo_state.h"

/* What the index is to say of a path when the recording counts. */
struct index_change {
	char *path;
	struct object_id *blobs; /* what the branch had when the recording began, and all since */
	size_t count;
	size_t cap;
};

struct index_update {
	const struct index_change *changes;
	size_t count;
	const struct object_id *begun; /* the branch when the recording began */
	struct slice left;             /* see index_left() */
	bool doubted;                  /* nothing in it is taken for something staged */
	bool durable;
};

/* What a recording that was cut off has put into the index: "BLOB PATH", one a line. */
struct str index_left(const struct repo *repo);

/* The recording counts: nothing is left in the index any more. */
void index_settle(const struct repo *repo);

/* ERR_NO_HISTORY, and the index as it was. */
int index_replace(struct repo *repo, const struct index_update *update, struct err *err);

/* What is kept in memory goes. */
void index_forget(struct repo *repo);

#endif
