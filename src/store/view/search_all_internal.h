/*
 * What store/view/search_all.h keeps from one search to the next. For src/store only.
 */
#ifndef KOTA_STORE_VIEW_SEARCH_ALL_INTERNAL_H
#define KOTA_STORE_VIEW_SEARCH_ALL_INTERNAL_H

#include "search/search.h"
#include "store/items/notes.h"
#include "store/view/index_sync.h"
#include "store/view/search_all.h"

struct search_all {
	struct notes notes;
	struct search *index; /* NULL until asked for; sync belongs to it */
	struct index_sync sync;
	struct sought *list; /* of the last search or listing */
	size_t list_cap;
};

/* The items of this group are others than before; NULL is no search. For snapshot.c. */
void search_all_stale(struct search_all *all, int group);

/* Frees everything; NULL is ignored. For snapshot.c. */
void search_all_free(struct search_all *all);

#endif
