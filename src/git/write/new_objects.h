/*
 * New versions of commits with their trees and blobs, in one pack. None of them is in the
 * repository before new_objects_finish().
 *
 *	struct new_objects *made;
 *	new_objects_open(&made, repo, &err);
 *	new_objects_add_commit(made, &plan, &id, &err); ... parents first
 *	new_objects_finish(made, &err);
 *	new_objects_free(made);
 *
 * For rewrite.c, under git's lock of the index.
 */
#ifndef KOTA_GIT_WRITE_NEW_OBJECTS_H
#define KOTA_GIT_WRITE_NEW_OBJECTS_H

#include "git/repo.h"
#include "git/repo_state.h"

struct new_objects;

/* A file of a commit that is replaced or removed. */
struct new_file {
	char *path;
	struct object_id blob; /* none: removed */
};

/* A new version of a commit: its author, its times, and its files except these. */
struct new_commit {
	const git_commit *old;
	const struct new_file *files;
	size_t file_count;
	const struct object_id *parents;
	unsigned parent_count;
	const char *message;
};

int new_objects_open(struct new_objects **out, struct repo *repo, struct err *err);

int new_objects_add_blob(struct new_objects *made, struct slice text, struct object_id *out,
			 struct err *err);

/* Drops a signature, which would not match the new commit. */
int new_objects_add_commit(struct new_objects *made, const struct new_commit *commit,
			   struct object_id *out, struct err *err);

/* As repo_file_at(), for new commits too. */
int new_objects_file_at(struct new_objects *made, const struct object_id *commit, const char *path,
			struct object_id *out, struct err *err);

/* Makes the pack durable and moves it into the repository. */
int new_objects_finish(struct new_objects *made, struct err *err);

/* made may be NULL. */
void new_objects_free(struct new_objects *made);

#endif
