/*
 * What is searched: the items, the limits of a query, and what a hit is.
 *
 * For the files of src/search; everybody else includes search.h.
 */
#ifndef KOTA_SEARCH_SEARCH_ITEM_H
#define KOTA_SEARCH_SEARCH_ITEM_H

#include "base/str.h"

#include <stdint.h>

/* Longest query that is looked at, in bytes. */
#define SEARCH_QUERY_MAX 1024

/* Most words of a query that are looked for. */
#define SEARCH_WORDS_MAX 64

struct search_item {
	struct slice key;
	struct slice value;  /* JSON text of a value, or plain text */
	struct slice labels; /* tags and entities, as plain text */
	struct slice about;  /* context and source */
};

struct search_hit {
	size_t item;
	double relevance; /* 0 to 1 */
	uint64_t words;   /* a bit for each word of search_words() that was found */
	uint64_t digest; /* equal for items that say the same: values of some length, or with key */
};

#endif
