/*
 * How commits stand to each other: what two have in common, and what came after it.
 *
 * For who brings two histories of the same store together. Lists are the caller's.
 */
#ifndef KOTA_GIT_GRAPH_H
#define KOTA_GIT_GRAPH_H

#include "git/id_list.h"
#include "git/repo.h"

/* Best common ancestors that are told apart; there is one unless people merge crosswise. */
#define GRAPH_BASES_MAX 8

/* Fills bases with the best common ancestors; *count is 0 where there is none. */
int graph_bases(struct repo *repo, const struct object_id *a, const struct object_id *b,
		struct object_id bases[GRAPH_BASES_MAX], size_t *count, struct err *err);

/* True if `ancestor` is the commit or comes before it. False if it is not in the repository. */
bool graph_leads_to(struct repo *repo, const struct object_id *commit,
		    const struct object_id *ancestor);

/*
 * Adds the commits that lead to `commit` and not to `without` (none: all) to *out, which is sorted
 * then; the caller releases it in either case.
 */
int graph_since(struct repo *repo, const struct object_id *commit, const struct object_id *without,
		struct id_list *out, struct err *err);

#endif
