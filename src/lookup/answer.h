/*
 * Which of the scored items answers a query, which are refused although they are alike, and which
 * are named beside the answer. Between lookup.c, which scores, and difference.c.
 */
#ifndef KOTA_LOOKUP_ANSWER_H
#define KOTA_LOOKUP_ANSWER_H

#include "lookup/difference.h"

/* Entries this close to the winner are named beside it. */
#define ANSWER_ALSO_WITHIN 0.02

/*
 * True if the item cannot answer, because its key only looks like what was asked for. Remembers the
 * refusal.
 */
bool answer_refuses(struct lookup *index, struct difference_query *query, uint32_t item,
		    double confidence);

/* Fills the answer from the scores: the best item, or none, and who is named beside it. */
void answer_choose(struct lookup *index, struct difference_query *query,
		   struct lookup_answer *answer);

/* Names the items close to the answer, or those nearest to the query when there is none. */
void answer_name_others(struct lookup *index, struct difference_query *query,
			struct lookup_answer *answer);

#endif
