/*
 * Ids of objects. A list is the caller's, to be released.
 */
#ifndef KOTA_GIT_ID_LIST_H
#define KOTA_GIT_ID_LIST_H

#include "git/libgit2.h"

struct id_list {
	struct object_id *items;
	size_t count;
	size_t cap;
};

void id_list_add(struct id_list *list, const struct object_id *id);

/* Puts them in order, for id_list_has(). */
void id_list_sort(struct id_list *list);
bool id_list_has(const struct id_list *list, const struct object_id *id);

void id_list_release(struct id_list *list);

/* Released at the end of the scope: `ID_LIST_AUTO list = {0};` */
#define ID_LIST_AUTO __attribute__((cleanup(id_list_release))) struct id_list

#endif
