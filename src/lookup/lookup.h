/*
 * Finding the one memory that a query means, or nothing.
 *
 * struct lookup *index = lookup_new(items, count); struct lookup_answer answer; lookup_find(index,
 * query, LOOKUP_ANY_SCOPE, &answer); lookup_free(index);
 *
 * The index is built once for a set of items and asked many times: texts are normalised and decoded
 * when an item is added, or at the first question that needs them, a query allocates little and
 * looks only at items that can match it. It keeps no pointer to the items. Results name items by
 * number: their position in the array that the index was built from, or what lookup_add() said.
 *
 * The contract (confidence bands, evidence for containment, the gate between 0.6 and 0.8, numbers
 * never approximate, ties) is in docs/internals/recall.md.
 */
#ifndef KOTA_LOOKUP_LOOKUP_H
#define KOTA_LOOKUP_LOOKUP_H

#include "lookup/lookup_item.h"

struct lookup;

/* Builds an index; release with lookup_free(). items may be NULL when count is 0. */
struct lookup *lookup_new(const struct lookup_item *items, size_t count);

/* NULL is ignored. Answers that point into the index end with it. */
void lookup_free(struct lookup *index);

/* True if so much of the index is about removed items that it should be rebuilt. */
bool lookup_is_wasteful(const struct lookup *index);

/* Sets when the item was active, which decides ties only, and whether it is archived. */
void lookup_touch(struct lookup *index, size_t item, int64_t active_ms, bool archived);

/*
 * Answers a query (without a category prefix: the caller turned that into scope). Never fails: a
 * query that says nothing finds nothing. scope LOOKUP_ANY_SCOPE asks all items.
 */
void lookup_find(struct lookup *index, struct slice query, int scope, struct lookup_answer *answer);

/*
 * Answers a query as lookup_find() would, where keys that equal it settle the matter, so that words
 * need not be known; false where they do not. An active item has such a key then, and the query is
 * so short that nothing else comes near.
 */
bool lookup_find_named(struct lookup *index, struct slice query, int scope,
		       struct lookup_answer *answer);

/*
 * Makes an item that was found by other means the answer to a query that lookup_find() has just
 * answered with nothing, unless the query asks for one that its key is only mistaken for.
 */
void lookup_take(struct lookup *index, struct slice query, size_t item, double confidence,
		 struct lookup_answer *answer);

/* The kinds of match as replies name them, by enum lookup_match. */
extern const char *const lookup_match_names[];

#endif
