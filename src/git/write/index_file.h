/*
 * How a recording changes the index of a repository.
 *
 * The index gets the files of the commits, except those that somebody staged with another content.
 * It is written to a new file and renamed into place. Its content is kept in memory until somebody
 * else writes it. A recording that is killed after the index was written and before the branch
 * moved leaves entries that look staged, so they are noted first. For src/git only;
 * .git/index.lock must be held.
 */
#ifndef KOTA_GIT_WRITE_INDEX_FILE_H
#define KOTA_GIT_WRITE_INDEX_FILE_H

#include "git/repo_state.h"

/* What the index says of a path once the branch has moved. */
struct index_change {
	char *path;
	struct object_id *blobs; /* the branch's at the beginning, and all since */
	size_t count;
	size_t cap;
};

struct index_update {
	const struct index_change *changes;
	size_t count;
	const struct object_id *begun; /* the branch when the recording began */
	struct slice left;             /* see index_left() */
	bool doubted;                  /* nothing in it counts as staged */
	bool durable;
};

/* What an interrupted recording left in the index: lines "BLOB PATH". */
struct str index_left(struct repo *repo);

/* Forgets the note: the branch has moved. */
void index_settle(struct repo *repo);

/* Writes the index. ERR_NO_HISTORY on failure; the index is then unchanged. */
int index_replace(struct repo *repo, const struct index_update *update, struct err *err);

/* Frees the copy in memory. */
void index_forget(struct repo *repo);

#endif
