/*
 * Reading a history: commits from new to old, and the files that each changed.
 *
 *	struct walk *walk;
 *	walk_open(&walk, repo, NULL, &err);
 *	while (walk_next(walk, &commit, &err) == 1) { ... walk_changes(walk, &err) ... }
 *	walk_close(walk);
 *
 * Of a merge only the first parent is followed, so that each change stands once and after the one
 * that it was made upon. Everything handed out belongs to the walk, until its next step.
 */
#ifndef KOTA_GIT_WALK_H
#define KOTA_GIT_WALK_H

#include "git/repo.h"

struct walk;

struct commit {
	struct object_id id;
	struct object_id parent; /* none: the first one */
	const char *author;
	const char *email;
	const char *message;
	int64_t time_ms;
	int offset_min;
};

struct file_change {
	const char *path;
	struct object_id before; /* none: the file was not there */
	struct object_id after;  /* none: the file is gone */
};

/* From a commit, or from HEAD when it is NULL. A branch without a commit is an empty walk. */
int walk_open(struct walk **out, struct repo *repo, const struct object_id *from, struct err *err);

/* 1 and the next commit, 0 at the end, -1 on failure. */
int walk_next(struct walk *walk, struct commit *out, struct err *err);

/* The commit that comes next; none: the end. */
struct object_id walk_position(const struct walk *walk);

/* Goes on with this one, or ends. */
void walk_seek(struct walk *walk, const struct object_id *next);

/* The files that the commit which walk_next() gave last changed, compared with its parent. */
int walk_changes(struct walk *walk, const struct file_change **out, size_t *count, struct err *err);

/* Reads a file's text to be shown, as repo_blob_read() does, but quickly. */
int walk_blob_read(struct walk *walk, const struct object_id *blob, struct str *out,
		   struct err *err);

void walk_close(struct walk *walk);

#endif
