/*
 * Which items of an index a query can have anything to do with: all others need no look.
 *
 * Nothing is lost by this: who is passed over here would get no score. What is looked up is words
 * (through the vocabulary and the places where they stand), and the letters of whole keys.
 */
#ifndef KOTA_LOOKUP_CANDIDATES_H
#define KOTA_LOOKUP_CANDIDATES_H

#include "lookup/lookup_index.h"

/* Puts the item on the list of this query's scores, with an empty one when it is new there. */
void candidates_list(struct lookup *index, uint32_t item);

/* Makes it a candidate of this reading, for no other reason than that words were found in it. */
void candidates_touch(struct lookup *index, uint32_t item);

/* Has the item been touched for this reading? */
static inline bool candidates_has(const struct lookup *index, uint32_t item)
{
	return index->looked[item].question == index->question;
}

/* Adds the items that are alike to the query as a whole, or may contain it or the reverse. */
void candidates_find(struct lookup *index, const struct query *query, int scope);

#endif
