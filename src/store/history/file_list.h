/*
 * Files of the store and the blobs that they have: in the branch, or in a commit that is to be
 * made.
 *
 * For recorder.c. The caller frees items; names live in the arena. Zeroes are an empty list.
 */
#ifndef KOTA_STORE_HISTORY_FILE_LIST_H
#define KOTA_STORE_HISTORY_FILE_LIST_H

#include "base/arena.h"
#include "git/write/commit.h"

struct file_list {
	struct recorded_file *items;
	size_t count;
	size_t cap;
};

/* NULL where the list has no such file; valid until the list grows. */
const struct recorded_file *file_list_find(const struct file_list *list, const char *name);

/* Gives the file a blob, none where it goes. The name is copied. */
void file_list_set(struct file_list *list, struct arena *arena, const char *name,
		   const struct object_id *blob);

/* None where the list has no such file. */
struct object_id file_list_get(const struct file_list *list, const char *name);

#endif
