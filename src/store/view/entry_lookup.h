/*
 * The one best entry for a query, active or archived.
 *
 * The index is built when something is looked up first; later only those entries change in it that
 * changed in their file.
 */
#ifndef KOTA_STORE_VIEW_ENTRY_LOOKUP_H
#define KOTA_STORE_VIEW_ENTRY_LOOKUP_H

#include "lookup/lookup.h"
#include "store/view/query.h"

/*
 * Asks the lookup index (built when needed) and turns the answer into an entry or a record: exactly
 * one of item and archived is not NULL when lookup.found. The also list is given as refs. Where a
 * superseded entry is what the query is about, the answer is its successor, and answers_for names
 * the superseded one.
 */
struct store_answer {
	struct lookup_answer lookup;
	const struct item *item;
	const struct archived *archived;
	struct slice answers_for; /* absent where the answer is what was asked for */
	struct {
		struct slice ref;
		struct slice asked; /* the words in which it differs, see lookup.h */
		struct slice stored;
	} also[LOOKUP_ALSO_MAX];
	size_t also_count;
};
void store_lookup(struct store *store, struct slice query, int category,
		  struct store_answer *answer);

/*
 * Goes on where store_lookup() has found nothing, or something by less than its key: what is
 * archived under the very name that was asked for answers unless that reached 0.85, and is
 * named beside it else. The cold archive is asked too; where that is large and was never asked
 * before, only if nothing was found. A superseded record stands for who took its place.
 */
void store_lookup_archived(struct store *store, struct slice query, int category,
			   struct store_answer *answer);

struct entry_lookup;

/* The items of this group are others than before; NULL is no index. For snapshot.c. */
void entry_lookup_stale(struct entry_lookup *lookup, int group);

/* The item at this position was active, or became due. For activity.c. */
void entry_lookup_touch(const struct store *store, size_t position);

/* Frees the index; NULL is ignored. For snapshot.c. */
void entry_lookup_free(struct entry_lookup *lookup);

#endif
