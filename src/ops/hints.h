/*
 * How an entry relates to older ones: similarity/statement.h over the entries of a store.
 *
 * The hint when an entry is stored and the check of all entries use the same rules, and so agree.
 */
#ifndef KOTA_OPS_HINTS_H
#define KOTA_OPS_HINTS_H

#include "ops/common.h"
#include "similarity/similarity.h"
#include "similarity/statement.h"

struct hint {
	const struct item *item; /* the older one; of the view */
	enum statement_says says;
};

#define HINTS_MAX 3

/*
 * The statements of a store's entries, each read once when it is first compared. For as long as the
 * view is the same: hints_read_free().
 */
struct hints_read;

struct hints_read *hints_read_new(struct store *store);
void hints_read_free(struct hints_read *read);

/*
 * Finds the older entries that the entry relates to, contradictions first; returns how many are in
 * out. The entry is of the view; a search finds the candidates.
 */
size_t hints_find(struct hints_read *read, const struct item *entry, struct hint out[HINTS_MAX]);

/*
 * The pairs of entries of which the later one says the same as the earlier, as hints_compare() has
 * it, and of which `similar`, made of the same entries, finds the words less alike than the
 * threshold (at most 1); ordered by their numbers. Returns how many, in *pairs, which the caller
 * frees. Of a store where very many entries may say the same, only so many pairs are compared as
 * can be in about a second.
 */
size_t hints_find_same(struct hints_read *read, const struct item *const *items,
		       const struct similar *similar, double threshold,
		       struct similar_pair **pairs);

/*
 * The active entry, told later, that contradicts what this record says; NULL: none does. A record
 * that only grew old answers for nothing that has changed since.
 */
const struct item *hints_newer(struct store *store, const struct record *record);

/* Another active entry that says the same, told earlier or later; NULL: none does. */
const struct item *hints_twin(struct store *store, const struct item *entry);

/* How the newer one relates to the older. Notes of what happened are never related. */
enum statement_says hints_compare(const struct item *older, const struct item *newer);

/*
 * Writes `similar`, the older entries that the entry of this ref relates to. Writes nothing if
 * there are none, or no such entry.
 */
void hints_write(struct json_writer *w, const struct call *call, struct slice ref);

/* Writes `similar` with these. */
void hints_write_list(struct json_writer *w, const struct hint *hints, size_t count);

#endif
