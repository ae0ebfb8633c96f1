/*
 * What is looked up: the items and how they come into the index, the limits of a query, the kinds
 * of match, and what an answer is.
 *
 * For the files of src/lookup; everybody else includes lookup.h.
 */
#ifndef KOTA_LOOKUP_LOOKUP_ITEM_H
#define KOTA_LOOKUP_LOOKUP_ITEM_H

#include "json/doc.h"

#include <stdint.h>

/* Below this confidence there is no answer. */
#define LOOKUP_FLOOR 0.6

/* Longest query that is looked at, in bytes; a longer one is the caller's error to report. */
#define LOOKUP_QUERY_MAX 1024

#define LOOKUP_ANY_SCOPE (-1)

enum lookup_match {
	LOOKUP_EXACT,
	LOOKUP_CONTAINED,
	LOOKUP_FUZZY,
	LOOKUP_WORDS,
	LOOKUP_VALUE,
	LOOKUP_APPROXIMATE
};

struct lookup;

struct lookup_item {
	int scope;              /* group that a question may be limited to (the category) */
	struct slice key;       /* as the person wrote it */
	struct slice value;     /* JSON text; only its strings, names and numbers count */
	const struct json *doc; /* value, parsed; NULL: the index parses it */
	uint32_t node;
	const struct slice
		*former; /* keys that it had before; an item that has one now goes first */
	size_t former_count;
	struct slice ref;  /* last tie-break: byte order */
	int64_t active_ms; /* earlier tie-break: the more recent wins */
	bool archived;     /* answers only where no active item does, see the contract */
};

#define LOOKUP_ALSO_MAX 3

/* An item to name beside an answer, and the words in which its key differs from the query. */
struct lookup_other {
	size_t item;
	/*
	 * The words that tell them apart; both empty where none do. Of the answer itself asked is
	 * what it does not account for, and stored is empty. Valid until the next query.
	 */
	struct slice asked;
	struct slice stored;
};

struct lookup_answer {
	bool found;
	size_t item;
	double confidence; /* 0 to 1 */
	enum lookup_match match;
	struct lookup_other also[LOOKUP_ALSO_MAX]; /* found: those that differ, or within 0.02 of
						      the winner; else: the nearest */
	size_t also_count;
};

/* Adds an item and returns its number. Costs what the item costs, whatever else is in the index. */
size_t lookup_add(struct lookup *index, const struct lookup_item *item);

/*
 * The same in two steps: the item by its keys alone, which is enough for lookup_find_named(), and
 * the words of the keys and of the value, which all items must have before lookup_find().
 */
size_t lookup_add_name(struct lookup *index, const struct lookup_item *item);
void lookup_add_words(struct lookup *index, size_t number, const struct lookup_item *item);

/* False for an item that was added by its keys alone. */
bool lookup_has_words(const struct lookup *index, size_t number);

/* Takes an item out of the index; its number is not given again. */
void lookup_remove(struct lookup *index, size_t item);

#endif
