/*
 * The ranked search on labelled questions, for recall.c.
 *
 * A query has "relevant": [{"ref", "grade"}] in place of "expect": grade 2 answers the question,
 * grade 1 is about the same thing. recall@k is the share of the answers among the first k of at
 * most k; a query without answers must return nothing.
 */
#ifndef KOTA_TESTS_MATCH_RECALL_SEARCH_H
#define KOTA_TESTS_MATCH_RECALL_SEARCH_H

#include "json/doc.h"

/* Asks all queries and prints the table; also what is not first, of the class that is named. */
void recall_search(const struct json *doc, uint32_t store, uint32_t queries, const char *path,
		   const char *shown_class);

#endif
