/*
 * Which terms of the index a word of a query means.
 */
#ifndef KOTA_SEARCH_QUERY_TERMS_H
#define KOTA_SEARCH_QUERY_TERMS_H

#include "search/search_index.h"

/*
 * Appends the terms that a word means; approximate forms only when approximate is true and there
 * are no others.
 */
void search_terms_find(struct search *index, const uint32_t *chars, uint32_t len, double factor,
		       bool approximate, struct search_matches *out);

/* Appends the terms that are other words for the same, by the list of data/words. */
void search_terms_find_same(struct search *index, const uint32_t *chars, uint32_t len,
			    double factor, struct search_matches *out);

#endif
