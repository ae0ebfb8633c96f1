/*
 * Scoring all items of an index for one query; lookup.c chooses among them.
 */
#ifndef KOTA_LOOKUP_SCORE_INDEX_H
#define KOTA_LOOKUP_SCORE_INDEX_H

#include "lookup/lookup_index.h"

/* Entries this close to the winner are named beside it. */
#define ASK_ALSO_WITHIN 0.02

/*
 * Fills index->scores for all items of the scope (LOOKUP_ANY_SCOPE: all). Both readings of the
 * query are asked, with words split at case changes and without.
 */
void ask_score(struct lookup *index, struct slice query, int scope);

#endif
