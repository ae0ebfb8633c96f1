/*
 * The results of memory_search: finding what is wanted, ranking it, and writing a page of it.
 *
 * Everything lives in the call's arena or belongs to the store.
 */
#ifndef KOTA_OPS_SEARCH_RESULTS_H
#define KOTA_OPS_SEARCH_RESULTS_H

#include "ops/search_ranking.h"

/*
 * Finds what is wanted (what a query is about, what refs name, or all) and writes the reply: one
 * page of the results. Counts a hit on each entry that answers, where that is wanted.
 * ERR_BAD_VALUE when there is no such page.
 */
int search_run(const struct call *call, const struct wanted *wanted, struct json_writer *w,
	       struct err *err);

#endif
