/*
 * Ranked search: which texts are about what a query asks, best first, and none when nothing is.
 *
 *	struct search *index = search_new(items, count);
 *	const struct search_hit *hits;
 *	size_t n = search_find(index, query, NULL, &hits);
 *	search_free(index);
 *
 * Items can be added at any time and taken out again; the index keeps no pointer to them. Results
 * name items by number: their position in the array that the index was built from, or what
 * search_add() said.
 * Words are weighed as BM25 does, over all fields of an item together. A word of the query is found
 * where it stands, else in another form of it (stem.h), else, for a word that no item has, at the
 * beginning of longer words, in words that it may be a misspelling of, or that share most of its
 * letter triples (which is how words of other languages are inflected). Scripts without spaces are
 * found by pairs of characters. Numbers are found as they stand or not at all.
 */
#ifndef KOTA_SEARCH_SEARCH_H
#define KOTA_SEARCH_SEARCH_H

#include "search/search_item.h"
#include "text/synonyms.h"

struct search;

/* Builds an index; release with search_free(). items may be NULL when count is 0. */
struct search *search_new(const struct search_item *items, size_t count);

/* Where the item stands among those of equal relevance: instead of its number. */
void search_place(struct search *index, size_t item, uint64_t place);

/* True if so much of the index is about removed items that it should be rebuilt. */
bool search_is_wasteful(const struct search *index);

/* NULL is ignored. Hits that it returned end with it. */
void search_free(struct search *index);

/*
 * The items that a query is about, by falling relevance, then in their order. synonyms may be NULL.
 * Returns how many; *out is valid until the next call. Never fails: a query that says nothing
 * finds nothing.
 */
size_t search_find(struct search *index, struct slice query, const struct synonyms *synonyms,
		   const struct search_hit **out);

/*
 * True if the first hit is so good, and the second (NULL: none) so much worse, that it answers the
 * query. *confidence says how good it is.
 */
bool search_is_sure(const struct search_hit *first, const struct search_hit *second,
		    double *confidence);

/* The words that the last query was taken to ask for; valid until the next. */
const struct slice *search_words(const struct search *index, size_t *count);

#endif
