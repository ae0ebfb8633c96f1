/*
 * Everything that a search can show: entries, archive records and notes, ranked or in order.
 *
 *	store_refresh(store, now_ms, &err);
 *	size_t count = store_search(store, query, &found);
 *
 * What is returned is owned by the store and valid until the next refresh, change, search or close.
 * Problems with notes and synonyms become notices. Callers filter by what the facts say.
 */
#ifndef KOTA_STORE_VIEW_SEARCH_ALL_H
#define KOTA_STORE_VIEW_SEARCH_ALL_H

#include "store/view/query.h"

struct note;

enum sought_status { SOUGHT_ACTIVE, SOUGHT_PROMOTED, SOUGHT_ARCHIVED, SOUGHT_NOTE };

/* An entry, a record or a note. */
struct sought {
	enum sought_status status;
	const struct item *item;         /* of an entry; one that is due is archived already */
	const struct archived *archived; /* of a record */
	const struct note *note;         /* of a note: store/items/notes.h */
	const struct item *promoted;     /* of a note: what was promoted to it, or NULL */
	const struct entry *entry;       /* of an entry or a record; NULL for a note */
	struct slice ref;
	struct slice key;
	int category;    /* CATEGORY_ANY for a note */
	double strength; /* 1 where nothing is said; likewise below */
	double confidence;
	int64_t active_ms; /* last use or change; TIME_NONE when unknown */
	int64_t created_ms;
	int64_t updated_ms;
	int64_t hits;
	int64_t uses;
	/* Only when ranked: */
	double relevance; /* 0 to 1 */
	double coverage;  /* share of the query that was found, by weight */
	bool numbers;     /* each of its words with a digit was found */
	bool whole;       /* it holds all of a query that is no sentence, but keywords */
	uint64_t words;   /* a bit for each of store_search_words() that was found */
	uint64_t digest;  /* equal for what says the same */
};

/* All there is: entries by category in the order of their files, records likewise, notes by name.
 */
size_t store_search_all(struct store *store, const struct sought **out);

/* What a query is about, best first; category limits the words that are weighed to none. */
size_t store_search(struct store *store, struct slice query, const struct sought **out);

/*
 * The best of the cold archive, at most so many, valid until the next refresh: who searches what is
 * archived wants them too. Their words are those of the same query of store_search().
 */
size_t store_search_cold(struct store *store, struct slice query, size_t most,
			 const struct sought **out);

/* All of the cold archive that answers, valid until the next refresh: it is read for this. */
size_t store_search_all_cold(struct store *store, const struct sought **out);

/* The words that the last query was taken to ask for. */
const struct slice *store_search_words(const struct store *store, size_t *count);

/*
 * What a ref names: an entry, also by a bare key or another spelling, a record, also a cold one, or
 * a note. False when there is none.
 */
bool store_search_ref(struct store *store, struct slice ref, struct sought *out);

#endif
