/*
 * What would expire or fade in a store, if others did not use its entries as well.
 *
 * Such a store keeps them: hits are counted on each machine for itself, and a removal travels.
 * Whoever maintains it by hand is told which they are. For the operations that do.
 */
#ifndef KOTA_OPS_DUE_ELSEWHERE_H
#define KOTA_OPS_DUE_ELSEWHERE_H

#include "ops/entry_stats.h"
#include "tool/tool.h"

/* True if it is such a store, in which the entry would have expired by now. */
bool due_elsewhere_expired(const struct store *store, const struct facts *facts,
			   const struct settings *settings, int64_t now_ms);

/*
 * Members due, the refs of what has expired or faded in the order of the view, and due_count, of
 * an open object: nothing where the store is nobody else's, or nothing is due.
 */
void due_elsewhere_write(struct json_writer *w, const struct call *call,
			 const struct settings *settings, const struct facts *facts, size_t count);

#endif
