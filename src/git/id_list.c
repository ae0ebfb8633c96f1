#include "git/id_list.h"

#include "base/mem.h"

#include <stdlib.h>

void id_list_add(struct id_list *list, const struct object_id *id)
{
	list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
	list->items[list->count++] = *id;
}

static int id_list_compare(const void *a, const void *b)
{
	return memcmp(a, b, OBJECT_ID_BYTES);
}

bool id_list_has(const struct id_list *list, const struct object_id *id)
{
	return list->count > 0 &&
	       bsearch(id, list->items, list->count, sizeof *list->items, id_list_compare);
}

void id_list_release(struct id_list *list)
{
	free(list->items);
	*list = (struct id_list){0};
}

void id_list_sort(struct id_list *list)
{
	if (list->count > 0)
		qsort(list->items, list->count, sizeof *list->items, id_list_compare);
}
