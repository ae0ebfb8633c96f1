/*
 * Files of the store with their blobs: those of the branch, or of a commit under construction; and
 * the refs that a commit is about.
 *
 * For recorder.c and history.c. The caller frees the items of a list of files; names live in the
 * arena. Zeroes are an empty list.
 */
#ifndef KOTA_STORE_HISTORY_FILE_LIST_H
#define KOTA_STORE_HISTORY_FILE_LIST_H

#include "base/arena.h"
#include "base/map.h"
#include "git/write/commit.h"

struct file_list {
	struct recorded_file *items;
	size_t count;
	size_t cap;
};

/* Refs, each once; their texts live in the arena. Release with ref_list_release(). */
struct ref_list {
	struct slice *items;
	size_t count;
	size_t cap;
	struct map known;
};

/* Frees the items and leaves an empty list. */
void ref_list_release(struct ref_list *list);

/* Released at the end of the scope: `REF_LIST_AUTO refs = {0};` */
#define REF_LIST_AUTO __attribute__((cleanup(ref_list_release))) struct ref_list

/* Adds a copy of the ref, once. */
void ref_list_add(struct ref_list *list, struct arena *arena, struct slice ref);

/* NULL where the list has no such file; valid until the list grows. */
const struct recorded_file *file_list_find(const struct file_list *list, const char *name);

/* Sets the file's blob; none removes it. The name is copied. */
void file_list_set(struct file_list *list, struct arena *arena, const char *name,
		   const struct object_id *blob);

/* True if any of the files has the blob that the commit has of it. */
bool file_list_any_at(const struct file_list *list, struct repo *repo,
		      const struct object_id *commit);

/* None where the list has no such file. */
struct object_id file_list_get(const struct file_list *list, const char *name);

#endif
