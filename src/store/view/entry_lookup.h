/*
 * The one best entry for a query, active or archived.
 */
#ifndef KOTA_STORE_VIEW_ENTRY_LOOKUP_H
#define KOTA_STORE_VIEW_ENTRY_LOOKUP_H

#include "lookup/lookup.h"
#include "store/view/query.h"

/*
 * Asks the lookup index (built when needed) and turns the answer into an entry or a record: exactly
 * one of item and archived is not NULL when lookup.found. The also list is given as refs.
 */
struct store_answer {
	struct lookup_answer lookup;
	const struct item *item;
	const struct archived *archived;
	struct slice also[LOOKUP_ALSO_MAX];
	size_t also_count;
};
void store_lookup(struct store *store, struct slice query, int category,
		  struct store_answer *answer);

#endif
