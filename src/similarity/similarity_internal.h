/*
 * What the files of the similarity share: the words of the texts as numbers, and the search for
 * those that are near.
 */
#ifndef KOTA_SIMILARITY_SIMILARITY_INTERNAL_H
#define KOTA_SIMILARITY_SIMILARITY_INTERNAL_H

#include "similarity/similarity.h"

/*
 * A text as the ranks of its words, ascending, each once. Rare words have low ranks, so that the
 * first ones say most.
 */
struct similar_doc {
	uint32_t *ranks;
	uint32_t *counts; /* how often each occurs in the text */
	uint32_t len;
	uint32_t total; /* words with repetitions */
};

struct similar {
	struct arena arena;
	const struct progress *progress; /* of who waits; NULL is nobody */
	struct similar_doc *docs;
	size_t count;
	uint32_t *texts_with; /* by rank: in how many texts the word is */
	uint32_t words;
};

#endif
