/*
 * The records of the cold archive that may answer a question, without keeping them.
 *
 * The cold archive may be large and is asked rarely: where nothing active answers, or where
 * somebody searches what is archived. An index is built when that is needed first, month by month
 * and the newest first, and keeps words alone; a record is read from its file when it is an answer.
 * Later only those months are read again whose file has changed.
 *
 * What is kept is bounded: so many records by all their words, older ones by their keys alone, and
 * again so many older ones by their exact keys. A notice says when there are more, or when a search
 * does not see all of them.
 */
#ifndef KOTA_STORE_VIEW_COLD_INDEX_H
#define KOTA_STORE_VIEW_COLD_INDEX_H

#include "lookup/lookup.h"
#include "search/search.h"
#include "store/view/query.h"

/*
 * Most records that are kept by their words, most bytes of them whose values are, and most that are
 * found by their exact keys.
 */
#define COLD_RECORDS_MAX 50000
#define COLD_TEXT_MAX ((size_t)8 << 20)
#define COLD_NAMED_MAX 1000000

struct cold_index;

/* Asks the records for the one that a query means; *out is it, NULL where there is none. */
void cold_index_find(struct store *store, struct slice query, int scope,
		     struct lookup_answer *answer, const struct archived **out);

/* True if asking costs little: it was asked before, or its files are no larger than that. */
bool cold_index_is_cheap(struct store *store, off_t bytes);

/*
 * Searches the records. Returns how many fit; *out is valid until the next search of them.
 * A hit's item is for cold_index_found().
 */
size_t cold_index_search(struct store *store, struct slice query, const struct synonyms *synonyms,
			 const struct search_hit **out);

/* The record that a hit stands for, valid until the next refresh; NULL where it is gone. */
const struct archived *cold_index_found(struct store *store, size_t item);

/* Frees both indexes. For snapshot.c. */
void cold_index_release(struct store *store);

#endif
