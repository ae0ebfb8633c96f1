/*
 * What is searched: the items and how they come into the index, the limits of a query, and what a
 * hit is.
 *
 * For the files of src/search; everybody else includes search.h.
 */
#ifndef KOTA_SEARCH_SEARCH_ITEM_H
#define KOTA_SEARCH_SEARCH_ITEM_H

#include "json/doc.h"

#include <stdint.h>

/* Longest query that is looked at, in bytes. */
#define SEARCH_QUERY_MAX 1024

/* Most words of a query that are looked for. */
#define SEARCH_WORDS_MAX 64

struct search;

/*
 * Where the first result holds less than this share of what was asked for, by weight, nothing is
 * about it. Results behind it may hold less: they are its further words.
 */
#define SEARCH_FLOOR 0.15

/*
 * Where the first result holds all that keywords ask for, a result that holds less than this share
 * of it is not about it: it merely has one of the words.
 */
#define SEARCH_CLOSE 0.5

struct search_item {
	struct slice key;
	struct slice value;     /* JSON text of a value, or plain text */
	const struct json *doc; /* instead of value: where it stands parsed */
	uint32_t node;
	struct slice text;   /* instead of both: plain text */
	struct slice labels; /* tags and entities, as plain text */
	struct slice about;  /* context and source */
};

struct search_hit {
	size_t item;
	double relevance; /* 0 to 1 */
	double coverage;  /* share of the query that was found, by weight */
	bool numbers;     /* each word of the query with a digit was found */
	bool whole;       /* it holds all of a query that is no sentence, but keywords */
	uint64_t words;   /* a bit for each word of search_words() that was found */
	uint64_t digest; /* equal for items that say the same: values of some length, or with key */
};

/* Adds an item and returns its number. Costs what the item costs, whatever else is in the index. */
size_t search_add(struct search *index, const struct search_item *item);

/* Takes an item out of the index; its number is not given again. */
void search_remove(struct search *index, size_t item);

#endif
