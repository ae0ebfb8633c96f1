/*
 * What is looked up: the items, the limits of a query, and the kinds of match.
 *
 * For the files of src/lookup; everybody else includes lookup.h.
 */
#ifndef KOTA_LOOKUP_LOOKUP_ITEM_H
#define KOTA_LOOKUP_LOOKUP_ITEM_H

#include "base/str.h"

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

struct lookup_item {
	int scope;        /* group that a question may be limited to (the category) */
	struct slice key; /* as the person wrote it */
	struct slice
		value; /* text of one valid JSON value; only its strings, names and numbers count */
	struct slice ref;  /* last tie-break: byte order */
	int64_t active_ms; /* earlier tie-break: the more recent wins */
	bool archived;     /* answers only where no active item does, see the contract */
};

#endif
