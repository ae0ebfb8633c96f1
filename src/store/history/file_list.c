#include "store/history/file_list.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct recorded_file *file_list_look(const struct file_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].path, name) == 0)
			return &list->items[i];
	}
	return NULL;
}

const struct recorded_file *file_list_find(const struct file_list *list, const char *name)
{
	return file_list_look(list, name);
}

void file_list_set(struct file_list *list, struct arena *arena, const char *name,
		   const struct object_id *blob)
{
	struct recorded_file *file = file_list_look(list, name);

	if (!file) {
		list->items = mem_grow(list->items, &list->cap, list->count + 1,
				       sizeof *list->items);
		file = &list->items[list->count++];
		file->path = arena_copy(arena, slice_of(name)).ptr;
	}
	file->blob = *blob;
}

struct object_id file_list_get(const struct file_list *list, const char *name)
{
	const struct recorded_file *file = file_list_look(list, name);

	return file ? file->blob : (struct object_id){{0}};
}

bool file_list_any_at(const struct file_list *list, struct repo *repo,
		      const struct object_id *commit)
{
	struct object_id blob;
	struct err ignored;

	for (size_t i = 0; i < list->count; i++) {
		if (repo_file_at(repo, commit, list->items[i].path, &blob, &ignored) == 0 &&
		    object_id_equal(&blob, &list->items[i].blob))
			return true;
	}
	return false;
}

void ref_list_release(struct ref_list *list)
{
	free(list->items);
	map_release(&list->known);
	*list = (struct ref_list){0};
}

void ref_list_add(struct ref_list *list, struct arena *arena, struct slice ref)
{
	if (map_get(&list->known, ref, NULL))
		return;
	struct slice copy = arena_copy(arena, ref);
	map_put(&list->known, copy, 0);
	*MEM_ADD(list->items, list->count, list->cap) = copy;
}
