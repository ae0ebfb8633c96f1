/*
 * What store/view/search_all.h keeps from one search to the next. For src/store only.
 *
 * search_all.c reads what can be found and answers, search_all_index.c keeps the index of the ranked search.
 * What can be found is in groups: the entries of a category, the archive, the notes. When a file
 * changes its group alone is looked through again, and of the index only those items change whose
 * text did.
 */
#ifndef KOTA_STORE_VIEW_SEARCH_ALL_INTERNAL_H
#define KOTA_STORE_VIEW_SEARCH_ALL_INTERNAL_H

#include "base/map.h"
#include "search/search.h"
#include "model/category.h"
#include "store/view/notes.h"
#include "store/view/search_all.h"

#define SEEK_ARCHIVE CATEGORY_COUNT
#define SEEK_NOTES (CATEGORY_COUNT + 1)
#define SEEK_GROUPS (CATEGORY_COUNT + 2)

/* By position: that of the entry in its category, of the record or of the note. */
struct seek_group {
	bool listed;         /* the list is of what the files hold now */
	bool indexed;        /* so is the index */
	struct sought *list; /* one without ref was not read yet */
	size_t count;
	uint32_t *numbers; /* in the index; SEEK_NONE for what a search does not show */
	size_t number_count;
};

#define SEEK_NONE UINT32_MAX

/* An item of the index. */
struct seek_known {
	uint64_t digest; /* of all that the index knows of it */
	uint64_t round;  /* of the comparison in which it was last met */
	uint32_t position;
	int group;
};

struct seeker {
	struct notes notes;
	struct arena note_values;
	struct seek_group groups[SEEK_GROUPS];
	struct search *index;     /* NULL until asked for; what follows belongs to it */
	struct map by_ref[2];     /* of entries, of all others -> number in the index */
	struct arena refs;        /* of the maps */
	struct seek_known *known; /* by number */
	size_t known_cap;
	uint64_t round;

	struct sought *all;    /* of the last listing */
	struct sought *ranked; /* of the last search */
	size_t all_cap;
	size_t ranked_cap;
};

/* The file of this group, a category or SEEK_ARCHIVE, is another than before. NULL is none. */
void seeker_stale(struct seeker *seeker, int group);

/* NULL is none. */
void seeker_free(struct seeker *seeker);

/* How many positions a group has. Its list is up to date then. */
size_t seek_count(struct store *store, int group);

/* What stands at a position, with its times and hits as of now; NULL for what a search does not
 * show. */
const struct sought *seek_at(struct store *store, int group, size_t position);

/* Makes the index say what the store does. */
void seek_renew_index(struct store *store);

/* Frees the index. */
void seek_drop_index(struct seeker *seeker);

#endif
