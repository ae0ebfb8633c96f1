/*
 * Commits made anew, with all that they lead to, in one pack: nothing of it is in the repository
 * before new_objects_finish().
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

/* A file of a commit that gets another text, or goes. */
struct new_file {
	char *path;
	struct object_id blob; /* none: it goes */
};

/* A commit once more: its files but for these, its author and its times. */
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

/* A signature goes: it would not be that of the new commit. */
int new_objects_add_commit(struct new_objects *made, const struct new_commit *commit,
			   struct object_id *out, struct err *err);

/* As repo_file_at(), of the new commits, too. */
int new_objects_file_at(struct new_objects *made, const struct object_id *commit, const char *path,
			struct object_id *out, struct err *err);

/* Makes all of it durable, and puts it in its place. */
int new_objects_finish(struct new_objects *made, struct err *err);

/* NULL is nobody. */
void new_objects_free(struct new_objects *made);

#endif
