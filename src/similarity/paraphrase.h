/*
 * Which of many texts may say the same in other words.
 *
 * A join as for equal sets of words: a pair that statement_compare() may call STATEMENT_SAME, in
 * either order, has most of its words in common, where a word and its other forms, synonyms and
 * opposites count as one. Pairs that have not are never looked at.
 */
#ifndef KOTA_SIMILARITY_PARAPHRASE_H
#define KOTA_SIMILARITY_PARAPHRASE_H

#include "similarity/statement.h"

/* Gets the numbers of two texts, a < b. False ends the search. */
typedef bool (*paraphrase_visit)(void *context, size_t a, size_t b);

/*
 * Visits each pair for which statement_compare() may answer STATEMENT_SAME, and some more, each
 * once. Texts of equal bytes are copies and no paraphrases: they are not paired. Texts that were
 * not read (statement_read()) are left out.
 */
void paraphrase_find(const struct statement *texts, size_t count, paraphrase_visit visit,
		     void *context);

#endif
